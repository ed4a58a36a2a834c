// Coefficients one by one, and their l1 norm.

#include "baselines/xu_pflr.h"

#include <gmock/gmock.h>

#include <numeric>

#include "baselines/baseline_data.h"
#include "baselines/monomials.h"
#include "dpfermi/evaluate/metrics.h"
#include "model/network.h"

namespace dpfermi {
namespace {

using testing_support::census_data;
using testing_support::entry;
using testing_support::run_baseline;
using testing_support::small_census;

double l1_norm(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0,
                         [](double sum, double value) { return sum + std::abs(value); });
}

/// The polynomial at w, from the coefficients and from its definition.
TEST(Monomials, AddUpToTheTaylorLoss) {
  const Dataset& data = small_census();
  const auto& s = ExactForHolder::read(data.s);
  const Monomials monomials(data);
  const std::size_t size = data.x.columns() + 1;
  std::vector<double> sums(monomials.size());
  const std::vector<double> w = testing_support::waves(size);
  double expected = 0;
  for (std::uint32_t row = 0; row < data.rows(); ++row) {
    monomials.write(s, row, sums);
    double v = 0;
    for (std::size_t j = 0; j < size; ++j) v += w[j] * entry(data, row, j);
    expected += ((0.5 - data.y[row]) * v + v * v / 8) / static_cast<double>(data.rows());
  }
  const TaylorLoss loss = monomials.loss(sums, 0);
  double value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    value += loss.linear[i] * w[i];
    for (std::size_t j = 0; j < size; ++j) value += w[i] * loss.quadratic[i * size + j] * w[j];
  }
  EXPECT_NEAR(value, expected, 1e-10);
}

TEST(Monomials, OfARecordHaveTheirNorm) {
  const Dataset& data = small_census();
  const auto& s = ExactForHolder::read(data.s);
  const Monomials monomials(data);
  for (std::uint32_t row = 0; row < 50; ++row) {
    std::vector<double> own(monomials.size());
    monomials.write(s, row, own);
    double length = 0;
    for (std::size_t j = 0; j <= data.x.columns(); ++j) length += std::abs(entry(data, row, j));
    EXPECT_NEAR(l1_norm(own), Monomials::l1_norm(length), 1e-9);
  }
}

TEST(XuPflr, AWeightBuysParityAndEpsilonIsPure) {
  const Dataset data = census_data({.rows = 6000});
  const auto gap = [&](double lambda) {
    BaselineOptions options;
    options.epsilon = 20;
    options.lambda = lambda;
    const TrainingResult result = run_baseline("xu-pflr", options, 3, data);
    EXPECT_LE(result.statement.cost->epsilon, 20);
    EXPECT_EQ(result.statement.cost->delta, 0);
    EXPECT_EQ(result.theta, run_baseline("xu-pflr", options, 3, data).theta);
    return testing_support::parity_gap(result, data);
  };
  EXPECT_LT(gap(3), gap(0) / 2);
}

}  // namespace
}  // namespace dpfermi
