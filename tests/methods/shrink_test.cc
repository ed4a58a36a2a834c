// A method that the library does not bring, in a separate file, is found by name and trained like
// the others.

#include <gmock/gmock.h>

#include <set>

#include "artifact/trained_model.h"
#include "dpfermi/dpfermi.h"
#include "dpfermi/methods/registry.h"
#include "experiment/census_source.h"
#include "experiment/figures.h"
#include "experiment/sweep.h"
#include "methods/register_method.h"
#include "privacy/research_ledger.h"
#include "workflow/census_file.h"

namespace dpfermi {
namespace methods {
extern const MethodDescriptor shrink;
}  // namespace methods

namespace {

using testing::HasSubstr;
using testing_support::CensusFolder;

constexpr Method kShrink{methods::shrink};

const bool registered = register_method(kShrink).has_value();

TEST(EveryMethod, IsDescribedAndCanBeTrained) {
  std::set<int> places;
  for (const Method method : all_methods()) {
    EXPECT_EQ(find_method(method->name), method);
    EXPECT_EQ(parse_method(method->name).value(), method);
    EXPECT_FALSE(method->origin.empty()) << method->name;
    EXPECT_FALSE(method->summary.empty()) << method->name;
    EXPECT_EQ(method->plan != nullptr, method->train_plan != nullptr) << method->name;
    EXPECT_NE(method->plan != nullptr, method->is_baseline()) << method->name;
    EXPECT_FALSE(method->train && method->train_exactly) << method->name;
    if (method->is_baseline()) {
      EXPECT_EQ(method->train != nullptr, method->is_private()) << method->name;
    }
    EXPECT_EQ(method->knob == Knob::kNone, method->knob_meaning.empty()) << method->name;
    EXPECT_TRUE(method->place == 0 || places.insert(method->place).second) << method->name;
  }
}

TEST(NewMethod, IsFoundByItsName) {
  EXPECT_TRUE(registered);
  EXPECT_EQ(all_methods().back(), kShrink);
  EXPECT_EQ(baselines().back(), kShrink);
  EXPECT_EQ(known_method("shrink").value(), kShrink);
  EXPECT_THAT(known_method("shrnk").error().message, HasSubstr("did you mean 'shrink'?"));
}

TEST(NewMethod, NeedsAnUnusedNameAndAWayToTrain) {
  EXPECT_THAT(register_method(kShrink).error().message, HasSubstr("'shrink' already"));
  static constexpr MethodDescriptor kIdle = {.name = "idle"};
  EXPECT_THAT(register_method(Method(kIdle)).error().message, HasSubstr("cannot be trained"));
}

TEST(NewMethod, IsTrainedAndCharged) {
  const CensusFolder folder;
  const LoadedTable table = folder.load();
  LedgerFile ledger = folder.ledger();
  double last = 1;
  for (const double lambda : {0.0, 2.0, 100.0}) {
    const auto run = train(table, {.method = kShrink, .lambda = lambda}, ledger, {.seed = 1});
    ASSERT_TRUE(run) << run.error().message;
    EXPECT_EQ(run->model.parts().training.method, "shrink");
    EXPECT_EQ(run->model.parts().training.lambda, lambda);
    EXPECT_FALSE(is_private(run->model.privacy()));
    const double violation = run->train.fairness->violation[FairnessNotion::kDemographicParity];
    EXPECT_LT(violation, last);
    last = violation;
  }
  EXPECT_EQ(ledger.budgets()->front().charges, 3U);
}

TEST(NewMethod, IsRefusedWhatItsDescriptorDoesNotOffer) {
  const CensusFolder folder;
  const LoadedTable table = folder.load();
  LedgerFile ledger = folder.ledger();
  const auto message = [&](const TrainingRequest& request) {
    return train(table, request, ledger).error().message;
  };
  EXPECT_THAT(message({.method = kShrink, .max_violation = 0.1}), HasSubstr("give it a lambda"));
  EXPECT_THAT(message({.method = kShrink, .hidden = {3}}), HasSubstr("is a regression"));
  EXPECT_THAT(plan(table, {.method = kShrink}).error().message, HasSubstr("our own methods"));
}

TEST(NewMethod, IsSweptLikeTheOthers) {
  Grid grid{.title = "census", .seed = 3, .splits = 1, .blocks = {}};
  grid.blocks.push_back(
      {.datasets = {"census"}, .methods = {"shrink"}, .epsilons = {}, .lambdas = {1, 4}});
  const std::vector<RunSpec> runs = expand(grid, true).value();
  ASSERT_EQ(runs.size(), 2U);
  const SplitData data =
      encode_split(testing_support::census_source(600), Protocol::kHonest, 0, 0).value();
  ResearchLedger ledger;
  const auto record = run_experiment(runs[0], data, ledger);
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_FALSE(record->privacy.has_value());
}

TEST(NewMethod, IsInEveryPanelOfTheFigures) {
  Grid grid = figure_grid("adult-eo").value();
  add_baselines(grid);
  EXPECT_THAT(grid.blocks.back().methods, testing::ElementsAre("shrink"));
  EXPECT_THAT(grid.blocks.back().lambdas, testing::ElementsAre(0, 0.5, 1, 2, 4));
}

}  // namespace
}  // namespace dpfermi
