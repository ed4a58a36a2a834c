#include "objective/ermi_penalty.h"

#include <gtest/gtest.h>

#include "objective/joint_table.h"
#include "objective/reference_data.h"
#include "parameter_name.h"

namespace dpfermi {
namespace {

using reference::Instance;
using reference::Vector;

class Penalty : public testing::TestWithParam<FairnessNotion> {};

/// v as a vector over classes, centred: two classes keep a difference only.
Vector full(const double* v, std::size_t classes) {
  if (classes == 2) return {-v[0] / 2, v[0] / 2};
  return {v, v + classes};
}

void expect_same_direction(const Vector& actual, Vector expected) {
  double mean = 0;
  for (const double value : expected) mean += value / static_cast<double>(expected.size());
  Vector centred = actual;
  double own = 0;
  for (const double value : actual) own += value / static_cast<double>(actual.size());
  for (double& value : centred) value -= own;
  for (double& value : expected) value -= mean;
  reference::expect_near(centred, expected, 1e-10);
}

TEST_P(Penalty, CentresAsTheReferenceDoes) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 100; ++trial) {
    Instance instance = reference::random_instance(random, GetParam());
    const auto& [problem, model, data, state] = instance;
    const ErmiPenalty penalty(reference::setting(problem), reference::positive_marginals(instance));
    const auto centring = reference::centre_contributions(problem, data.rows, state);
    const Functionals functionals = penalty.centred(state.w);
    ASSERT_NEAR(functionals.scale, 2 * centring.radius, 1e-9 * (1 + centring.radius));
    const std::size_t k = problem.groups;
    const std::size_t l = problem.classes;
    const std::size_t width = l == 2 ? 1 : l;
    for (std::size_t c = 0; c < problem.conditions(); ++c) {
      for (std::size_t r = 0; r < k; ++r) {
        const Vector v = full(functionals.by_group.data() + (c * k + r) * width, l);
        Vector expected(l);
        double square = 0;
        for (std::size_t j = 0; j < l; ++j) {
          const double offset = centring.b[(c * k + r) * l + j] - centring.centre[c * l + j];
          expected[j] = centring.radius > 0 ? centring.scale[c] * offset / centring.radius : 0;
          square += v[j] * v[j];
        }
        expect_same_direction(v, expected);
        EXPECT_LE(square, 1 + 1e-9);
      }
    }
    for (std::size_t j = 0; j < width; ++j) {
      EXPECT_EQ(functionals.common[problem.conditions() * width + j], 0);
      EXPECT_EQ(functionals.by_group[problem.conditions() * k * width + j], 0);
    }
  }
}

TEST_P(Penalty, TheBestResponseIsTheBest) {
  std::mt19937_64 random(2);
  for (int trial = 0; trial < 100; ++trial) {
    Instance instance = reference::random_instance(random, GetParam());
    const auto& problem = instance.problem;
    const ErmiPenalty penalty(
        reference::setting(problem),
        {reference::condition_shares(problem, instance.data.rows), instance.state.marginals});
    if (std::ranges::find(instance.state.marginals, 0.0) != instance.state.marginals.end())
      continue;
    const Vector logits =
        reference::all_logits(instance.model, instance.state.theta, instance.data.x);
    const Vector f = reference::probabilities(problem, logits);
    const Vector joint = reference::joint_probabilities(problem, instance.data.rows, f);
    reference::expect_near(
        penalty.best_w(joint, Vector(problem.conditions())),
        reference::best_w(problem, instance.data.rows, f, instance.state.marginals), 1e-10);
    Vector gradient = penalty.w_gradient(
        instance.state.w, joint, reference::mean_probabilities(problem, instance.data.rows, f));
    for (double& value : gradient) value *= problem.lambda;
    reference::expect_near(gradient,
                           reference::w_gradient(problem, instance.data.rows, logits,
                                                 instance.state.marginals, instance.state.w),
                           1e-10);
  }
}

// Sums over everybody, without noise, give the joint probabilities back: with features public or
// not.
TEST_P(Penalty, TheTableComesBack) {
  std::mt19937_64 random(3);
  for (int trial = 0; trial < 100; ++trial) {
    Instance instance = reference::random_instance(random, GetParam());
    const auto& [problem, model, data, state] = instance;
    const FairnessSetting setting = reference::setting(problem);
    const GroupMarginals marginals{reference::condition_shares(problem, data.rows),
                                   state.marginals};
    const Vector f =
        reference::probabilities(problem, reference::all_logits(model, state.theta, data.x));
    const std::size_t width = setting.width();
    const std::size_t l = problem.classes;
    const auto conditions = setting.condition_by_label();
    const std::size_t n = data.rows.size();
    std::vector<std::uint32_t> cells;
    std::vector<std::uint32_t> met;
    Vector own, f_sums(setting.conditions() * width), weight_sums(setting.conditions());
    for (std::size_t i = 0; i < n; ++i) {
      const std::uint32_t c = conditions[data.rows.y[i]];
      const bool none = c == setting.conditions();
      met.push_back(c);
      cells.push_back(static_cast<std::uint32_t>(none ? setting.conditions() * problem.groups
                                                      : c * problem.groups + data.rows.s[i]));
      for (std::size_t j = 0; j < width; ++j) {
        own.push_back(f[i * l + (l == 2 ? 1 : j)]);
        if (!none) f_sums[c * width + j] += own.back();
      }
      if (!none) ++weight_sums[c];
    }
    const Vector joint = reference::joint_probabilities(problem, data.rows, f);
    for (const bool public_features : {true, false}) {
      JointTable table(setting, marginals, public_features);
      Vector rows(n * table.sum_size());
      table.write_rows(met, cells, own, Vector(n, 1.0), n, rows);
      Vector sums(table.sum_size());
      for (std::size_t i = 0; i < n; ++i) {
        double square = 0;
        for (std::size_t j = 0; j < sums.size(); ++j) {
          const double entry = rows[j * n + i];
          sums[j] += entry;
          square += entry * entry;
        }
        ASSERT_LE(std::sqrt(square), table.bound());
      }
      table.add(sums, static_cast<double>(n), f_sums, weight_sums, 0, 1);
      // A condition that no row meets has no table; the reference keeps zeros there.
      Vector expected = joint;
      Vector actual = table.smoothed();
      for (std::size_t i = 0; i < actual.size(); ++i) {
        if (marginals.shares[i / (problem.groups * l)] == 0) actual[i] = expected[i] = 0;
      }
      reference::expect_near(actual, expected, 1e-11);
      EXPECT_EQ(table.smoothed(), table.latest());
      JointTable copy(setting, marginals, public_features);
      copy.restore(table.state());
      EXPECT_EQ(copy.smoothed(), table.smoothed());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Notions, Penalty,
                         testing::Values(FairnessNotion::kDemographicParity,
                                         FairnessNotion::kEqualizedOdds,
                                         FairnessNotion::kEqualOpportunity),
                         testing_support::by_word);

TEST(JointTable, GoesOnAfterACheckpointWhereABatchLacksACondition) {
  const FairnessSetting setting{FairnessNotion::kEqualizedOdds, 2, 3, 1};
  const GroupMarginals marginals{{0.5, 0.3, 0.2}, {0.5, 0.5, 0.4, 0.6, 0.7, 0.3}};
  JointTable table(setting, marginals, true);
  const Vector sums(table.sum_size(), 0.5);
  table.add(sums, 10, Vector(9, 2.0), Vector{4, 3, 3}, 0.1, 1);
  table.add(sums, 10, Vector(9, 1.0), Vector{4, 3, 3}, 0.1, 0.5);
  JointTable resumed(setting, marginals, true);
  resumed.restore(table.state());
  for (JointTable* each : {&table, &resumed})
    each->add(sums, 10, Vector(9, 1.5), Vector{0, 5, 5}, 0.1, 0.3);
  EXPECT_EQ(resumed.state(), table.state());
  EXPECT_EQ(resumed.latest(), table.latest());
}

TEST(ErmiPenalty, CompleteFairnessNeedsNoNoise) {
  const ErmiPenalty penalty({FairnessNotion::kDemographicParity, 3, 4, 1},
                            {{1.0}, {0.2, 0.3, 0.5}});
  const Functionals functionals = penalty.centred(penalty.fair_w());
  EXPECT_NEAR(functionals.scale, 0, 1e-12);
}

// Who may not be there must not decide about the noise of everybody else.
TEST(ErmiPenalty, GroupsThatAreNotKnownCountAsFair) {
  const FairnessSetting setting{FairnessNotion::kDemographicParity, 3, 2, 1};
  const GroupMarginals marginals{{1.0}, {0.5, 0.49, 0.01}, {true, true, false}};
  const ErmiPenalty penalty(setting, marginals);
  const Vector joint{0.3, 0.2, 0.4, 0.09, 0.005, 0.005};
  const Vector w = penalty.best_w(joint, Vector{0});
  EXPECT_NEAR(w[4], std::sqrt(0.01), 1e-12);
  EXPECT_NEAR(w[5], std::sqrt(0.01), 1e-12);
  EXPECT_NEAR(penalty.violation(joint, Vector{0}), 0.4 - 0.09 / 0.49, 1e-12);
}

TEST(ErmiPenalty, NoiseDrawsSmallGroupsTowardsTheRest) {
  const ErmiPenalty penalty({FairnessNotion::kDemographicParity, 2, 2, 1}, {{1.0}, {0.95, 0.05}});
  const Vector joint{0.7, 0.25, 0.02, 0.03};
  const auto distance = [&](double noise) {
    const Vector w = penalty.best_w(joint, Vector{noise});
    return std::abs(w[3] - std::sqrt(0.05));
  };
  EXPECT_GT(distance(0), 4 * distance(0.01));
  EXPECT_LT(distance(1), 1e-3);
}

TEST(ErmiPenalty, ViolationIsTheLargestDifferenceOfRates) {
  const ErmiPenalty penalty({FairnessNotion::kDemographicParity, 2, 2, 1}, {{1.0}, {0.25, 0.75}});
  const Vector joint{0.2, 0.05, 0.45, 0.3};  // rates of class 1: 0.2 and 0.4
  EXPECT_NEAR(penalty.violation(joint, Vector{0}), 0.2, 1e-12);
  const double noise = 0.01 * std::hypot(4, 4.0 / 3);
  EXPECT_NEAR(penalty.violation(joint, Vector{0.01}), std::sqrt(0.04 - noise * noise), 1e-12);
  EXPECT_EQ(penalty.violation(joint, Vector{0.1}), 0);
}

// Of three differences each counts less 2 ln 3 variances; of two groups that are known, with a
// third that is not, the one difference counts less one.
TEST(ErmiPenalty, TheLargestOfSeveralNoisyDifferencesIsCorrectedForTheirNumber) {
  const FairnessSetting setting{FairnessNotion::kDemographicParity, 3, 2, 1};
  const Vector joint{0.2, 0.05, 0.2, 0.05, 0.3, 0.2};  // rates of class 1: 0.2, 0.2 and 0.4
  const ErmiPenalty all(setting, {{1.0}, {0.25, 0.25, 0.5}});
  EXPECT_NEAR(all.violation(joint, Vector{0.01}), std::sqrt(0.04 - 2 * std::log(3.0) * 0.0001 * 20),
              1e-12);
  const ErmiPenalty two(setting, {{1.0}, {0.25, 0.25, 0.5}, {true, false, true}});
  EXPECT_NEAR(two.violation(joint, Vector{0.01}), std::sqrt(0.04 - 0.0001 * 20), 1e-12);
}

}  // namespace
}  // namespace dpfermi
