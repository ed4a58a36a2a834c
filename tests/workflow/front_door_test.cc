#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "artifact/trained_model.h"
#include "dpfermi/dpfermi.h"
#include "optimize/training_plan.h"
#include "workflow/census_file.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;
using testing_support::CensusFolder;
using testing_support::short_request;

BudgetState only_budget(const LedgerFile& ledger) {
  const std::vector<BudgetState> budgets = ledger.budgets().value();
  EXPECT_EQ(budgets.size(), 1U);
  return budgets.front();
}

TEST(FrontDoor, TrainsAChargedPrivateModelThatCanBeWrittenAndRead) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  const auto run = train(folder.load(), short_request(), ledger);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(is_private(run->model.privacy()));
  EXPECT_TRUE(run->model.privacy().domain_declared);
  ASSERT_TRUE(run->test);
  EXPECT_LT(run->test->error, 0.5);
  const BudgetState budget = only_budget(ledger);
  EXPECT_EQ(budget.charges, 1U);
  EXPECT_EQ(budget.open_runs, 0U);
  ASSERT_TRUE(write_model(run->model, folder / "people.model"));
  EXPECT_EQ(load_model(folder / "people.model")->parts().theta, run->model.parts().theta);
}

TEST(FrontDoor, GivesTheSameModelForTheSameSeed) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  const LoadedTable table = folder.load();
  const auto first = train(table, short_request(), ledger, {.seed = 7});
  const auto second = train(table, short_request(), ledger, {.seed = 7, .threads = 2});
  const auto other = train(table, short_request(), ledger, {.seed = 8});
  ASSERT_TRUE(first && second && other);
  EXPECT_EQ(first->model.parts().theta, second->model.parts().theta);
  EXPECT_NE(first->model.parts().theta, other->model.parts().theta);
  EXPECT_FALSE(is_private(first->model.privacy()));
}

TEST(FrontDoor, PlansWithoutALedgerAndPlansWhatTrainDoes) {
  const CensusFolder folder;
  const LoadedTable table = folder.load();
  const auto planned = plan(table, short_request());
  ASSERT_TRUE(planned) << planned.error().message;
  EXPECT_FALSE(std::filesystem::exists(folder / "people.db"));
  LedgerFile ledger = folder.ledger();
  const auto run = train(table, short_request(), ledger, {.seed = 1});
  ASSERT_TRUE(run);
  EXPECT_EQ(run->plan->steps(), planned->steps());
  EXPECT_EQ(run->plan->parts().noise_multiplier, planned->parts().noise_multiplier);
}

TEST(FrontDoor, ABudgetWithALimitRefusesWhatItDoesNotCover) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  ASSERT_TRUE(ledger.init_budget(
      {"people", Adjacency::kSensitive, ""},
      {Amount::from(0.5, Rounding::kDown).value(), Amount::from(1e-5, Rounding::kDown).value()}));
  const auto run = train(folder.load(), short_request(), ledger, {.budget = "people"});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().kind, ErrorKind::kBudgetRefused);
  EXPECT_EQ(only_budget(ledger).charges, 0U);
}

TEST(FrontDoor, AMethodWithoutNoiseIsChargedAsSuchAndRefusedByALimit) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  TrainingRequest request = short_request();
  request.method = Method::kFermi;
  const auto run = train(folder.load(), request, ledger, {.budget = "open"});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_FALSE(is_private(run->model.privacy()));
  EXPECT_EQ(only_budget(ledger).charges, 1U);

  LedgerFile limited = open_ledger(folder / "limited.db").value();
  ASSERT_TRUE(limited.init_budget(
      {"people", Adjacency::kSensitive, ""},
      {Amount::from(100, Rounding::kDown).value(), Amount::from(0.1, Rounding::kDown).value()}));
  const auto refused = train(folder.load(), request, limited, {.budget = "people"});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kBudgetRefused);
}

TEST(FrontDoor, AMethodThatReadsNothingProtectedIsNotCharged) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  const auto run = train(folder.load(), {.method = Method::kErm, .epochs = 2}, ledger);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(ledger.budgets()->empty());
  EXPECT_TRUE(run->charge.ledger.empty());
}

/// Counts what it is told, and stops a run after some steps.
class CountingObserver final : public Observer {
 public:
  explicit CountingObserver(int stop_after) : stop_after_(stop_after) {}
  void begin_task(const Task& task) override { tasks.push_back(task.name); }
  void advance_task(double, double) override { ++steps; }
  void end_task() override { ++ended; }
  void note(std::string_view line) override { notes.emplace_back(line); }
  bool interrupted() override { return steps >= stop_after_; }

  std::vector<std::string> tasks, notes;
  int steps = 0;
  int ended = 0;

 private:
  int stop_after_;
};

TEST(FrontDoor, TellsItsObserverHowFarItIsAndStopsWhenAsked) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  CountingObserver observer(5);
  const auto run = train(folder.load(), short_request(), ledger, {.observer = &observer});
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("interrupted at step 5"));
  EXPECT_THAT(run.error().message, HasSubstr("all of it stays charged"));
  EXPECT_EQ(observer.steps, 5);
  EXPECT_THAT(observer.tasks, testing::ElementsAre("training"));
  EXPECT_EQ(observer.ended, 1);
  EXPECT_EQ(only_budget(ledger).charges, 1U);
}

TEST(FrontDoor, NotesWhichClassItTakesForTheFavourableOne) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  LoadOptions options = folder.options();
  options.positive.clear();
  CountingObserver observer(1 << 30);
  const auto run = train(load(folder.table(), options).value(), short_request(), ledger,
                         {.observer = &observer});
  ASSERT_TRUE(run) << run.error().message;
  ASSERT_EQ(observer.notes.size(), 1U);
  EXPECT_THAT(observer.notes.front(), HasSubstr("favourable"));
}

TEST(FrontDoor, JudgesAModelExactlyForTheHolderAndPrivatelyForAnybody) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  const auto run = train(folder.load(), short_request(), ledger, {.seed = 3});
  ASSERT_TRUE(run);
  const auto held_out = load_for(run->model, folder.table(), /*held_out=*/true);
  ASSERT_TRUE(held_out) << held_out.error().message;
  const auto exact = evaluate_exactly(run->model, *held_out);
  ASSERT_TRUE(exact);
  EXPECT_EQ(exact->error, run->test->error);
  const auto released = evaluate_privately(run->model, *held_out, {.epsilon = 2}, ledger);
  ASSERT_TRUE(released) << released.error().message;
  EXPECT_TRUE(is_private(released->statement));
  EXPECT_EQ(only_budget(ledger).charges, 2U);
}

TEST(FrontDoor, ReleasesASketchOnceAndChargesItOnce) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  SketchRequest request;
  request.epsilon = 0.5;
  const auto outcome = make_sketch(folder.load(), request, ledger);
  ASSERT_TRUE(outcome) << outcome.error().message;
  EXPECT_TRUE(is_private(outcome->sketch.privacy()));
  EXPECT_THAT(outcome->sketch.groups(), testing::IsSupersetOf({"g0", "g1"}));
  EXPECT_EQ(only_budget(ledger).charges, 1U);
}

TEST(FrontDoor, PlansNothingThatNeedsExactGroupShares) {
  const CensusFolder folder;
  const auto planned = plan(folder.load(), {.method = Method::kDpFermiPaper, .lambda = 1});
  ASSERT_FALSE(planned);
  EXPECT_THAT(planned.error().message, HasSubstr("exact group counts"));
}

TEST(FrontDoor, AnObserverThatIsStoppedAlreadyPaysNothing) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  CountingObserver observer(0);
  const auto run = train(folder.load(), short_request(), ledger, {.observer = &observer});
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("nothing was charged"));
  const std::vector<BudgetState> budgets = ledger.budgets().value();
  for (const BudgetState& budget : budgets) EXPECT_EQ(budget.charges, 0U);
}

TEST(FrontDoor, KeepsTheAdjacencyOfTheSchemaAndRefusesAnotherOneInARequest) {
  const CensusFolder folder;
  LoadOptions options = folder.options();
  options.schema.adjacency = Adjacency::kReplaceRecord;
  EXPECT_FALSE(load(folder.table(), options)) << "bounds are not declared";
  LedgerFile ledger = folder.ledger();
  TrainingRequest request = short_request();
  request.adjacency = Adjacency::kReplaceRecord;
  const auto run = train(folder.load(), request, ledger);
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("loaded under adjacency sensitive"));
}

TEST(FrontDoor, RefusesADomainOfAColumnThatIsNotProtected) {
  const CensusFolder folder;
  LoadOptions options = folder.options();
  options.sensitive_values = {{"groups", {"g0", "g1"}}};
  const auto table = load(folder.table(), options);
  ASSERT_FALSE(table);
  EXPECT_THAT(table.error().message, HasSubstr("'groups'"));
}

TEST(FrontDoor, SaysWhetherGroupsWereDeclared) {
  const CensusFolder folder;
  EXPECT_TRUE(folder.load().groups_declared());
  LoadOptions options = folder.options();
  options.sensitive_values.clear();
  EXPECT_FALSE(load(folder.table(), options)->groups_declared());
  options.schema.sensitive = {{.column = "group", .values = {"g0", "g1"}}};
  EXPECT_TRUE(load(folder.table(), options)->groups_declared());
}

TEST(FrontDoor, JudgesAModelOnNoTableOfAnotherModel) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  const auto one = train(folder.load(), short_request(), ledger, {.seed = 1});
  const auto other = train(folder.load(), short_request(), ledger, {.seed = 2});
  ASSERT_TRUE(one && other);
  const EvaluationTable table = load_for(one->model, folder.table()).value();
  EXPECT_TRUE(evaluate_exactly(one->model, table));
  EXPECT_FALSE(evaluate_exactly(other->model, table));
  EXPECT_FALSE(evaluate_privately(other->model, table, {.epsilon = 1}, ledger));
}

TEST(FrontDoor, RefusesWhatCannotBeLoadedWithALineThatNamesTheCulprit) {
  const CensusFolder folder;
  EXPECT_THAT(load(folder / "absent.csv", folder.options()).error().message,
              HasSubstr("absent.csv: no such file"));
  LoadOptions options = folder.options();
  options.target = "wages";
  EXPECT_THAT(load(folder.table(), options).error().message, HasSubstr("wages"));
  options = folder.options();
  options.test_fraction = 1.5;
  EXPECT_EQ(load(folder.table(), options).error().kind, ErrorKind::kUsage);
}

}  // namespace
}  // namespace dpfermi
