#include "dpfermi/evaluate/private_metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "dpfermi/evaluate/metrics.h"
#include "evaluate/judged_rows.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;
using testing_support::Counts;
using testing_support::Judged;

const Counts kCounts{2, 2, {3000, 600, 400, 1000, 2800, 400, 600, 1200}};

EvaluationPlan plan_for(const Judged& judged, Adjacency adjacency, double epsilon = 1) {
  return plan_evaluation({adjacency, epsilon, 1e-6, {}}, judged.data).value();
}

/// Of the same rows, by the exact path.
FairnessMetrics exact_of(const Judged& judged) {
  std::vector<float> probabilities;
  for (const std::uint16_t decision : judged.decisions) {
    for (std::uint16_t j = 0; j < judged.data.classes; ++j) {
      probabilities.push_back(j == decision ? 1 : 0);
    }
  }
  return exact_metrics(probabilities, judged.data, 1)->fairness.value();
}

TEST(PrivateMetrics, AreTheExactOnesWhereThereIsHardlyAnyNoise) {
  for (const std::size_t classes : {2U, 3U}) {
    std::vector<double> cells;
    for (std::size_t i = 0; i < 2 * classes * classes; ++i) {
      cells.push_back(40000 + 7000 * static_cast<double>(i * i % 11));
    }
    const Judged judged = testing_support::rows_of({2, classes, cells});
    const FairnessMetrics exact = exact_of(judged);
    const NoisyTable table =
        testing_support::release(plan_for(judged, Adjacency::kSensitive, 20), judged, 1);
    const PrivateMetrics noisy = private_metrics(table, 1);
    EXPECT_NEAR(*noisy.violation[FairnessNotion::kDemographicParity].value,
                exact.violation[FairnessNotion::kDemographicParity], 1e-3);
    EXPECT_NEAR(*noisy.violation[FairnessNotion::kEqualizedOdds].value,
                exact.violation[FairnessNotion::kEqualizedOdds], 1e-3);
    EXPECT_NEAR(*noisy.violation[FairnessNotion::kEqualOpportunity].value,
                exact.violation[FairnessNotion::kEqualOpportunity], 1e-3);
    for (std::size_t r = 0; r < 2; ++r) {
      const PrivateGroup& group = noisy.groups[r];
      ASSERT_EQ(group.rate.size(), classes);
      for (std::size_t j = 0; j < classes; ++j) {
        EXPECT_NEAR(*group.rate[j].value, exact.groups[r].rate[j], 1e-3);
      }
      EXPECT_NEAR(*group.error.value, *exact.groups[r].error, 1e-3);
      EXPECT_NEAR(*group.true_positive_rate.value, *exact.groups[r].true_positive_rate, 1e-3);
      EXPECT_NEAR(*group.false_positive_rate.value, *exact.groups[r].false_positive_rate, 1e-3);
      EXPECT_LT(group.error.interval.high - group.error.interval.low, 1e-3);
      const Performance& performance = *exact.groups[r].performance;
      EXPECT_NEAR(*group.balanced_error.value, *performance.balanced_error, 1e-3);
      EXPECT_NEAR(*group.precision.value, *performance.precision, 1e-3);
      EXPECT_LT(group.precision.interval.high - group.precision.interval.low, 3e-3);
      EXPECT_NEAR(*group.true_positive_rate.value, *performance.recall, 1e-3);
    }
  }
}

TEST(PrivateMetrics, UseWhatIsPublic) {
  const Judged judged = testing_support::rows_of(kCounts);
  const NoisyTable open =
      testing_support::release(plan_for(judged, Adjacency::kSensitive), judged, 1);
  for (std::size_t column = 0; column < 4; ++column) {
    EXPECT_NEAR(open.counts[column] + open.counts[4 + column],
                kCounts.cells[column] + kCounts.cells[4 + column], 1e-9);
  }
  // Errors do not depend on s.
  const NoisyFigure error = private_metrics(open, 1).error;
  EXPECT_DOUBLE_EQ(*error.value, 0.2);
  EXPECT_EQ(error.interval.low, error.interval.high);

  const NoisyTable closed =
      testing_support::release(plan_for(judged, Adjacency::kReplaceRecord), judged, 1);
  double sum = 0;
  for (const double count : closed.counts) sum += count;
  EXPECT_NEAR(sum, 10000, 1e-8);
  EXPECT_TRUE(closed.totals.empty());
  const PrivateMetrics replaced = private_metrics(closed, 1);
  EXPECT_LT(replaced.error.interval.low, 0.2);
  EXPECT_GT(replaced.error.interval.high, 0.2);
  EXPECT_EQ(replaced.units.interval.low, 10000);

  const PrivateMetrics added = private_metrics(
      testing_support::release(plan_for(judged, Adjacency::kAddRemoveRecord), judged, 1), 1);
  EXPECT_LT(added.units.interval.low, added.units.interval.high);
}

TEST(PrivateMetrics, PutZeroForAClassThatNoRowIsPredictedAs) {
  // No row is favoured: all rates are 0, whatever the noise.
  const Judged judged = testing_support::rows_of({2, 2, {300, 0, 40, 0, 280, 0, 60, 0}});
  const PrivateMetrics metrics = private_metrics(
      testing_support::release(plan_for(judged, Adjacency::kSensitive), judged, 1), 1);
  EXPECT_EQ(metrics.groups[0].rate[1].interval.high, 0);
  EXPECT_EQ(metrics.violation[FairnessNotion::kEqualizedOdds].interval.high, 0);
}

TEST(PrivateMetrics, SayNothingOfGroupsThatMayNotBeThere) {
  const Judged judged =
      testing_support::rows_of({3, 2, {300, 60, 40, 100, 280, 40, 60, 120, 0, 0, 0, 0}});
  const PrivateMetrics metrics = private_metrics(
      testing_support::release(plan_for(judged, Adjacency::kSensitive), judged, 1), 1);
  EXPECT_EQ(metrics.groups[2].units.interval.low, 0);
  EXPECT_FALSE(metrics.groups[2].error.value);
  EXPECT_LT(metrics.violation[FairnessNotion::kDemographicParity].interval.high, 0.5);
  const Judged alone = testing_support::rows_of({2, 2, {300, 60, 40, 100, 0, 0, 0, 0}});
  const PrivateMetrics none = private_metrics(
      testing_support::release(plan_for(alone, Adjacency::kSensitive), alone, 1), 1);
  EXPECT_FALSE(none.violation[FairnessNotion::kDemographicParity].value);
}

TEST(PrivateMetrics, CountAPersonOnce) {
  const Judged judged =
      testing_support::persons_of({2, 2, {3000, 601, 401, 1000, 2801, 400, 600, 1202}}, 5);
  const Counts exact = testing_support::weighted_counts(judged);
  for (const Adjacency adjacency :
       {Adjacency::kSensitive, Adjacency::kReplaceRecord, Adjacency::kAddRemoveRecord}) {
    const NoisyTable table = testing_support::release(plan_for(judged, adjacency, 8), judged, 3);
    for (std::size_t cell = 0; cell < 8; ++cell) {
      EXPECT_NEAR(table.counts[cell], exact.cells[cell], 6 * table.noise.sigma);
    }
    EXPECT_FALSE(private_metrics(table, 1).error.population);
  }
}

TEST(PrivateMetrics, NoiseNeverFallsBelowOne) {
  const Judged judged = testing_support::rows_of(kCounts);
  const EvaluationPlan plan = plan_for(judged, Adjacency::kSensitive, 100);
  EXPECT_EQ(plan.noise, 1);
  EXPECT_LT(plan.charge.cost.epsilon, 20);
}

TEST(PrivateMetrics, ChargeBeforeReading) {
  const Judged judged = testing_support::rows_of(kCounts);
  for (const Adjacency adjacency :
       {Adjacency::kSensitive, Adjacency::kReplaceRecord, Adjacency::kAddRemoveRecord}) {
    const EvaluationPlan plan = plan_for(judged, adjacency, 0.5);
    EXPECT_LE(plan.charge.cost.epsilon, 0.5);
    EXPECT_GT(plan.charge.cost.epsilon, 0.49);
    EXPECT_EQ(plan.charge.cost.delta, 1e-6);
    ResearchLedger ledger;
    ASSERT_TRUE(release_table(plan, judged.decisions, judged.data, ledger,
                              NoiseSource(ReproducibleSeed::from_number(1).value())));
    ASSERT_EQ(ledger.charges().size(), 1U);
    EXPECT_TRUE(ledger.charges()[0].fixed_seed);
    // A run that is over grants nothing.
    ASSERT_TRUE(ledger.commit());
    EXPECT_FALSE(release_table(plan, judged.decisions, judged.data, ledger,
                               NoiseSource(ReproducibleSeed::from_number(1).value())));
    EXPECT_TRUE(check_statement(statement_of(plan, Reproducibility::kSecret)));
  }
}

TEST(PrivateMetrics, PlansDoNotDependOnGroups) {
  Judged judged = testing_support::rows_of(kCounts);
  const EvaluationPlan one = plan_for(judged, Adjacency::kSensitive);
  judged.data.s = Protected(std::vector<std::uint16_t>(judged.data.y.size(), 0));
  const EvaluationPlan other = plan_for(judged, Adjacency::kSensitive);
  EXPECT_EQ(one.noise, other.noise);
  EXPECT_EQ(to_json(one.charge.event), to_json(other.charge.event));
}

TEST(PrivateMetrics, RefuseWhatMakesNoSense) {
  const Judged judged = testing_support::rows_of(kCounts);
  const auto refusal = [&](const EvaluationRequest& request) {
    const auto plan = plan_evaluation(request, judged.data);
    return plan ? std::string("accepted") : plan.error().message;
  };
  EXPECT_THAT(refusal({Adjacency::kSensitive, 0, {}, {}}), HasSubstr("`epsilon` must be"));
  EXPECT_THAT(refusal({Adjacency::kSensitive, std::nan(""), {}, {}}), HasSubstr("`epsilon` must"));
  EXPECT_THAT(refusal({Adjacency::kSensitive, 1, 1.0, {}}), HasSubstr("`delta` must lie"));
  EXPECT_THAT(refusal({Adjacency::kSensitive, 1, {}, 100U}), HasSubstr("leave it out"));
  EXPECT_THAT(refusal({Adjacency::kAddRemoveRecord, 1, {}, {}}), HasSubstr("declare it with"));
  EXPECT_EQ(refusal({Adjacency::kAddRemoveRecord, 1, {}, 9000U}), "accepted");
  Judged open = testing_support::rows_of(kCounts);
  open.data.groups = 0;
  EXPECT_THAT(plan_evaluation({Adjacency::kSensitive, 1, {}, {}}, open.data).error().message,
              HasSubstr("no groups to compare"));
}

TEST(PrivateMetrics, AsJsonHaveAnIntervalForEveryNumber) {
  const Judged judged = testing_support::rows_of(kCounts);
  const PrivateMetrics metrics = private_metrics(
      testing_support::release(plan_for(judged, Adjacency::kSensitive), judged, 1), 1);
  const std::vector<std::string> names = {"a", "b"};
  const auto json = nlohmann::json::parse(to_json(metrics, false, names));
  EXPECT_FALSE(json["exact_not_private"].get<bool>());
  EXPECT_EQ(json["groups"][1]["name"], "b");
  for (const auto& number :
       {json["error"], json["violation"]["equalized_odds"], json["groups"][0]["rate"][1],
        json["groups"][1]["true_positive_rate"]}) {
    EXPECT_LE(number["low"], number["value"]);
    EXPECT_LE(number["value"], number["high"]);
    EXPECT_LE(number["population"]["low"], number["population"]["high"]);
  }
}

}  // namespace
}  // namespace dpfermi
