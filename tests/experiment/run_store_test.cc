// The results folder under crashes: whatever a dying process leaves of the log, whole lines are
// kept and the rest is run again.

#include "dpfermi/experiment/run_store.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

#include "dpfermi/core/file.h"

namespace dpfermi {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class RunStoreTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(::testing::TempDir()) /
              ::testing::UnitTest::GetInstance()->current_test_info()->name();
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  static SweepDescription description() {
    SweepDescription made{"title", kResearchStamp, "dpfermi sweep", "1.2.3", {}};
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

  fs::path folder_;
};

TEST_F(RunStoreTest, FinishPutsRunsInOrder) {
  RunStore store = open(false).value();
  for (const char* key : {"c", "a", "b"}) ASSERT_TRUE(store.add(key, line(key)).has_value());
  EXPECT_EQ(store.size(), 3U);
  ASSERT_TRUE(store.finish({"a", "b", "c"}).has_value());
  EXPECT_EQ(read("runs.jsonl"), line("a") + "\n" + line("b") + "\n" + line("c") + "\n");
  EXPECT_FALSE(fs::exists(folder_ / "runs.log"));
}

TEST_F(RunStoreTest, FinishNeedsEveryRun) {
  RunStore store = open(false).value();
  ASSERT_TRUE(store.add("a", line("a")).has_value());
  EXPECT_THAT(store.finish({"a", "b"}).error().message, HasSubstr("b is missing"));
  EXPECT_FALSE(fs::exists(folder_ / "runs.jsonl"));
}

// A crash at any byte of the log.
TEST_F(RunStoreTest, AnyTornTailIsDropped) {
  {
    RunStore store = open(false).value();
    for (const char* key : {"a", "b"}) ASSERT_TRUE(store.add(key, line(key)).has_value());
  }
  const std::string whole = read("runs.log");
  const std::size_t first = whole.find('\n') + 1;
  for (std::size_t cut = 0; cut <= whole.size(); ++cut) {
    write("runs.log", whole.substr(0, cut));
    {
      RunStore store = open(true).value();
      EXPECT_EQ(store.has("a"), cut >= first) << cut;
      EXPECT_EQ(store.has("b"), cut == whole.size()) << cut;
      for (const char* key : {"b", "a"}) {
        if (!store.has(key)) ASSERT_TRUE(store.add(key, line(key)).has_value());
      }
      ASSERT_TRUE(store.finish({"a", "b"}).has_value()) << cut;
    }
    ASSERT_EQ(read("runs.jsonl"), line("a") + "\n" + line("b") + "\n") << cut;
    fs::remove(folder_ / "runs.jsonl");
  }
}

TEST_F(RunStoreTest, ADamagedLineIsRunAgain) {
  {
    RunStore store = open(false).value();
    for (const char* key : {"a", "b", "c"}) ASSERT_TRUE(store.add(key, line(key)).has_value());
  }
  std::string bytes = read("runs.log");
  bytes[bytes.find("\"b\"") + 1] = 'x';
  write("runs.log", bytes);
  const RunStore store = open(true).value();
  EXPECT_TRUE(store.has("a"));
  EXPECT_FALSE(store.has("b"));
  EXPECT_FALSE(store.has("x"));
  EXPECT_TRUE(store.has("c"));
}

TEST_F(RunStoreTest, ResultsAreNotOverwritten) {
  { RunStore store = open(false).value(); }
  const auto again = open(false);
  ASSERT_FALSE(again.has_value());
  EXPECT_THAT(again.error().message, HasSubstr("--resume"));
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
  EXPECT_THAT(refused([](SweepDescription& d) { d.grid.splits = 9; }), HasSubstr("grid"));
  EXPECT_EQ(refused([](SweepDescription& d) { d.command = "other words"; }), "");
}

TEST_F(RunStoreTest, OneProcessAtATime) {
  const RunStore store = open(false).value();
  EXPECT_THAT(open(true).error().message, HasSubstr("another sweep is running"));
}

TEST_F(RunStoreTest, ACrashWhileFinishingLosesNothing) {
  {
    RunStore store = open(false).value();
    for (const char* key : {"b", "a"}) ASSERT_TRUE(store.add(key, line(key)).has_value());
  }
  write("runs.jsonl", line("a") + "\n" + line("b") + "\n");  // written, and the log not yet removed
  RunStore store = open(true).value();
  EXPECT_EQ(store.size(), 2U);
  ASSERT_TRUE(store.finish({"a", "b"}).has_value());
  EXPECT_EQ(read("runs.jsonl"), line("a") + "\n" + line("b") + "\n");
}

TEST_F(RunStoreTest, FoldersWithoutResults) {
  EXPECT_THAT(read_results(folder_).error().message, HasSubstr("holds no results"));
}

}  // namespace
}  // namespace dpfermi
