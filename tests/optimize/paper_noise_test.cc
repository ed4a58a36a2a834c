// What the noise of the paper's theorem costs, by an accountant.
#include <gtest/gtest.h>

#include <cmath>

#include "optimize/dp_fermi_paper.h"
#include "optimize/paper_fixtures.h"
#include "privacy/accountant/paper_bound.h"

namespace dpfermi {
namespace {

using testing_support::certified;

/// The numbers of the theorem with its own sensitivities: equal shares attain them.
PaperNumbers theorem_numbers(double n, double m, std::uint64_t steps, double epsilon,
                             double delta) {
  const PaperSetting setting{.adjacency = Adjacency::kSensitive,
                             .records = n,
                             .batch = m,
                             .steps = steps,
                             .rho = 0.5,
                             .lipschitz = 5,
                             .diameter = 5,
                             .labels = 2};
  const PaperNoise noise = paper_noise(setting, epsilon, delta).value();
  return {.claimed_epsilon = epsilon,
          .rho = 0.5,
          .sigma_theta = noise.sigma_theta,
          .sigma_w = noise.sigma_w,
          .theta_bound = std::sqrt(2 / 0.5) * 25,
          .w_bound = std::sqrt(2 / 0.5)};
}

struct TableRow {
  double claimed, theta_only, joint, no_amplification;
};

/// Golden values: the table "true epsilon for the theorem's noise" of our notes on the paper, from
/// an independent PLD program; two digits.
TEST(PaperNoise, TheTheoremsNoiseCostsWhatTheNotesSay) {
  struct Setting {
    double n;
    std::uint64_t batches;  // of 1024, an epoch
    std::vector<TableRow> rows;
  };
  const std::vector<Setting> settings = {
      {45243,
       45,
       {{.5, .41, .59, 4.3}, {1, .85, 1.22, 9.3}, {3, 2.7, 3.9, 35}, {9, 9.0, 13.3, 159}}},
      {22500,
       22,
       {{.5, .41, .59, 3.0}, {1, .84, 1.21, 6.4}, {3, 2.7, 3.9, 23}, {9, 9.0, 13.4, 99}}}};
  for (const Setting& setting : settings) {
    const std::uint64_t steps = 200 * setting.batches;
    const double q = 1024 / setting.n;
    const double delta = 1 / (setting.n * setting.n);
    for (const TableRow& row : setting.rows) {
      SCOPED_TRACE(testing::Message() << "n = " << setting.n << ", claim " << row.claimed);
      const PaperNumbers numbers = theorem_numbers(setting.n, 1024, steps, row.claimed, delta);
      const double theta_only = 1024 * numbers.sigma_theta / numbers.theta_bound;
      const double joint = split_paper_noise(numbers, 1, 1024).noise_multiplier;
      EXPECT_NEAR(joint, theta_only / std::sqrt(2.0), 1e-9);
      const auto two_digits = [](double value) { return 0.01 * value + 0.005; };
      EXPECT_NEAR(certified(PoissonGaussianRelease{q, theta_only}, steps, delta), row.theta_only,
                  two_digits(row.theta_only));
      EXPECT_NEAR(certified(PoissonGaussianRelease{q, joint}, steps, delta), row.joint,
                  two_digits(row.joint));
      EXPECT_NEAR(certified(GaussianRelease{joint / 2}, 200, delta), row.no_amplification,
                  0.015 * row.no_amplification + 0.05);
    }
  }
}

/// Golden values: tests/privacy/accountant/golden_tables.json, "fermi_theorem_check" (n = 36,631,
/// m = 1024, T = 7154, delta = 1e-5), from an independent program: both streams, membership
/// revealed.
TEST(PaperNoise, RevealedMembershipCostsFarMore) {
  const std::vector<std::vector<double>> rows = {
      {0.5, 3.8284666, 8.1930882}, {1, 8.6999678, 19.7360902}, {3, 36.9039874, 97.5107882}};
  for (const std::vector<double>& row : rows) {
    const PaperNumbers numbers = theorem_numbers(36631, 1024, 7154, row[0], 1e-5);
    for (const auto& [lambda, expected] : {std::pair{1.0, row[1]}, std::pair{2.5, row[2]}}) {
      const double z = split_paper_noise(numbers, lambda, 1024).noise_multiplier;
      EXPECT_NEAR(certified(RevealedPoissonGaussianRelease{1024.0 / 36631, z / 2}, 7154, 1e-5),
                  expected, 1e-6 * expected);
    }
  }
}

/// The last two columns of the table in docs/paper-method.md.
TEST(PaperNoise, MatchesTheTableOfTheDocs) {
  const std::vector<std::vector<double>> rows = {
      {0.5, 4.48, 9.14}, {1, 9.67, 20.6}, {3, 36.5, 88.3}, {9, 176, 518}};
  constexpr double kRecords = 45243;
  constexpr double kDelta = 1 / (kRecords * kRecords);
  for (const std::vector<double>& row : rows) {
    const PaperNumbers numbers = theorem_numbers(kRecords, 1024, 9000, row[0], kDelta);
    for (const auto& [lambda, printed] : {std::pair{1.0, row[1]}, std::pair{2.5, row[2]}}) {
      const double z = split_paper_noise(numbers, lambda, 1024).noise_multiplier;
      EXPECT_NEAR(certified(RevealedPoissonGaussianRelease{1024 / kRecords, z / 2}, 9000, kDelta),
                  printed, 5e-3 * printed);
    }
  }
}

TEST(PaperNoise, ExtremeLambdasKeepTheNoise) {
  const PaperNumbers numbers = theorem_numbers(36631, 1024, 7154, 1, 1e-5);
  for (const double lambda : {1e-12, 1e-3, 1.0, 1e6, 1e14}) {
    const PaperNoiseSplit split = split_paper_noise(numbers, lambda, 1024);
    const auto layout = ContributionLayout::create(
        {{3, split.theta_bound, split.theta_weight}, {4, split.w_bound, split.w_weight}});
    ASSERT_TRUE(layout);
    EXPECT_NEAR(split.noise_multiplier * split.theta_bound / layout->share(0),
                1024 * numbers.sigma_theta, 1e-9 * 1024 * numbers.sigma_theta);
    EXPECT_NEAR(split.noise_multiplier * split.w_bound / layout->share(1) * lambda,
                1024 * numbers.sigma_w, 1e-9 * 1024 * numbers.sigma_w);
    EXPECT_GE(split.theta_bound, numbers.theta_bound * (1 - 1e-12));
    EXPECT_GE(split.w_bound, numbers.w_bound * (1 - 1e-12));
  }
}

}  // namespace
}  // namespace dpfermi
