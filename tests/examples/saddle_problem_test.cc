#include "saddle_problem.h"

#include <gtest/gtest.h>

namespace dpfermi::examples {
namespace {

static_assert(MinMaxProblem<SaddleProblem>);

double norm(std::span<const double> vector) {
  double square = 0;
  for (const double entry : vector) square += entry * entry;
  return std::sqrt(square);
}

/// Random directions, lengths up to `most`.
std::vector<double> random_vector(std::mt19937_64& bits, std::size_t d, double most) {
  std::normal_distribution<double> normal;
  std::vector<double> vector(d);
  for (double& entry : vector) entry = normal(bits);
  const double length = most * std::uniform_real_distribution<double>()(bits) / norm(vector);
  for (double& entry : vector) entry *= length;
  return vector;
}

TEST(SaddleProblem, StationarityIsTheSlopeOfPhi) {
  constexpr double kStep = 1e-5;
  std::mt19937_64 bits(1);
  for (const std::size_t d : {1, 3, 8}) {
    const SaddleData data(20, d, d);
    SaddleProblem problem(data);
    for (int trial = 0; trial < 20; ++trial) {
      std::vector<double> theta = random_vector(bits, d, 3);
      const double expected = problem.stationarity(theta);
      double found = 0;
      for (double& entry : theta) {
        const double at = entry;
        entry = at + kStep;
        const double above = problem.phi(theta);
        entry = at - kStep;
        const double slope = (above - problem.phi(theta)) / (2 * kStep);
        entry = at;
        found += slope * slope;
      }
      EXPECT_NEAR(found, expected, 1e-8);
    }
  }
}

TEST(SaddleProblem, GradientsMeetAtTheBestW) {
  const SaddleData data(50, 4, 1);
  SaddleProblem problem(data);
  std::mt19937_64 bits(2);
  const std::vector<double> theta = random_vector(bits, 4, 2);
  const double root = std::sqrt(1 + norm(theta) * norm(theta));
  std::vector<double> w(4);
  for (std::size_t j = 0; j < 4; ++j) w[j] = theta[j] / root - data.mean_y[j];
  problem.begin_step(theta, w);
  std::vector<double> mean(8);
  const std::vector<double>& pairs = ExactForHolder::read(data.pairs);
  for (std::size_t i = 0; i < data.n; ++i) {
    std::vector<double> gradient(8);
    problem.add_record(std::span(pairs).subspan(8 * i, 8), gradient);
    for (std::size_t j = 0; j < 8; ++j) mean[j] += gradient[j] / data.n;
  }
  const double slope = norm(std::span(mean).first(4));
  EXPECT_NEAR(slope * slope, problem.stationarity(theta), 1e-12);
  EXPECT_NEAR(norm(std::span(mean).last(4)), 0, 1e-12);
}

TEST(SaddleProblem, KeepsTheTheoremsConstants) {
  using C = SaddleConstants;
  constexpr std::size_t kD = 3;
  const SaddleData data(5, kD, 3);
  const std::vector<double>& pairs = ExactForHolder::read(data.pairs);
  SaddleProblem problem(data);
  std::mt19937_64 bits(4);
  const auto gradient = [&](const std::vector<double>& theta, const std::vector<double>& w) {
    std::vector<double> out(2 * kD);
    problem.begin_step(theta, w);
    problem.add_record(std::span(pairs).first(2 * kD), out);
    return out;
  };
  for (int trial = 0; trial < 2000; ++trial) {
    const std::vector<double> theta = random_vector(bits, kD, 2);
    const std::vector<double> w = random_vector(bits, kD, C::kDiameter / 2);
    const std::vector<double> here = gradient(theta, w);
    EXPECT_LE(norm(std::span(here).first(kD)), C::kLipschitzTheta);
    EXPECT_LE(norm(std::span(here).last(kD)), C::kLipschitzW);

    std::vector<double> near = random_vector(bits, kD, 0.1);
    const double distance = norm(near);
    for (std::size_t j = 0; j < kD; ++j) near[j] += theta[j];
    std::vector<double> change = gradient(near, w);
    for (std::size_t j = 0; j < 2 * kD; ++j) change[j] -= here[j];
    EXPECT_LE(norm(std::span(change).first(kD)), C::kSmoothTheta * distance);
    EXPECT_LE(norm(std::span(change).last(kD)), C::kSmoothBoth * distance);
  }
}

TEST(SaddleProblem, StartsWhereItIsNotConvexAndNotTooHigh) {
  const std::size_t d = 16;
  const SaddleData data(100, d, 5);
  SaddleProblem problem(data);
  const auto phi_at = [&](double radius) {
    return problem.phi(std::vector<double>(d, radius / std::sqrt(static_cast<double>(d))));
  };
  EXPECT_LT(phi_at(1.1) - 2 * phi_at(1) + phi_at(0.9), 0);
  double lowest = phi_at(1);
  for (double radius = -3; radius <= 3; radius += 0.01) lowest = std::min(lowest, phi_at(radius));
  EXPECT_LE(phi_at(1) - lowest, SaddleConstants::kDescent);
}

}  // namespace
}  // namespace dpfermi::examples
