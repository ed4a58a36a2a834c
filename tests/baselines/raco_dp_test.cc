// The rate constraints of raco-dp against plain loops, the price of the released program, runs.

#include "baselines/raco_dp.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>

#include "baselines/baseline_data.h"
#include "baselines/rate_constraints.h"
#include "dpfermi/evaluate/metrics.h"
#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "model/network.h"

namespace dpfermi {
namespace {

using testing_support::census_data;
using testing_support::run_baseline;
using testing_support::seeded_noise;
using testing_support::small_census;

const FairnessSetting kOdds{FairnessNotion::kEqualizedOdds, 3, 3, 1};
const std::vector<double> kSizes{.1, .2, .05, .15, .1, .1, .08, .12, .1};

/// A row's label, group and probabilities.
struct Row {
  std::size_t y, r;
  std::vector<double> f;
};

/// 300 rows whose numbers by label and group are kSizes.
std::vector<Row> rows() {
  std::vector<Row> all;
  for (std::size_t cell = 0; cell < kSizes.size(); ++cell) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(std::lround(300 * kSizes[cell])); ++i) {
      const double a = 0.2 + 0.5 * std::abs(std::sin(static_cast<double>(cell * 31 + i)));
      all.push_back({cell / 3, cell % 3, {a / 2, a / 2, 1 - a}});
    }
  }
  return all;
}

std::vector<double> histogram(const std::vector<Row>& all) {
  std::vector<double> sums(27);
  for (const Row& row : all) {
    for (std::size_t j = 0; j < 3; ++j) {
      sums[(row.y * 3 + row.r) * 3 + j] += row.f[j] / static_cast<double>(all.size());
    }
  }
  return sums;
}

/// Mean of F_j over the rows of label c in (or outside) group r.
double mean_output(const std::vector<Row>& all, std::size_t c, std::size_t r, bool inside,
                   std::size_t j) {
  double sum = 0;
  double count = 0;
  for (const Row& row : all) {
    if (row.y != c || (row.r == r) != inside) continue;
    sum += row.f[j];
    count += 1;
  }
  return sum / count;
}

TEST(RateConstraints, GapsAreDifferencesOfRates) {
  const std::vector<Row> all = rows();
  const std::vector<double> gaps = RateConstraints(kOdds, kSizes).gaps(histogram(all));
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    const std::size_t c = i / 9;
    const std::size_t r = i / 3 % 3;
    EXPECT_NEAR(gaps[i], mean_output(all, c, r, true, i % 3) - mean_output(all, c, r, false, i % 3),
                1e-12);
  }
}

TEST(RateConstraints, MultipliersStayAtLeastZeroAndGapsAreCut) {
  RateConstraints constraints({FairnessNotion::kDemographicParity, 2, 2, 1}, {.5, .5});
  // Rates of class 1: .8 and .3; noise makes class 0 absurd.
  constraints.update(std::vector<double>{2.0, .4, -1.0, .15}, 0.1, 0.2);
  EXPECT_NEAR(constraints.multipliers()[0], 0.1 * (1 - 0.2), 1e-12);  // gap 6 counts as 1
  EXPECT_NEAR(constraints.multipliers()[1], 0.1 * (0.5 - 0.2), 1e-12);
  EXPECT_EQ(constraints.multipliers()[2], 0);
  EXPECT_EQ(constraints.multipliers()[3], 0);
}

TEST(RateConstraints, FunctionalsAreTheDerivativeOfTheLagrangian) {
  std::vector<Row> all = rows();
  RateConstraints constraints(kOdds, kSizes);
  constraints.update(histogram(all), 1, 0.001);
  const std::vector<double> lambda = constraints.multipliers();
  const auto lagrangian = [&] {
    const std::vector<double> gaps = constraints.gaps(histogram(all));
    return std::inner_product(gaps.begin(), gaps.end(), lambda.begin(), 0.0);
  };
  const std::vector<double> v = constraints.functionals();
  for (const std::size_t at : {std::size_t{0}, std::size_t{100}, all.size() - 1}) {
    for (std::size_t j = 0; j < 3; ++j) {
      const double before = lagrangian();
      all[at].f[j] += 1e-3;
      const double slope = (lagrangian() - before) / 1e-3;
      all[at].f[j] -= 1e-3;
      EXPECT_NEAR(slope * static_cast<double>(all.size()), v[(all[at].y * 3 + all[at].r) * 3 + j],
                  1e-6);
    }
  }
}

/// Certified epsilon of the released program's fixed setting on `units` records: 1000 steps,
/// batches of 4096, gradient noise of 4 clip norms, and a Gaussian of the variance of its Laplace
/// noise (scale 2) on the histogram. Group sizes, exact there, are taken for public.
double released_epsilon(std::uint32_t units, double delta, Adjacency adjacency) {
  // Noise of 4 clip norms on one block and of standard deviation 2 sqrt(2) on another of norm 1:
  // together like one block whose squared norm over variance is the sum of theirs.
  const double z = 1 / std::sqrt(1 / 16.0 + 1 / 8.0);
  const double q = std::min(1.0, 4096.0 / units);
  const PrivacyEvent step = PrivacyEvent::create(adjacency, PoissonGaussianRelease{q, z}).value();
  return certified_epsilon(step.times(1000), delta).value().upper;
}

// 7.5 was found with another accountant for 33,916 training rows (three quarters of Adult) and one
// record more or less.
TEST(RacoDp, TheReleasedProgramCostsFarMoreThanOne) {
  const auto price = [](std::uint32_t units, Adjacency adjacency) {
    return released_epsilon(units, 1e-4, adjacency);
  };
  EXPECT_NEAR(price(33'916, Adjacency::kAddRemoveRecord), 7.5, 0.05);
  EXPECT_NEAR(price(33'916, Adjacency::kReplaceRecord), 16.9, 0.1);
  EXPECT_NEAR(price(45'243, Adjacency::kAddRemoveRecord), 5.3, 0.05);  // the doubled file
  EXPECT_NEAR(price(45'243, Adjacency::kReplaceRecord), 11.6, 0.1);
}

TEST(RacoDp, ATighterBoundBuysParity) {
  const Dataset data = census_data({.rows = 3000});
  BaselineOptions options;
  options.epsilon = 5;
  const auto gap = [&](double tolerance) {
    options.tolerance = tolerance;
    const TrainingResult result = run_baseline("raco-dp", options, 3, data);
    return testing_support::parity_gap(result, data);
  };
  EXPECT_LT(gap(0.02), gap(1) / 2);
}

TEST(RacoDp, ASeedFixesTheModelWhateverTheThreads) {
  const auto theta = [](std::uint64_t seed, unsigned threads) {
    RacoOptions options;
    options.adjacency = Adjacency::kReplaceRecord;
    options.hidden = {2};
    options.steps = 60;
    options.batch = 400;
    TrainingHooks hooks;
    hooks.threads = threads;
    ResearchLedger ledger;
    return raco_dp(small_census(), options, ledger, seeded_noise(seed), hooks)->theta;
  };
  EXPECT_EQ(theta(9, 1), theta(9, 2));
  EXPECT_NE(theta(9, 1), theta(10, 1));
}

TEST(RacoDp, StatesWhatItReleasedAndAssumes) {
  BaselineOptions options;
  const PrivacyStatement statement = run_baseline("raco-dp", options, 1).statement;
  ASSERT_TRUE(statement.cost.has_value());
  EXPECT_LE(statement.cost->epsilon, 1);
  EXPECT_GT(statement.cost->epsilon, 0.99);
  ASSERT_EQ(statement.releases.size(), 2U);
  EXPECT_EQ(statement.releases[0].purpose, "group sizes");
  EXPECT_EQ(statement.assumptions.size(), 1U);
  options.declared_norm = 4;
  EXPECT_TRUE(run_baseline("raco-dp", options, 1).statement.assumptions.empty());
}

TEST(DpSgd, LearnsAndStaysWithinTheBudget) {
  const Dataset data = census_data({.rows = 6000});
  BaselineOptions options;
  const TrainingResult result = run_baseline("dp-sgd", options, 2, data);
  const Metrics metrics =
      exact_metrics(predict(Network(result.model), result.theta, data.x), data, 1).value();
  const double positives =
      static_cast<double>(std::ranges::count(data.y, 1)) / static_cast<double>(data.rows());
  EXPECT_LT(metrics.error, 0.95 * std::min(positives, 1 - positives));
  EXPECT_LE(result.statement.cost->epsilon, 1);
  EXPECT_EQ(result.theta, run_baseline("dp-sgd", options, 2, data).theta);
}

}  // namespace
}  // namespace dpfermi
