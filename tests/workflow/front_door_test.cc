#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

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
  // Unmeasured, the trained model is returned: it is different with every noise.
  TrainingRequest request = short_request();
  request.residual_rounds = 0;
  const auto first = train(table, request, ledger, {.seed = 7});
  const auto second = train(table, request, ledger, {.seed = 7, .threads = 2});
  const auto other = train(table, request, ledger, {.seed = 8});
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

/// Counts what it is told about the steps of a task, and stops a run after some of them.
class CountingObserver final : public Observer {
 public:
  explicit CountingObserver(int stop_after, std::string counted = "training")
      : stop_after_(stop_after), counted_(std::move(counted)) {}
  void begin_task(const Task& task) override {
    tasks.push_back(task.name);
    open_.push_back(task.name);
  }
  void advance_task(double, double) override { steps += open_.back() == counted_ ? 1 : 0; }
  void end_task() override {
    open_.pop_back();
    ++ended;
  }
  void note(std::string_view line) override { notes.emplace_back(line); }
  bool interrupted() override { return steps >= stop_after_; }

  std::vector<std::string> tasks, notes;
  int steps = 0;
  int ended = 0;

 private:
  int stop_after_;
  std::string counted_;
  std::vector<std::string> open_;
};

TEST(FrontDoor, ReportsProgressToItsObserverAndStopsWhenAsked) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  CountingObserver observer(5);
  const auto run = train(folder.load(), short_request(), ledger, {.observer = &observer});
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("interrupted at step 5"));
  EXPECT_THAT(run.error().message, HasSubstr("all of it stays charged"));
  EXPECT_EQ(observer.steps, 5);
  EXPECT_THAT(observer.tasks, testing::ElementsAre("training", "start"));
  EXPECT_EQ(observer.ended, 2);
  EXPECT_EQ(only_budget(ledger).charges, 1U);
}

TEST(FrontDoor, ARunThatIsStoppedBeforeItsFirstStepCostsNothing) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  CountingObserver observer(5, "start");
  const auto run = train(folder.load(), short_request(), ledger, {.observer = &observer});
  ASSERT_FALSE(run);
  EXPECT_EQ(run.error().message, "interrupted: nothing was charged, and no model was written");
  EXPECT_EQ(observer.steps, 5);
  EXPECT_EQ(observer.ended, 2);
  const auto budgets = ledger.budgets();
  EXPECT_TRUE(budgets->empty() || budgets->front().charges == 0);
}

TEST(FrontDoor, KeepsTheRecordOfAStoppedRunWithoutNoise) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  CountingObserver observer(5);
  TrainingRequest request = short_request();
  request.method = Method::kFermi;
  const auto run = train(folder.load(), request, ledger, {.observer = &observer});
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("stays recorded as a run without noise"));
  EXPECT_THAT(run.error().message, testing::Not(HasSubstr("epsilon")));
  EXPECT_EQ(only_budget(ledger).charges, 1U);
}

TEST(FrontDoor, GoesOnFromACheckpointAsIfTheRunHadNotStopped) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  const LoadedTable table = folder.load();
  CountingObserver stopping(5);
  RunOptions options{.seed = 7, .observer = &stopping};
  options.checkpoint = folder / "run.checkpoint";
  options.checkpoint_every = 2;
  ASSERT_FALSE(train(table, short_request(), ledger, options));
  options.observer = nullptr;
  options.resume = options.checkpoint;
  const auto resumed = train(table, short_request(), ledger, options);
  ASSERT_TRUE(resumed) << resumed.error().message;
  options.resume.clear();
  const auto whole = train(table, short_request(), ledger, options);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_EQ(resumed->model.parts().theta, whole->model.parts().theta);
  EXPECT_EQ(only_budget(ledger).charges, 2U);
}

/// Damages the ledger once the last step is done.
class DamagingObserver final : public Observer {
 public:
  explicit DamagingObserver(std::string ledger) : ledger_(std::move(ledger)) {}
  void advance_task(double done, double total) override {
    if (done == total) std::ofstream(ledger_, std::ios::trunc) << "no ledger";
  }
  void note(std::string_view line) override { notes.emplace_back(line); }

  std::vector<std::string> notes;

 private:
  std::string ledger_;
};

TEST(FrontDoor, ReturnsAModelThatIsPaidForWhereTheRunCannotBeClosed) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  DamagingObserver observer(folder / "people.db");
  TrainingRequest request = short_request();
  request.residual_rounds = 0;  // the last step is the last release
  const auto run = train(folder.load(), request, ledger, {.observer = &observer});
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_TRUE(is_private(run->model.privacy()));
  EXPECT_FALSE(observer.notes.empty());
  EXPECT_GT(run->train.rows, 0U);
}

std::string text_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// Replaces the first `old` in a file.
void rewrite(const std::string& path, const std::string& old, const std::string& now) {
  std::string text = text_of(path);
  text.replace(text.find(old), old.size(), now);
  std::ofstream(path, std::ios::trunc) << text;
}

TEST(FrontDoor, ChargesNothingForATableThatHasChangedSinceItWasLoaded) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  const LoadedTable table = folder.load();
  rewrite(folder.table(), "sector_00", "sector_01");
  const auto run = train(table, short_request(), ledger);
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("people.csv: has changed since it was read"));
  EXPECT_TRUE(ledger.budgets()->empty());
  EXPECT_TRUE(train(folder.load(), short_request(), ledger));
}

TEST(FrontDoor, ChargesNothingWhereTheFileOfProtectedColumnsHasChanged) {
  const CensusFolder folder;
  std::ofstream table(folder / "table.csv");
  std::ofstream groups(folder / "groups.csv");
  table << "key,x,income\n";
  groups << "key,group\n";
  for (int i = 0; i < 200; ++i) {
    table << i << ',' << i % 17 << ',' << (i % 3 == 0 ? "high" : "low") << '\n';
    groups << i << ",g" << i % 2 << '\n';
  }
  table.close();
  groups.close();
  LoadOptions options = folder.options();
  options.schema.sensitive_file = folder / "groups.csv";
  options.schema.join = "key";
  LedgerFile ledger = folder.ledger();
  const auto loaded = load(folder / "table.csv", options);
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_TRUE(train(*loaded, short_request(), ledger));
  rewrite(folder / "groups.csv", "199,g1", "200,g1");
  const auto run = train(*loaded, short_request(), ledger);
  ASSERT_FALSE(run);
  EXPECT_THAT(run.error().message, HasSubstr("groups.csv: has changed since it was read"));
  EXPECT_EQ(only_budget(ledger).charges, 1U);
}

TEST(FrontDoor, TrainsFromASketchOfTheTableAtNoCost) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  const auto released = make_sketch(folder.load(), {}, ledger);
  ASSERT_TRUE(released) << released.error().message;
  const TrainingRequest request{.method = Method::kSketch, .lambda = 2};
  const auto run = train(folder.load(), released->sketch, request);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_EQ(run->model.groups(), released->sketch.groups());
  EXPECT_EQ(only_budget(ledger).charges, 1U);
  LoadOptions other = folder.options();
  other.split_seed = 2;
  const auto refused = train(load(folder.table(), other).value(), released->sketch, request);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
}

TEST(FrontDoor, PredictsRowsThatHaveNoLabels) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  const auto run = train(folder.load(), short_request(), ledger);
  ASSERT_TRUE(run) << run.error().message;
  const auto known = predict(run->model, folder.table());
  ASSERT_TRUE(known) << known.error().message;
  EXPECT_EQ(known->decisions.size(), 1200U);
  EXPECT_EQ(known->probabilities.size(), 2400U);
  std::istringstream lines(text_of(folder.table()));
  std::ofstream unknown(folder / "unknown.csv");
  for (std::string line; std::getline(lines, line);) {
    unknown << line.substr(0, line.rfind(',')) << '\n';
  }
  unknown.close();
  const auto predicted = predict(run->model, folder / "unknown.csv");
  ASSERT_TRUE(predicted) << predicted.error().message;
  EXPECT_EQ(predicted->decisions, known->decisions);
  EXPECT_FALSE(predict(run->model, folder / "absent.csv"));
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
  EXPECT_THAT(observer.notes,
              testing::ElementsAre(HasSubstr("favourable"), HasSubstr("method auto takes"),
                                   HasSubstr("cannot be told from noise")));
}

TEST(FrontDoor, JudgesAModelExactlyForTheHolderAndPrivatelyForOthers) {
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
  EXPECT_FALSE(load(folder.table(), options));
  options.groups_from_data = true;
  const LoadedTable undeclared = load(folder.table(), options).value();
  EXPECT_FALSE(undeclared.groups_declared());
  LedgerFile ledger = folder.ledger();
  const auto run = train(undeclared, short_request(), ledger);
  ASSERT_TRUE(run) << run.error().message;
  EXPECT_FALSE(run->model.privacy().domain_declared);
  EXPECT_THAT(to_json(run->model.privacy()), HasSubstr("groups, which was read from the data"));
  options.schema.sensitive = {{.column = "group", .values = {"g0", "g1"}}};
  EXPECT_TRUE(load(folder.table(), options)->groups_declared());
}

TEST(FrontDoor, RefusesToJudgeAModelOnTheTableOfAnother) {
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

TEST(FrontDoor, RefusesWhatCannotBeLoadedAndNamesTheCause) {
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
