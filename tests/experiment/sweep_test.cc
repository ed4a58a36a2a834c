// Whole small sweeps on the synthetic census.

#include "experiment/sweep.h"

#include <gmock/gmock.h>

#include <atomic>
#include <filesystem>
#include <regex>

#include "core/file.h"
#include "experiment/census_source.h"
#include "experiment/trade_off.h"
#include "temp_folder.h"

namespace dpfermi {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr std::uint64_t kRows = 600;

Grid census_grid() {
  Grid grid{.title = "census", .seed = 3, .splits = 2, .blocks = {}};
  grid.blocks.push_back({.datasets = {"census"},
                         .methods = {"dp-fermi", "fermi", "erm", "published-code"},
                         .epsilons = {1},
                         .lambdas = {0, 1}});
  return grid;
}

SweepOptions options(unsigned workers) {
  SweepOptions made;
  made.workers = workers;
  made.tables = [](const std::string&, Protocol) -> Result<SourceTable> {
    return testing_support::census_source(kRows);
  };
  return made;
}

class SweepTest : public ::testing::Test {
 protected:
  RunStore open(const std::string& name, bool resume = false) const {
    const Grid grid = census_grid();
    return RunStore::open(folder_ / name, {grid.title, kResearchStamp, "", "1", grid}, resume)
        .value();
  }
  /// The finished file without what is under "seconds".
  std::string records(const std::string& name) const {
    return std::regex_replace(read_text_file(folder_ / name / "runs.jsonl").value(),
                              std::regex("\"seconds\":\\{[^}]*\\}"), "");
  }

  test::TempFolder parent_;
  fs::path folder_ = parent_ / "results";  ///< not there yet
};

TEST_F(SweepTest, BytesDependNeitherOnWorkersNorOnInterruptions) {
  const std::vector<RunSpec> runs = expand(census_grid(), true).value();
  {
    RunStore one = open("one");
    ASSERT_TRUE(run_sweep(runs, 3, options(1), &one).has_value());
    RunStore two = open("two");
    ASSERT_TRUE(run_sweep(runs, 3, options(2), &two).has_value());
  }
  {
    // Every third run fails, as if the process had died before it was kept.
    RunStore broken = open("broken");
    SweepOptions failing = options(2);
    failing.ledgers = [count = 0](const RunSpec& spec) mutable {
      return ++count % 3 == 0 ? Result<std::unique_ptr<StepLedger>>(failed("cut off"))
                              : research_ledgers()(spec);
    };
    failing.workers = 1;
    const Status status = run_sweep(runs, 3, failing, &broken);
    ASSERT_FALSE(status.has_value());
    EXPECT_THAT(status.error().message, HasSubstr("runs failed, the others are kept"));
  }
  RunStore again = open("broken", true);
  EXPECT_LT(again.size(), runs.size());
  EXPECT_GT(again.size(), 0U);
  ASSERT_TRUE(run_sweep(runs, 3, options(2), &again).has_value());
  EXPECT_EQ(records("one"), records("two"));
  EXPECT_EQ(records("one"), records("broken"));
}

TEST_F(SweepTest, RecordsSayWhatWasRun) {
  const std::vector<RunSpec> runs = expand(census_grid(), true).value();
  {
    RunStore store = open("one");
    ASSERT_TRUE(run_sweep(runs, 3, options(2), &store).has_value());
  }
  const SweepResults results = read_results(folder_ / "one").value();
  EXPECT_TRUE(results.complete);
  EXPECT_EQ(results.description.stamp, kResearchStamp);
  ASSERT_THAT(results.runs, SizeIs(runs.size()));
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const RunRecord& record = results.runs[i];
    EXPECT_EQ(run_key(record.spec), run_key(runs[i]));
    EXPECT_EQ(record.test.rows, kRows / 4);
    EXPECT_LT(record.test.error, 0.5);
    EXPECT_EQ(record.curve.empty(), record.spec.split != 0);
    // Runs over all rows at once end when they have converged, before the steps they may take.
    EXPECT_LE(record.curve.size(), 30U);
    if (record.spec.method == "dp-fermi" && record.spec.split == 0 &&
        record.spec.lambda.value_or(1) > 0) {
      EXPECT_EQ(record.curve.size(), 30U);
    }
    EXPECT_EQ(record.privacy.has_value(),
              record.spec.method == "dp-fermi" || record.spec.method == "erm");
    if (record.privacy) {
      EXPECT_EQ(record.privacy->noise, Reproducibility::kReproducible);
    }
    if (record.spec.method == "dp-fermi" && *record.spec.lambda > 0) {
      EXPECT_LE(record.privacy->cost->epsilon, 1);
      EXPECT_GT(record.privacy->cost->epsilon, 0.9);
    }
    // What was read back is what was written.
    EXPECT_EQ(run_key(parse_record(to_json_line(record))->spec), run_key(runs[i]));
    EXPECT_EQ(to_json_line(parse_record(to_json_line(record)).value()), to_json_line(record));
  }
}

TEST_F(SweepTest, SmallGroupsAreDescribedAndNotCompared) {
  Grid grid = census_grid();
  grid.splits = 1;
  grid.blocks.front().methods = {"erm"};
  const auto record_of = [&](std::uint32_t least_group, const std::string& name) {
    grid.least_group = least_group;
    RunStore store = open(name);
    EXPECT_TRUE(run_sweep(expand(grid, true).value(), 3, options(1), &store).has_value());
    return read_results(folder_ / name).value().runs.front();
  };
  const RunRecord all = record_of(0, "all");
  const RunRecord large = record_of(300, "large");  // of 450 training rows, in two groups
  const FairnessNotion notion = all.spec.notion;
  EXPECT_GT(violation_of(all.test, notion), 0);
  EXPECT_EQ(violation_of(large.test, notion), 0);
  EXPECT_EQ(violation_of(large.train, notion), 0);
  EXPECT_EQ(large.test.error, all.test.error);
  EXPECT_EQ(large.test.fairness->groups[1].rate, all.test.fairness->groups[1].rate);
  EXPECT_THAT(make_panels({all, large}), SizeIs(2));
  EXPECT_THAT(make_panels({large}).front().name(), HasSubstr("groups of at least 300"));
}

TEST_F(SweepTest, ARefusedBudgetEndsTheSweep) {
  RunStore store = open("one");
  SweepOptions refusing = options(1);
  int asked = 0;
  refusing.ledgers = [&](const RunSpec&) -> Result<std::unique_ptr<StepLedger>> {
    ++asked;
    return budget_refused("nothing left");
  };
  const Status status = run_sweep(expand(census_grid(), true).value(), 3, refusing, &store);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().kind, ErrorKind::kBudgetRefused);
  EXPECT_EQ(asked, 1);
}

TEST_F(SweepTest, TablesThatCannotBeReadAreNamed) {
  RunStore store = open("one");
  SweepOptions broken = options(2);
  broken.tables = [](const std::string& name, Protocol) -> Result<SourceTable> {
    return failed(name + ": no such file");
  };
  const Status status = run_sweep(expand(census_grid(), true).value(), 3, broken, &store);
  EXPECT_THAT(status.error().message, HasSubstr("census: no such file"));
}

TEST(SplitCacheTest, ReadsOnceAndForgets) {
  int reads = 0;
  SplitCache cache(
      [&](const std::string&, Protocol) -> Result<SourceTable> {
        ++reads;
        return testing_support::census_source(200);
      },
      1);
  RunSpec spec{.dataset = "census", .method = "erm"};
  for (int i = 0; i < 3; ++i) cache.expect(spec);
  spec.split = 1;
  cache.expect(spec);
  const auto other = cache.get(spec).value();
  cache.release(spec);
  spec.split = 0;
  const auto first = cache.get(spec).value();
  EXPECT_EQ(cache.get(spec).value(), first);
  EXPECT_EQ(reads, 1);
  EXPECT_EQ(first->train.rows(), 150U);
  EXPECT_NE(first->train.y, other->train.y);
  for (int i = 0; i < 3; ++i) cache.release(spec);
  cache.expect(spec);
  EXPECT_TRUE(cache.get(spec).has_value());
  EXPECT_EQ(reads, 2);
}

TEST_F(SweepTest, ARecordHoldsTheIntervalOfARepairAndWhatItIsAbout) {
  Grid grid = census_grid();
  grid.splits = 1;
  grid.blocks = {{.datasets = {"census"},
                  .methods = {"repair", "linear-post"},
                  .epsilons = {2},
                  .targets = {0.05}}};
  RunStore store = open("repaired");
  ASSERT_TRUE(run_sweep(expand(grid, true).value(), 3, options(1), &store).has_value());
  const SweepResults results = read_results(folder_ / "repaired").value();
  for (const RunRecord& record : results.runs) {
    const bool measured = record.spec.method == "repair";
    ASSERT_EQ(record.compared_violation.has_value(), measured);
    EXPECT_EQ(to_json_line(parse_record(to_json_line(record)).value()), to_json_line(record));
    if (!measured) continue;
    const ViolationInterval interval = record.released.value().interval.value();
    EXPECT_LT(interval.low, interval.high);
    // Two groups, none of which noise hides, and a single rule or a mixture: exact up to the draws.
    EXPECT_NEAR(*record.compared_violation, violation_of(record.train, record.spec.notion), 0.05);
    std::vector<Panel> panels = make_panels({record});
    const TargetCounts counts = panels.at(0).curves.at(0).models.at(0).targets;
    EXPECT_EQ(counts.intervals, 1U);
    EXPECT_EQ(counts.covered, interval.low <= *record.compared_violation &&
                                      *record.compared_violation <= interval.high
                                  ? 1U
                                  : 0U);
  }
}

/// Counted: "stop" is asked before the run, then during it.
TEST_F(SweepTest, AnInterruptAbandonsTheRunUnderWayWhereNothingIsCharged) {
  for (const bool abandons : {true, false}) {
    std::atomic<int> asked = 0;
    SweepOptions interrupted = options(1);
    interrupted.stop = [&] { return ++asked > 1; };
    interrupted.abandon_runs = abandons;
    RunStore store = open(abandons ? "abandoned" : "finished");
    const Status status = run_sweep(expand(census_grid(), true).value(), 3, interrupted, &store);
    ASSERT_FALSE(status);
    EXPECT_THAT(status.error().message, HasSubstr("interrupted"));
    EXPECT_EQ(store.size(), abandons ? 0U : 1U);
  }
}

}  // namespace
}  // namespace dpfermi
