// Nothing protected is read before the ledger has agreed.

#include <gmock/gmock.h>

#include "optimize/census_data.h"
#include "optimize/dp_fermi.h"
#include "optimize/linear_network.h"
#include "optimize/refusing_ledger.h"
#include "privacy/research_ledger.h"
#include "random/lane.h"

namespace dpfermi {
namespace {

using testing_support::census_data;
using testing_support::kFavourable;
using testing_support::LinearNetwork;
using testing_support::RefusingLedger;
using testing_support::seeded_noise;
using testing_support::without_groups;

const Dataset& charged_census() {
  static const Dataset data = census_data({.rows = 400});
  return data;
}

TrainingPlan charged_plan(TrainingRequest request) {
  if (request.method != Method::kErm) request.lambda = 1;
  if (!features_are_public(request.adjacency)) request.declared_norm = 3;
  request.epochs = 2;
  return plan_training(request, charged_census(), kFavourable).value();
}

/// Plans that read something protected.
std::vector<TrainingPlan> charged_plans() {
  std::vector<TrainingPlan> plans;
  for (const Method method :
       {Method::kDpFermi, Method::kDpFermiPaper, Method::kFermi, Method::kSketch}) {
    plans.push_back(charged_plan({.method = method}));
  }
  for (const Method method :
       {Method::kDpFermi, Method::kDpFermiPaper, Method::kFermi, Method::kErm}) {
    plans.push_back(charged_plan({.method = method, .adjacency = Adjacency::kReplaceRecord}));
  }
  return plans;
}

TEST(Charge, ALedgerThatRefusesStopsEveryMethodBeforeItReads) {
  const Dataset blind = without_groups(charged_census());
  for (const TrainingPlan& plan : charged_plans()) {
    EXPECT_TRUE(reads_protected(plan)) << to_string(plan.method);
    RefusingLedger ledger;
    TrainingHooks hooks;
    hooks.progress = [](const TrainingProgress& now) {
      EXPECT_LT(now.start, 1) << "a step was made";
      return now.start < 1;
    };
    const auto result = train(blind, plan, ledger, seeded_noise(1), hooks);
    ASSERT_FALSE(result.has_value()) << to_string(plan.method);
    EXPECT_EQ(result.error().kind, ErrorKind::kBudgetRefused) << result.error().message;
  }
}

TEST(Charge, ALedgerThatRefusesStopsANetworkWithoutNoise) {
  const std::size_t parameters =
      ModelSpec{charged_census().x.columns(), charged_census().classes, {}}.parameter_count();
  const Dataset blind = without_groups(charged_census());
  LinearNetwork network(charged_census(), std::vector<double>(parameters));
  TrainingHooks hooks;
  hooks.deep_network = &network;
  TrainingRequest request{.method = Method::kFermi};
  request.network_scale = {parameters, 1 + charged_census().x.mean_square()};
  RefusingLedger ledger;
  const auto result = exact_fermi(blind, charged_plan(request), ledger, seeded_noise(1), hooks);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::kBudgetRefused);
}

TEST(Charge, TrainingThatReadsNothingProtectedNeedsNoBudget) {
  const Dataset blind = without_groups(charged_census());
  RefusingLedger ledger;
  const TrainingPlan plan = charged_plan({.method = Method::kErm});
  EXPECT_FALSE(reads_protected(plan));
  EXPECT_TRUE(train(blind, plan, ledger, seeded_noise(1)).has_value());
}

// Nothing is compared, so that nothing is merged: counting the groups would read them uncharged.
TEST(Charge, WithoutLambdaNoGroupIsCountedToBeMerged) {
  const Dataset blind = without_groups(charged_census());
  TrainingRequest request{.method = Method::kDpFermi, .lambda = 0, .merge_small = 50};
  const TrainingPlan plan = plan_training(request, blind, kFavourable).value();
  EXPECT_FALSE(reads_protected(plan));
  RefusingLedger ledger;
  const auto result = train(blind, plan, ledger, seeded_noise(1));
  ASSERT_TRUE(result.has_value()) << result.error().message;
  EXPECT_TRUE(result->merged.empty());
}

TEST(Charge, TrainingWithoutNoiseIsChargedAndStatedOnce) {
  for (const Adjacency adjacency : {Adjacency::kSensitive, Adjacency::kReplaceRecord}) {
    const TrainingPlan plan = charged_plan({.method = Method::kFermi, .adjacency = adjacency});
    EXPECT_TRUE(reads_exactly(plan));
    ResearchLedger ledger;
    const TrainingResult result = train(charged_census(), plan, ledger, seeded_noise(1)).value();
    ASSERT_EQ(ledger.charges().size(), 1U);
    EXPECT_EQ(ledger.charges()[0].purpose, "training without noise (fermi)");
    EXPECT_TRUE(ledger.charges()[0].fixed_seed);
    EXPECT_FALSE(result.statement.cost.has_value());
    ASSERT_EQ(result.statement.releases.size(), 1U);
    EXPECT_EQ(result.statement.releases[0].purpose, "training without noise (fermi)");
  }
}

TEST(Charge, WhatIsReadExactlyDependsOnMethodAndAdjacency) {
  EXPECT_FALSE(reads_exactly(charged_plan({.method = Method::kDpFermi})));
  EXPECT_TRUE(reads_protected(charged_plan({.method = Method::kDpFermi})));
  EXPECT_TRUE(reads_exactly(
      charged_plan({.method = Method::kErm, .adjacency = Adjacency::kReplaceRecord})));
  TrainingPlan unfair = charged_plan({.method = Method::kFermi});
  unfair.notion = FairnessNotion::kNone;
  EXPECT_FALSE(reads_protected(unfair));
}

}  // namespace
}  // namespace dpfermi
