// Whole runs: plans, threads, resuming, targets, and data that is hard to be kind to.

#include "optimize/training.h"

#include <gmock/gmock.h>

#include "data/unit_rows.h"
#include "dpfermi/evaluate/metrics.h"
#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "model/network.h"
#include "optimize/census_data.h"
#include "privacy/research_ledger.h"
#include "random/lane.h"

namespace dpfermi {
namespace {

using testing_support::census_data;
using testing_support::kFavourable;
using testing_support::seeded_noise;

TrainingResult run_training(const Dataset& data, const TrainingRequest& request,
                            unsigned threads = 1) {
  const auto plan = plan_training(request, data, kFavourable);
  EXPECT_TRUE(plan.has_value()) << plan.error().message;
  ResearchLedger ledger;
  TrainingHooks hooks;
  hooks.threads = threads;
  auto result = train(data, plan.value(), ledger, seeded_noise(1), hooks);
  EXPECT_TRUE(result.has_value()) << result.error().message;
  return std::move(result).value();
}

Metrics judge(const Dataset& data, const TrainingRequest& request, const TrainingResult& result) {
  return rule_metrics(result.rule, {data.x.columns(), data.classes, request.hidden}, result.theta,
                      data, kFavourable, Draws::kExpected)
      .value();
}

const Dataset& census() {
  static const Dataset data = census_data({.rows = 6000});
  return data;
}

TEST(Training, IsTheSameOnAnyNumberOfThreads) {
  for (const std::vector<std::size_t>& hidden : {std::vector<std::size_t>{}, {7}}) {
    for (const Method method : {Method::kDpFermi, Method::kFermi, Method::kErm}) {
      TrainingRequest request{.method = method, .hidden = hidden, .epochs = 10};
      if (method != Method::kErm) request.lambda = 2;
      request.batch = 2000;
      const std::vector<double> one = run_training(census(), request, 1).theta;
      EXPECT_EQ(run_training(census(), request, 2).theta, one);
      EXPECT_EQ(run_training(census(), request, 4).theta, one);
    }
  }
}

// What the plan promises is what the accountant says of what is charged, and within the request.
TEST(Training, ChargesWhatItPromises) {
  for (const Adjacency adjacency :
       {Adjacency::kSensitive, Adjacency::kReplaceRecord, Adjacency::kAddRemoveRecord}) {
    for (const double epsilon : {0.1, 1.0, 8.0}) {
      TrainingRequest request{.adjacency = adjacency, .epsilon = epsilon, .lambda = 1, .epochs = 5};
      request.declared_norm = 3;
      if (adjacency == Adjacency::kAddRemoveRecord) request.declared_units = 6000;
      const TrainingPlan plan = plan_training(request, census(), kFavourable).value();
      EXPECT_LE(plan.certified_epsilon, epsilon);
      EXPECT_GE(plan.certified_epsilon, 0.98 * epsilon);
      ResearchLedger ledger;
      const TrainingResult result = train(census(), plan, ledger, seeded_noise(1)).value();
      ASSERT_EQ(ledger.plans().size(), 1U);
      const PrivacyEvent whole = whole_event(ledger.plans()[0].plan.parts).value();
      const double certified =
          certified_epsilon(whole, plan.delta, {.tolerance = 1e-4}).value().upper;
      EXPECT_LE(certified, plan.certified_epsilon * 1.001);
      EXPECT_EQ(result.statement.cost->epsilon, plan.certified_epsilon);
      EXPECT_EQ(result.statement.adjacency, adjacency);
      EXPECT_EQ(result.statement.releases.size(), features_are_public(adjacency) ? 3U : 2U);
    }
  }
}

TEST(Training, ReleasesNothingWithoutAFairnessTerm) {
  for (const Method method : {Method::kErm, Method::kDpFermi}) {
    const TrainingRequest request{.method = method, .lambda = 0, .epochs = 5};
    const TrainingPlan plan = plan_training(request, census(), kFavourable).value();
    ResearchLedger ledger;
    const TrainingResult result = train(census(), plan, ledger, seeded_noise(1)).value();
    EXPECT_TRUE(ledger.plans().empty());
    ASSERT_TRUE(result.statement.cost.has_value());
    EXPECT_EQ(result.statement.cost->epsilon, 0);
  }
  const TrainingResult exact =
      run_training(census(), {.method = Method::kFermi, .lambda = 1, .epochs = 5});
  EXPECT_FALSE(exact.statement.cost.has_value());
}

// lambda makes it fairer; a target is met; both cost accuracy and neither costs more privacy.
TEST(Training, TradesErrorForFairness) {
  const TrainingRequest plain{.method = Method::kErm};
  const Metrics unfair = judge(census(), plain, run_training(census(), plain));
  const TrainingRequest weighted{.epsilon = 3, .lambda = 8};
  const Metrics fair = judge(census(), weighted, run_training(census(), weighted));
  const double gap = unfair.fairness->violation[FairnessNotion::kDemographicParity];
  EXPECT_GT(gap, 0.14);
  EXPECT_LT(fair.fairness->violation[FairnessNotion::kDemographicParity], gap / 3);
  EXPECT_LT(unfair.error, fair.error);
  EXPECT_LT(fair.error, 0.45);
  for (const double target : {0.05, 0.1}) {
    const TrainingRequest steered{.epsilon = 3, .max_violation = target};
    const TrainingResult result = run_training(census(), steered);
    const Metrics metrics = judge(census(), steered, result);
    EXPECT_NEAR(metrics.fairness->violation[FairnessNotion::kDemographicParity], target, 0.025)
        << result.lambda;
  }
}

// A declared but empty group is neither compared nor does it pull at W. With
// noise, who is compared follows from released counts; both runs have the same seed but not the
// same noise, hence the wider bound.
TEST(Training, AnEmptyGroupChangesNothing) {
  Dataset declared = census_data({.rows = 6000});
  ++declared.groups;
  for (const Method method : {Method::kFermi, Method::kDpFermi, Method::kSketch}) {
    const TrainingRequest request{.method = method, .epsilon = 3, .max_violation = 0.05};
    const Metrics without = judge(census(), request, run_training(census(), request));
    const TrainingResult result = run_training(declared, request);
    const Metrics with = judge(declared, request, result);
    const double bound = method == Method::kFermi ? 0.002 : 0.02;
    EXPECT_NEAR(with.error, without.error, bound) << to_string(method);
    EXPECT_NEAR(with.fairness->violation[FairnessNotion::kDemographicParity],
                without.fairness->violation[FairnessNotion::kDemographicParity], 1.5 * bound)
        << to_string(method);
  }
}

// Who stands for a person in the counts depends on that person alone: without the first person,
// everybody else is counted as before.
TEST(Training, PersonsAreCountedByTheirOwnRows) {
  const auto persons = [](std::uint32_t first) {
    Dataset data = census_data({.rows = 400});
    data.persons = true;
    data.units.clear();
    for (std::uint32_t row = 0; row < data.rows(); ++row) data.units.push_back(row / 4);
    data.unit_count = 100;
    const UnitRows rows(data);
    std::vector<std::uint32_t> chosen;
    for (std::uint32_t unit = first; unit < 100; ++unit)
      chosen.push_back(rows.representative(unit));
    return chosen;
  };
  EXPECT_EQ(persons(1)[0], 4U);
  EXPECT_EQ(persons(0)[1], persons(1)[0]);
}

// One row each, but an id column: still summed as persons are.
TEST(Training, UnitsArePersonsWhereThereIsAnIdColumn) {
  Dataset data = census_data({.rows = 50});
  EXPECT_TRUE(UnitRows(data).single());
  data.persons = true;
  EXPECT_FALSE(UnitRows(data).single());
}

TEST(Training, RefusesAPlanThatPromisesLessThanItCosts) {
  TrainingPlan plan = plan_training({.lambda = 1, .epochs = 2}, census(), kFavourable).value();
  plan.noise_multiplier /= 2;
  ResearchLedger ledger;
  EXPECT_FALSE(train(census(), plan, ledger, seeded_noise(1)).has_value());
  EXPECT_TRUE(ledger.plans().empty());
}

TEST(Training, RecordAdjacenciesLearnToo) {
  for (const Adjacency adjacency : {Adjacency::kReplaceRecord, Adjacency::kAddRemoveRecord}) {
    TrainingRequest request{.adjacency = adjacency, .epsilon = 4, .lambda = 1};
    request.declared_norm = 3.5;
    if (adjacency == Adjacency::kAddRemoveRecord) request.declared_units = 6000;
    const Metrics metrics = judge(census(), request, run_training(census(), request));
    EXPECT_LT(metrics.error, 0.4) << to_string(adjacency);
  }
}

// A run of a fixed seed that is taken up from a checkpoint ends where it would have ended.
TEST(Training, ResumesWhereItStopped) {
  const TrainingRequest request{.max_violation = 0.1, .epochs = 10};
  const TrainingPlan plan = plan_training(request, census(), kFavourable).value();
  ResearchLedger ledger;
  std::vector<TrainingCheckpoint> checkpoints;
  TrainingHooks hooks;
  hooks.checkpoint_every = plan.steps / 3;
  hooks.checkpoint = [&](const TrainingCheckpoint& checkpoint) -> Status {
    checkpoints.push_back(checkpoint);
    return {};
  };
  const TrainingResult whole = train(census(), plan, ledger, seeded_noise(1), hooks).value();
  ASSERT_GE(checkpoints.size(), 2U);
  for (const TrainingCheckpoint& checkpoint : std::vector(checkpoints)) {
    hooks.resume = &checkpoint;
    const TrainingResult again = train(census(), plan, ledger, seeded_noise(1), hooks).value();
    EXPECT_EQ(again.theta, whole.theta);
    EXPECT_EQ(again.lambda, whole.lambda);
  }
}

TEST(Training, SecretNoisePaysForReplays) {
  TrainingRequest request{.lambda = 1, .epochs = 2};
  for (const std::uint64_t spare : {0U, 20U}) {
    request.spare_steps = spare;
    const TrainingPlan plan = plan_training(request, census(), kFavourable).value();
    ResearchLedger ledger;
    std::optional<TrainingCheckpoint> first;
    TrainingHooks hooks;
    hooks.checkpoint_every = 10;
    hooks.checkpoint = [&](const TrainingCheckpoint& checkpoint) -> Status {
      if (!first) first = checkpoint;
      return {};
    };
    hooks.progress = [](const TrainingProgress& now) { return now.step < 15; };  // "crash"
    ASSERT_TRUE(train(census(), plan, ledger, NoiseSource(SecretKey::from_os().value()), hooks));
    hooks.progress = {};
    hooks.resume = &*first;
    const auto resumed =
        train(census(), plan, ledger, NoiseSource(SecretKey::from_os().value()), hooks);
    EXPECT_EQ(resumed.has_value(), spare > 0);
    if (resumed) continue;
    EXPECT_EQ(resumed.error().kind, ErrorKind::kBudgetRefused);
  }
}

TEST(Training, StopsWhenAsked) {
  const TrainingPlan plan =
      plan_training({.lambda = 1, .epochs = 10}, census(), kFavourable).value();
  ResearchLedger ledger;
  TrainingHooks hooks;
  hooks.progress = [](const TrainingProgress& now) { return now.step < 7; };
  EXPECT_EQ(train(census(), plan, ledger, seeded_noise(1), hooks).value().steps, 7U);
}

// Before the first step nothing is charged, however long the model without fairness takes.
TEST(Training, AStartThatIsStoppedCostsNothing) {
  for (const std::vector<std::size_t>& hidden : {std::vector<std::size_t>{}, {20, 20}}) {
    const TrainingPlan plan =
        plan_training({.method = Method::kDpFermi, .lambda = 1, .hidden = hidden}, census(),
                      kFavourable)
            .value();
    double last = -1;
    std::size_t calls = 0;
    TrainingHooks hooks;
    hooks.progress = [&](const TrainingProgress& now) {
      EXPECT_EQ(now.step, 0U);
      EXPECT_GE(now.start, last);
      EXPECT_LT(now.start, 1);
      last = now.start;
      return ++calls < 40;
    };
    ResearchLedger ledger;
    const auto stopped = train(census(), plan, ledger, seeded_noise(1), hooks);
    ASSERT_FALSE(stopped.has_value());
    EXPECT_THAT(stopped.error().message, testing::HasSubstr("nothing was charged"));
    EXPECT_TRUE(ledger.plans().empty());
    EXPECT_EQ(calls, 40U);
  }
}

// Of two labels about which no input says anything, the commoner one is the best model. Odds are
// released by label, so that the run can tell; with parity it cannot.
TEST(Training, ReleasedOddsShowThatAConstantIsBetterWhereRecordsAreProtected) {
  Dataset data = census();
  for (std::size_t i = 0; i < data.rows(); ++i) data.y[i] = i % 10 == 0 ? 1 : 0;
  TrainingRequest request{.notion = FairnessNotion::kEqualizedOdds,
                          .adjacency = Adjacency::kReplaceRecord,
                          .epsilon = 1,
                          .max_violation = 0.05};
  request.declared_norm = 3;
  request.theta_rate = 50;  // noise drowns the model
  const TrainingResult odds = run_training(data, request);
  EXPECT_THAT(odds.returned, testing::StartsWith("the constant: by released figures"));
  EXPECT_EQ(odds.target->met, true);
  EXPECT_NEAR(judge(data, request, odds).error, 0.1, 1e-9);
  request.notion = FairnessNotion::kDemographicParity;
  EXPECT_EQ(run_training(data, request).returned, "");
}

TEST(Training, ManyClassesAndGroupsStayStable) {
  const Dataset data = census_data({.rows = 8000, .groups = 6, .classes = 4});
  for (const FairnessNotion notion :
       {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds,
        FairnessNotion::kEqualOpportunity}) {
    const TrainingRequest plain{.method = Method::kErm, .notion = notion};
    const TrainingRequest request{.notion = notion, .epsilon = 3, .lambda = 5};
    const Metrics before = judge(data, plain, run_training(data, plain));
    const Metrics after = judge(data, request, run_training(data, request));
    EXPECT_TRUE(std::isfinite(after.error));
    EXPECT_LT(after.error, before.error + 0.2);
    // Where noise hides the groups, the model without fairness is returned, fully converged.
    EXPECT_LE(after.fairness->soft_ermi[FairnessNotion::kDemographicParity],
              1.05 * before.fairness->soft_ermi[FairnessNotion::kDemographicParity]);
  }
}

/// Rows with one number, one category, a label and a group.
Dataset tiny(std::size_t n, const std::function<float(std::size_t)>& x,
             const std::function<std::size_t(std::size_t)>& y,
             const std::function<std::size_t(std::size_t)>& s) {
  Dataset data;
  data.x = HybridMatrix(n, 1, 1, 3);
  std::vector<std::uint16_t> groups;
  for (std::size_t i = 0; i < n; ++i) {
    data.x.row(i).numbers[0] = x(i);
    data.x.row(i).ones[0] = 1;  // a constant column
    data.y.push_back(static_cast<std::uint16_t>(y(i)));
    groups.push_back(static_cast<std::uint16_t>(s(i)));
    data.units.push_back(static_cast<std::uint32_t>(i));
  }
  data.s = Protected(std::move(groups));
  data.classes = 2;
  data.groups = 3;
  data.unit_count = n;
  return data;
}

// A group of three, a group missing from a label, a constant column, a separable target, n = 50,
// lambda = 1e6, in all combinations: finite parameters, no failure.
TEST(Training, HardCasesGiveASaneModel) {
  const auto separable = [](std::size_t i) { return i % 2; };
  const auto number = [](std::size_t i) { return i % 2 == 0 ? -1.0F : 1.0F; };
  const auto rare = [](std::size_t i) { return i < 3 ? 2U : (i % 2 == 0 ? 0U : i % 3 == 0); };
  for (const std::size_t n : {50U, 1000U}) {
    const Dataset data = tiny(n, number, separable, rare);
    for (const FairnessNotion notion :
         {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds,
          FairnessNotion::kEqualOpportunity}) {
      for (const double lambda : {1.0, 1e6}) {
        for (const double epsilon : {1.0, 20.0}) {
          for (const std::vector<std::size_t>& hidden : {std::vector<std::size_t>{}, {3}}) {
            TrainingRequest request{
                .notion = notion, .epsilon = epsilon, .lambda = lambda, .hidden = hidden};
            request.epochs = 20;
            const TrainingResult result = run_training(data, request);
            const Metrics metrics = judge(data, request, result);
            EXPECT_TRUE(std::isfinite(metrics.error));
            for (const double value : result.theta) ASSERT_TRUE(std::isfinite(value));
          }
        }
      }
    }
  }
}

TEST(Training, NextToNoBudgetGivesASaneModel) {
  TrainingRequest request{.epsilon = 1e-3, .lambda = 1e6};
  request.epochs = 20;
  const TrainingResult result = run_training(census_data({.rows = 50}), request);
  for (const double value : result.theta) ASSERT_TRUE(std::isfinite(value));
}

TEST(Training, RefusesWhatMakesNoSense) {
  const auto message = [](const TrainingRequest& request) {
    const auto plan = plan_training(request, census(), kFavourable);
    return plan ? std::string() : plan.error().message;
  };
  using testing::HasSubstr;
  EXPECT_THAT(message({.epsilon = 0}), HasSubstr("`epsilon`"));
  EXPECT_THAT(message({.epsilon = NAN}), HasSubstr("`epsilon`"));
  EXPECT_THAT(message({.delta = 1.0}), HasSubstr("`delta`"));
  EXPECT_THAT(message({.lambda = -1}), HasSubstr("`lambda`"));
  EXPECT_THAT(message({.lambda = 1, .max_violation = 0.1}), HasSubstr("exclude"));
  EXPECT_THAT(message({.max_violation = 1.5}), HasSubstr("`max_violation`"));
  EXPECT_THAT(message({.adjacency = Adjacency::kReplaceRecord}), HasSubstr("bounds"));
  TrainingRequest unknown_n{.adjacency = Adjacency::kAddRemoveRecord};
  unknown_n.declared_norm = 1;
  EXPECT_THAT(message(unknown_n), HasSubstr("`declared_units`"));
}

TEST(Training, TheTheoremsPlanRuns) {
  TrainingRequest request{.lambda = 1};
  request.theorem_plan = true;
  const TrainingPlan plan = plan_training(request, census(), kFavourable).value();
  EXPECT_EQ(plan.dual, DualRule::kAscent);
  EXPECT_EQ(plan.iterate, IterateRule::kRandom);
  request.epochs = 5;
  const TrainingResult result = run_training(census(), request);
  for (const double value : result.theta) ASSERT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace dpfermi
