#include "workflow/training_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "artifact/model_file.h"
#include "workflow/census_file.h"
#include "workflow/dry_run.h"
#include "workflow/sketch_run.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;
using testing_support::CensusFolder;
using testing_support::short_request;

TableChoice census_choice(const CensusFolder& folder) {
  TableChoice choice;
  choice.request.files = {folder.table()};
  choice.request.schema.target = {.column = "income", .positive = "high"};
  choice.request.schema.sensitive = {{.column = "group", .values = {"g0", "g1"}}};
  choice.title = "people";
  return choice;
}

TrainingJob census_job(const CensusFolder& folder) {
  TrainingJob job;
  job.choice = census_choice(folder);
  job.request = short_request();
  job.seed = 5;
  job.spending.ledger = folder / "people.db";
  job.out = folder / "people.model";
  return job;
}

/// Stops a run after some steps; the start before them is told as a share of one.
class StoppingObserver final : public Observer {
 public:
  explicit StoppingObserver(int steps) : left_(steps) {}
  void advance_task(double, double total) override { left_ -= total > 1 ? 1 : 0; }
  bool interrupted() override { return left_ <= 0; }

 private:
  int left_;
};

TEST(TrainingRun, WritesTheModelThatTheFrontDoorReturns) {
  const CensusFolder folder;
  Observer silent;
  const auto outcome = run_training(silent, census_job(folder));
  ASSERT_TRUE(outcome) << outcome.error().message;
  LedgerFile ledger = open_ledger(folder / "other.db").value();
  const auto run = train(folder.load(), short_request(), ledger, {.seed = 5});
  ASSERT_TRUE(run);
  EXPECT_EQ(read_model(folder / "people.model")->theta, run->model.parts().theta);
}

TEST(TrainingRun, GoesOnFromACheckpointAsIfItHadNotStopped) {
  const CensusFolder folder;
  TrainingJob job = census_job(folder);
  job.checkpoint = {.file = folder / "run.checkpoint", .every = 2};
  Observer silent;
  const auto whole = run_training(silent, job);
  ASSERT_TRUE(whole) << whole.error().message;

  job.out = folder / "resumed.model";
  StoppingObserver stopping(5);
  const auto stopped = run_training(stopping, job);
  ASSERT_FALSE(stopped);
  EXPECT_THAT(stopped.error().message, HasSubstr("goes on"));
  EXPECT_FALSE(std::filesystem::exists(job.out));
  job.checkpoint.resume = job.checkpoint.file;
  const auto resumed = run_training(silent, job);
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->model.theta, whole->model.theta);
}

// The noise of the paper's method follows from shares that the run charges and reads.
TEST(TrainingRun, GoesOnWithTheNoiseThatItSettled) {
  const CensusFolder folder;
  TrainingJob job = census_job(folder);
  job.request = {.method = Method::kDpFermiPaper, .lambda = 1, .epochs = 8};
  job.checkpoint = {.file = folder / "run.checkpoint", .every = 2};
  Observer silent;
  const auto whole = run_training(silent, job);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_GT(whole->plan->noise_multiplier, 0);
  EXPECT_EQ(whole->model.training.settings.at("noise_multiplier"), whole->plan->noise_multiplier);
  EXPECT_EQ(whole->model.training.epsilon, 1);

  StoppingObserver stopping(5);
  ASSERT_FALSE(run_training(stopping, job));
  job.checkpoint.resume = job.checkpoint.file;
  const auto resumed = run_training(silent, job);
  ASSERT_TRUE(resumed) << resumed.error().message;
  EXPECT_EQ(resumed->model.theta, whole->model.theta);
  EXPECT_EQ(to_json(resumed->model.privacy.releases.front().event),
            to_json(whole->model.privacy.releases.front().event));

  job.request.epochs = 9;
  EXPECT_THAT(run_training(silent, job).error().message, HasSubstr("another plan (steps)"));
}

TEST(TrainingRun, RefusesACheckpointOfAnotherRun) {
  const CensusFolder folder;
  TrainingJob job = census_job(folder);
  job.checkpoint = {.file = folder / "run.checkpoint", .every = 2};
  StoppingObserver stopping(5);
  ASSERT_FALSE(run_training(stopping, job));
  Observer silent;
  job.checkpoint.resume = job.checkpoint.file;
  job.request.epsilon = 2;
  const auto resumed = run_training(silent, job);
  ASSERT_FALSE(resumed);
  EXPECT_EQ(resumed.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(resumed.error().message, HasSubstr("another plan"));
}

TEST(TrainingRun, DoesNotOverwriteWhatItReads) {
  const CensusFolder folder;
  Observer silent;
  for (const std::string& taken : {folder.table(), folder / "people.db"}) {
    TrainingJob job = census_job(folder);
    job.out = taken;
    const auto outcome = run_training(silent, job);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().kind, ErrorKind::kUsage);
  }
}

TEST(TrainingRun, TrainsFromASketchFileWithoutThePeoplesGroups) {
  const CensusFolder folder;
  SketchJob sketch;
  sketch.choice = census_choice(folder);
  sketch.seed = 4;
  sketch.spending.research = true;
  sketch.out = folder / "people.sketch";
  ASSERT_TRUE(run_sketch(sketch));
  TrainingJob job = census_job(folder);
  job.choice.request.schema.sensitive.clear();
  job.choice.request.schema.drop = {"group"};
  job.request = {.method = Method::kSketch, .lambda = 2};
  job.sketch = sketch.out;
  job.spending = {};
  Observer silent;
  const auto outcome = run_training(silent, job);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_EQ(outcome->model.groups, read_sketch(sketch.out)->groups);
  EXPECT_TRUE(outcome->charge.ledger.empty());
}

TEST(DryRun, PricesARunAndChargesNothing) {
  const CensusFolder folder;
  const TrainingJob job = census_job(folder);
  Observer silent;
  const auto dry = plan_run(silent, job);
  ASSERT_TRUE(dry) << dry.error().message;
  EXPECT_TRUE(dry->charged);
  EXPECT_FALSE(dry->refusal);
  EXPECT_FALSE(std::filesystem::exists(folder / "people.db"));
  EXPECT_FALSE(std::filesystem::exists(job.out));
}

TEST(DryRun, SaysWhetherTheBudgetCoversTheRun) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  ASSERT_TRUE(ledger.init_budget(
      {"people", Adjacency::kSensitive, ""},
      {Amount::from(0.5, Rounding::kDown).value(), Amount::from(1e-3, Rounding::kDown).value()}));
  TrainingJob job = census_job(folder);
  job.spending.budget = "people";
  job.seed.reset();
  Observer silent;
  EXPECT_TRUE(plan_run(silent, job)->refusal);
  job.request.epsilon = 0.25;
  EXPECT_FALSE(plan_run(silent, job)->refusal);
}

}  // namespace
}  // namespace dpfermi
