// Coefficients of the Taylor polynomial against plain sums, and its minimiser.

#include "baselines/taylor_loss.h"

#include <gmock/gmock.h>

#include <random>

#include "baselines/baseline_data.h"
#include "baselines/ding.h"
#include "baselines/taylor_sum.h"
#include "dpfermi/evaluate/metrics.h"
#include "model/network.h"

namespace dpfermi {
namespace {

using testing::DoubleNear;
using testing::Pointwise;
using testing_support::census_data;
using testing_support::entry;
using testing_support::run_baseline;
using testing_support::seeded_noise;
using testing_support::small_census;

TaylorLoss plain_sums(const Dataset& data) {
  const std::size_t size = data.x.columns() + 1;
  TaylorLoss loss{size, std::vector<double>(size), std::vector<double>(size * size),
                  std::vector<double>(data.groups * size)};
  const auto& s = ExactForHolder::read(data.s);
  const auto n = static_cast<double>(data.rows());
  for (std::uint32_t row = 0; row < data.rows(); ++row) {
    for (std::size_t i = 0; i < size; ++i) {
      const double x = entry(data, row, i);
      loss.linear[i] += (0.5 - data.y[row]) * x / n;
      loss.groups[s[row] * size + i] += x / n;
      for (std::size_t j = 0; j < size; ++j) {
        loss.quadratic[i * size + j] += x * entry(data, row, j) / (8 * n);
      }
    }
  }
  return loss;
}

TEST(TaylorSum, ReleasesTheCoefficients) {
  const Dataset& data = small_census();
  constexpr double kNorm = 12;  // longer than any row here
  constexpr double kNoise = 1e-6;
  TaylorSum sum(data, kNorm);
  const auto units = static_cast<std::uint32_t>(data.unit_count);
  const Adjacency adjacency = Adjacency::kReplaceRecord;
  ResearchLedger ledger;
  const PrivacyEvent event =
      gaussian_event(adjacency, Batch::everyone(units).sampling(), kNoise).value();
  NoiseSource noise = seeded_noise(1);
  Privatizer privatizer =
      Privatizer::create(ContributionLayout::create({sum.segment()}, 36).value(), adjacency, kNoise,
                         ledger.charge({"test", event, 1, {}, true}).value(),
                         noise.open(Purpose::kSketchNoise).value())
          .value();
  const TaylorLoss loss = sum.loss(privatizer.release(sum.clipped_sum(privatizer).value()).value());
  const TaylorLoss expected = plain_sums(data);
  EXPECT_THAT(loss.linear, Pointwise(DoubleNear(1e-3), expected.linear));
  EXPECT_THAT(loss.quadratic, Pointwise(DoubleNear(1e-3), expected.quadratic));
  EXPECT_THAT(loss.groups, Pointwise(DoubleNear(1e-3), expected.groups));
}

double taylor_value(const TaylorLoss& loss, const std::vector<double>& w, double alpha) {
  double sum = 0;
  for (std::size_t i = 0; i < w.size(); ++i) {
    sum += loss.linear[i] * w[i];
    for (std::size_t j = 0; j < w.size(); ++j) {
      sum += w[i] * loss.quadratic[i * w.size() + j] * w[j];
    }
  }
  for (const std::vector<double>& c : boundary_covariances(loss)) {
    sum += alpha * std::abs(std::inner_product(c.begin(), c.end(), w.begin(), 0.0));
  }
  return sum;
}

/// A definite form in four dimensions, three groups.
TaylorLoss small_loss() {
  TaylorLoss loss{4, {-.3, .2, .1, -.05}, std::vector<double>(16), std::vector<double>(12)};
  for (std::size_t i = 0; i < 4; ++i) loss.quadratic[i * 5] = 0.2 + 0.1 * static_cast<double>(i);
  loss.quadratic[1] = loss.quadratic[4] = 0.05;
  loss.groups = {.1, .0, .2, .3, -.2, .1, .1, .5, .1, -.1, -.3, .2};
  return loss;
}

TEST(TaylorLoss, NothingNearTheMinimumIsLower) {
  const TaylorLoss loss = small_loss();
  std::mt19937 engine(1);
  std::normal_distribution<double> normal;
  for (const double alpha : {0.0, 0.05, 0.3, 5.0}) {
    const std::vector<double> w = minimise_taylor(loss, alpha);
    const double least = taylor_value(loss, w, alpha);
    for (int i = 0; i < 2000; ++i) {
      std::vector<double> other = w;
      const double length = i % 2 == 0 ? 0.1 : 0.001;
      for (double& x : other) x += length * normal(engine);
      ASSERT_GE(taylor_value(loss, other, alpha), least - 1e-12) << alpha;
    }
  }
}

TEST(TaylorLoss, AHeavyWeightMakesTheBoundaryIndependent) {
  const TaylorLoss loss = small_loss();
  const std::vector<double> w = minimise_taylor(loss, 100);
  for (const std::vector<double>& c : boundary_covariances(loss)) {
    EXPECT_NEAR(std::inner_product(c.begin(), c.end(), w.begin(), 0.0), 0, 1e-9);
  }
}

TEST(TaylorLoss, DirectionsBelowTheNoiseAreDropped) {
  TaylorLoss loss{2, {-1, -1}, {1, 0, 0, -0.5}, {}, 0.1};
  const std::vector<double> w = minimise_taylor(loss, 0);
  EXPECT_NEAR(w[0], 1 / (2 * (1 + 2 * std::sqrt(2.0) * 0.1)), 1e-12);
  EXPECT_EQ(w[1], 0);
}

TEST(Ding, AWeightBuysParityWithinTheBudget) {
  const Dataset data = census_data({.rows = 6000});
  const auto gap = [&](double lambda) {
    BaselineOptions options;
    options.epsilon = 5;
    options.lambda = lambda;
    const TrainingResult result = run_baseline("ding", options, 3, data);
    EXPECT_LE(result.statement.cost->epsilon, 5);
    EXPECT_EQ(result.theta, run_baseline("ding", options, 3, data).theta);
    return testing_support::parity_gap(result, data);
  };
  EXPECT_LT(gap(3), gap(0) / 2);
}

}  // namespace
}  // namespace dpfermi
