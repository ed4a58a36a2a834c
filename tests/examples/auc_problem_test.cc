#include "auc_problem.h"

#include <gmock/gmock.h>

#include <random>

#include "dpfermi/optimize/oracles.h"
#include "privacy/exact_read.h"
#include "privacy/mechanism/fixtures.h"

namespace dpfermi::examples {
namespace {

using testing::DoubleNear;
using testing::Pointwise;

static_assert(MinMaxProblem<AucProblem>);

constexpr std::size_t kRows = 60;
constexpr std::size_t kColumns = 5;  ///< three numbers and a category of two levels

Dataset random_rows(std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::uniform_real_distribution<float> number(-1, 1);
  Dataset data;
  data.x = HybridMatrix(kRows, 3, 1, kColumns);
  for (std::size_t i = 0; i < kRows; ++i) {
    const HybridMatrix::MutableRow row = data.x.row(i);
    for (float& entry : row.numbers) entry = number(bits);
    // Every seventh row has no category.
    row.ones[0] = static_cast<std::uint16_t>(i % 7 == 0 ? kColumns : 3 + bits() % 2);
    data.y.push_back(static_cast<std::uint16_t>(i % 3 == 0));
  }
  data.classes = 2;
  return data;
}

std::vector<std::uint32_t> all_rows() {
  std::vector<std::uint32_t> rows(kRows);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

/// x as the score sees it.
std::vector<double> scaled_row(const Dataset& data, std::size_t i) {
  std::vector<double> x;
  for (std::size_t j = 0; j < kColumns; ++j) x.push_back(data.x.at(i, j) / std::sqrt(4.0));
  return x;
}

/// The gradient of p (1-p) E[(1 - v.(x - x'))^2 | y = 1, y' = 0], pair by pair.
std::vector<double> pair_gradient(const Dataset& data, std::span<const double> v, double p) {
  std::vector<double> gradient(kColumns);
  double pairs = 0;
  for (std::size_t i = 0; i < kRows; ++i) {
    for (std::size_t k = 0; k < kRows; ++k) {
      if (data.y[i] != 1 || data.y[k] != 0) continue;
      ++pairs;
      std::vector<double> gap = scaled_row(data, i);
      const std::vector<double> other = scaled_row(data, k);
      double margin = 1;
      for (std::size_t j = 0; j < kColumns; ++j) {
        gap[j] -= other[j];
        margin -= v[j] * gap[j];
      }
      for (std::size_t j = 0; j < kColumns; ++j) gradient[j] -= 2 * margin * gap[j];
    }
  }
  for (double& entry : gradient) entry *= p * (1 - p) / pairs;
  return gradient;
}

struct Means {
  double positive = 0;
  double negative = 0;
};

Means mean_scores(const Dataset& data, const LinearScore& score, std::span<const double> v) {
  Means means;
  for (std::size_t i = 0; i < kRows; ++i) {
    const double s = score.score(data.x.row(i), v);
    if (data.y[i] == 1) {
      means.positive += s / 20;
    } else {
      means.negative += s / 40;
    }
  }
  return means;
}

Gradients exact_gradients(AucProblem& problem, std::span<const double> theta, double alpha) {
  Gradients gradients{std::vector<double>(problem.theta_size()), {0}};
  problem.begin_step(theta, std::span(&alpha, 1));
  problem.add_exact(testing_support::exact_read(), all_rows(), gradients, nullptr);
  return gradients;
}

TEST(AucProblem, AtTheBestCentresItsGradientIsThatOfTheLossOverPairs) {
  const Protected<Dataset> data(random_rows(1));
  const Dataset& rows = ExactForHolder::read(data);
  const LinearScore score(rows.x);
  AucProblem problem(data, score, 1, 1.0 / 3);
  std::vector<double> theta = {0.7, -0.4, 0.2, 0.9, -0.3};
  const Means means = mean_scores(rows, score, theta);
  const std::vector<double> expected = pair_gradient(rows, theta, 1.0 / 3);

  theta.push_back(means.positive);
  theta.push_back(means.negative);
  const Gradients found = exact_gradients(problem, theta, means.negative - means.positive);
  EXPECT_THAT(std::vector(found.theta.begin(), found.theta.begin() + kColumns),
              Pointwise(DoubleNear(1e-6), expected));
  EXPECT_NEAR(found.theta[kColumns], 0, 1e-12);
  EXPECT_NEAR(found.theta[kColumns + 1], 0, 1e-12);
  EXPECT_NEAR(found.w[0], 0, 1e-12);
}

TEST(AucProblem, AReleasedSumWithHardlyAnyNoiseSaysTheSame) {
  const Protected<Dataset> data(random_rows(2));
  AucProblem problem(data, LinearScore(ExactForHolder::read(data).x), 1, 0.4);
  const std::vector<double> theta = {0.1, -0.2, 0.1, 0.2, -0.1, 0.05, -0.1};
  const double alpha = -0.3;
  const Gradients exact = exact_gradients(problem, theta, alpha);

  constexpr double kNoise = 1e-6;
  const PrivacyEvent event =
      testing_support::event(Adjacency::kReplaceRecord, GaussianRelease{kNoise / 2});
  Privatizer privatizer =
      Privatizer::create(ContributionLayout::create(problem.segments()).value(),
                         Adjacency::kReplaceRecord, kNoise, testing_support::permit(event),
                         testing_support::lane(1))
          .value();
  problem.begin_step(theta, std::span(&alpha, 1));
  const NoisySum noisy =
      privatizer.release(problem.clipped_sum(privatizer, Batch::everyone(kRows), nullptr).value())
          .value();
  Gradients released{std::vector<double>(problem.theta_size()), {0}};
  problem.add_released(noisy, released);
  EXPECT_THAT(released.theta, Pointwise(DoubleNear(1e-5), exact.theta));
  EXPECT_NEAR(released.w[0], exact.w[0], 1e-5);
}

}  // namespace
}  // namespace dpfermi::examples
