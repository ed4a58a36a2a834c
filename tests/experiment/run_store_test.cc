// The results folder under crashes: whatever a dying process leaves of the log, whole lines are
// kept and the rest is run again.

#include "experiment/run_store.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "core/file.h"
#include "temp_folder.h"

namespace dpfermi {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

const std::string kPrefix = "people/honest/demographic-parity/dp-fermi/epsilon=1/lambda=1/split=";
const std::string kA = kPrefix + "0", kB = kPrefix + "1", kC = kPrefix + "2";

class RunStoreTest : public ::testing::Test {
 protected:
  static SweepDescription description() {
    SweepDescription made{"title", kResearchStamp, "dpfermi sweep", "1.2.3", {}, {}};
    made.grid.blocks.push_back({.datasets = {"people"}, .lambdas = {1}});
    return made;
  }
  Result<RunStore> open(bool resume) const {
    return RunStore::open(folder_, description(), resume);
  }
  static std::string line(const std::string& key) {
    return R"({"key":")" + key + R"(","value":1})";
  }
  std::string read(const char* name) const { return read_text_file(folder_ / name).value(); }
  void write(const char* name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }

  test::TempFolder parent_;
  fs::path folder_ = parent_ / "results";  ///< not there yet
};

TEST_F(RunStoreTest, FinishPutsRunsInOrder) {
  RunStore store = open(false).value();
  for (const std::string& key : {kC, kA, kB}) ASSERT_TRUE(store.add(key, line(key)).has_value());
  EXPECT_EQ(store.size(), 3U);
  ASSERT_TRUE(store.finish({kA, kB, kC}).has_value());
  EXPECT_EQ(read("runs.jsonl"), line(kA) + "\n" + line(kB) + "\n" + line(kC) + "\n");
  EXPECT_FALSE(fs::exists(folder_ / "runs.log"));
}

TEST_F(RunStoreTest, FinishNeedsEveryRun) {
  RunStore store = open(false).value();
  ASSERT_TRUE(store.add(kA, line(kA)).has_value());
  EXPECT_THAT(store.finish({kA, kB}).error().message, HasSubstr(kB + " is missing"));
  EXPECT_FALSE(fs::exists(folder_ / "runs.jsonl"));
}

// A crash at any byte of the log.
TEST_F(RunStoreTest, AnyTornTailIsDropped) {
  {
    RunStore store = open(false).value();
    for (const std::string& key : {kA, kB}) ASSERT_TRUE(store.add(key, line(key)).has_value());
  }
  const std::string whole = read("runs.log");
  const std::size_t first = whole.find('\n') + 1;
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    write("runs.log", whole.substr(0, cut));
    {
      RunStore store = open(true).value();
      EXPECT_EQ(store.has(kA), cut >= first) << cut;
      EXPECT_EQ(store.has(kB), cut == whole.size()) << cut;
      for (const std::string& key : {kB, kA}) {
        if (store.has(key)) continue;
        ASSERT_TRUE(store.add(key, line(key)).has_value());
      }
      ASSERT_TRUE(store.finish({kA, kB}).has_value()) << cut;
    }
    ASSERT_EQ(read("runs.jsonl"), line(kA) + "\n" + line(kB) + "\n") << cut;
    fs::remove(folder_ / "runs.jsonl");
  }
}

TEST_F(RunStoreTest, ADamagedLineIsRunAgain) {
  {
    RunStore store = open(false).value();
    for (const std::string& key : {kA, kB, kC}) ASSERT_TRUE(store.add(key, line(key)).has_value());
  }
  std::string bytes = read("runs.log");
  bytes[bytes.find(kB)] = 'x';
  write("runs.log", bytes);
  const RunStore store = open(true).value();
  EXPECT_TRUE(store.has(kA));
  EXPECT_FALSE(store.has(kB));
  EXPECT_TRUE(store.has(kC));
}

TEST_F(RunStoreTest, ResultsAreNotOverwritten) {
  { RunStore store = open(false).value(); }
  const auto again = open(false);
  ASSERT_FALSE(again.has_value());
  EXPECT_THAT(again.error().message, HasSubstr("`resume`"));
  EXPECT_EQ(again.error().kind, ErrorKind::kUsage);
}

TEST_F(RunStoreTest, ResumesTheSameSweepOnly) {
  { RunStore store = open(false).value(); }
  const auto refused = [&](auto change) {
    SweepDescription other = description();
    change(other);
    const auto store = RunStore::open(folder_, other, true);
    return store ? std::string() : store.error().message;
  };
  EXPECT_THAT(refused([](SweepDescription& d) { d.version = "2"; }), HasSubstr("version"));
  EXPECT_THAT(refused([](SweepDescription& d) { d.stamp = kChargedStamp; }), HasSubstr("charging"));
  EXPECT_THAT(refused([](SweepDescription& d) { d.grid.seed = 9; }), HasSubstr("seed"));
  EXPECT_EQ(refused([](SweepDescription& d) { d.command = "other words"; }), "");
}

TEST_F(RunStoreTest, RunsOnAnotherTableAreNotMixedIn) {
  SweepDescription asked = description();
  asked.tables["people/honest"] = "first";
  { RunStore store = RunStore::open(folder_, asked, false).value(); }
  asked.tables["people/honest"] = "second";  // no run yet: the corrected command counts
  {
    RunStore store = RunStore::open(folder_, asked, true).value();
    ASSERT_TRUE(store.add(kA, line(kA)).has_value());
  }
  EXPECT_EQ(parse_sweep(read("sweep.json"))->tables, asked.tables);
  asked.tables["people/honest"] = "third";
  EXPECT_THAT(RunStore::open(folder_, asked, true).error().message,
              HasSubstr("another table of the name people/honest"));
}

TEST_F(RunStoreTest, GridsMayGrowButNotShrink) {
  SweepDescription wide = description();
  wide.grid.splits = 3;
  const std::string last = run_key(expand(wide.grid, false)->back());
  {
    RunStore store = RunStore::open(folder_, wide, false).value();
    ASSERT_TRUE(store.add(last, line(last)).has_value());
  }
  wide.grid.splits = 4;
  EXPECT_TRUE(RunStore::open(folder_, wide, true)->has(last));
  EXPECT_EQ(parse_sweep(read("sweep.json"))->grid.splits, 4U);
  wide.grid.splits = 2;
  const auto narrow = RunStore::open(folder_, wide, true);
  ASSERT_FALSE(narrow.has_value());
  EXPECT_THAT(narrow.error().message, HasSubstr(last));
}

TEST_F(RunStoreTest, AdmitsOneProcessAtATime) {
  const RunStore store = open(false).value();
  EXPECT_THAT(open(true).error().message, HasSubstr("another sweep is running"));
}

TEST_F(RunStoreTest, ACrashWhileFinishingLosesNothing) {
  {
    RunStore store = open(false).value();
    for (const std::string& key : {kB, kA}) ASSERT_TRUE(store.add(key, line(key)).has_value());
  }
  write("runs.jsonl", line(kA) + "\n" + line(kB) + "\n");  // written, and the log not yet removed
  RunStore store = open(true).value();
  EXPECT_EQ(store.size(), 2U);
  ASSERT_TRUE(store.finish({kA, kB}).has_value());
  EXPECT_EQ(read("runs.jsonl"), line(kA) + "\n" + line(kB) + "\n");
}

TEST_F(RunStoreTest, NamesFoldersWithoutResults) {
  EXPECT_THAT(read_results(folder_).error().message, HasSubstr("holds no results"));
}

}  // namespace
}  // namespace dpfermi
