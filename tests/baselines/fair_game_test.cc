#include "baselines/fair_game.h"

#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "baselines/baseline_data.h"
#include "baselines/cost_learner.h"
#include "baselines/jagielski_in.h"
#include "baselines/ridge_regression.h"

namespace dpfermi {
namespace {

using testing_support::small_census;

std::vector<std::uint32_t> all_rows(const Dataset& data) {
  std::vector<std::uint32_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

RateGaps gaps_of(const Dataset& data, FairnessNotion notion) {
  return {data, all_rows(data), ExactForHolder::read(data.s), notion, 1};
}

/// Deterministic decisions that favour about a third of the rows.
std::vector<std::uint8_t> some_decisions(std::size_t rows) {
  std::vector<std::uint8_t> favours(rows);
  for (std::size_t i = 0; i < rows; ++i) favours[i] = i * 7919 % 3 == 0 ? 1 : 0;
  return favours;
}

TEST(RateGaps, AreDifferencesFromTheRateOfAllRows) {
  const Dataset& data = small_census();
  const auto& s = ExactForHolder::read(data.s);
  const auto favours = some_decisions(data.rows());
  const std::vector<double> gaps = gaps_of(data, FairnessNotion::kEqualizedOdds).of(favours);
  for (const std::size_t y : {0, 1}) {
    for (std::size_t r = 0; r < data.groups; ++r) {
      double own = 0, own_rows = 0, all = 0, all_rows = 0;
      for (std::size_t i = 0; i < data.rows(); ++i) {
        if (data.y[i] != y) continue;
        all += favours[i];
        all_rows += 1;
        if (s[i] != r) continue;
        own += favours[i];
        own_rows += 1;
      }
      EXPECT_NEAR(gaps[y * data.groups + r], own / own_rows - all / all_rows, 1e-12);
    }
  }
}

TEST(RateGaps, CostsAreWhatADecisionAddsToErrorAndPricedGaps) {
  const Dataset& data = small_census();
  for (const FairnessNotion notion :
       {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds,
        FairnessNotion::kEqualOpportunity}) {
    const RateGaps gaps = gaps_of(data, notion);
    const std::vector<double> multipliers = testing_support::waves(gaps.size(), 2);
    const std::vector<double> costs = gaps.costs(multipliers);
    const auto value = [&](const std::vector<std::uint8_t>& favours) {
      const std::vector<double> own = gaps.of(favours);
      return gaps.error_of(favours) +
             std::inner_product(own.begin(), own.end(), multipliers.begin(), 0.0);
    };
    std::vector<std::uint8_t> favours = some_decisions(data.rows());
    for (const std::size_t row : {0, 17, 500}) {
      favours[row] = 0;
      const double without = value(favours);
      favours[row] = 1;
      EXPECT_NEAR(value(favours) - without, costs[row], 1e-12) << to_string(notion);
    }
  }
}

TEST(Auditor, PricesWhatItSeesUpToItsBound) {
  Auditor auditor(2, 10, 0.5, 0.01);
  EXPECT_THAT(auditor.multipliers(), testing::Each(testing::DoubleNear(0, 1e-12)));
  for (int t = 0; t < 1000; ++t) auditor.observe(std::vector<double>{0.3, -0.1});
  const std::vector<double> prices = auditor.multipliers();
  EXPECT_GT(prices[0], 0);
  EXPECT_LE(prices[1], 0);
  EXPECT_LE(std::abs(prices[0]) + std::abs(prices[1]), 10);
  EXPECT_NEAR(prices[0], 10, 0.01);
}

TEST(CostLearner, FindsDecisionsThatAreCheaperThanAnyConstant) {
  const Dataset& data = small_census();
  const RateGaps gaps = gaps_of(data, FairnessNotion::kDemographicParity);
  const std::vector<double> costs = gaps.costs(std::vector<double>(gaps.size()));
  for (const std::size_t favourable : {1, 0}) {
    CostLearner learner(data, all_rows(data), favourable);
    std::vector<double> theta(learner.parameters());
    ASSERT_TRUE(learner.answer(costs, theta).has_value());
    const std::vector<std::uint8_t> favours = learner.favours(theta);
    double cost = 0;
    double always = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
      cost += favours[i] * costs[i];
      always += costs[i];
    }
    EXPECT_LT(cost, std::min(0.0, always) - 0.01);
  }
}

TEST(RidgeRegression, SolvesTheNormalEquations) {
  const Dataset& data = small_census();
  const std::size_t size = data.x.columns() + 1;
  const std::vector<double> theta = testing_support::waves(size);
  // (X'X + n/100 I) theta
  std::vector<double> right(size);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    add_row(data.x, i, inner_product(data.x, i, theta), right);
  }
  for (std::size_t j = 0; j < size; ++j) {
    right[j] += 0.01 * static_cast<double>(data.rows()) * theta[j];
  }
  EXPECT_THAT(RidgeRegression(data.x).solve(right),
              testing::Pointwise(testing::DoubleNear(1e-8), theta));
}

TEST(JagielskiRounds, AreTheTheorems) {
  // By hand: B = 20, k = 2, n = 22,000, d = 102, epsilon = 3, delta = 1/n^2.
  const double n = 22'000;
  const double expected =
      20 * std::sqrt(std::log(5.0)) * n * 3 /
      (2 * 81 * std::sqrt(2 * std::log(n)) * (103 * std::log(n) + std::log(40.0)));
  EXPECT_NEAR(jagielski_rounds(n, 102, 2, 20, 3, 1 / (n * n)), expected, 1e-9);
  EXPECT_LT(expected, 3);
}

}  // namespace
}  // namespace dpfermi
