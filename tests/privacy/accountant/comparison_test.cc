// The accountants kept for comparison: RDP and the paper's theorem.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "privacy/accountant/golden.h"
#include "privacy/accountant/paper_bound.h"
#include "privacy/accountant/rdp_accountant.h"

namespace dpfermi {
namespace {

using ::testing::HasSubstr;
using enum Adjacency;

TEST(Rdp, WholeOrdersMatchTheBinomialSum) {
  // The textbook sum for the remove direction at whole orders, term by term.
  const double q = 0.03;
  const double sigma = 1.7;
  const auto event = golden::make(kAddRemoveRecord, PoissonGaussianRelease{q, sigma});
  for (const int order : {2, 3, 7, 20}) {
    double sum = 0;
    double binomial = 1;
    for (int k = 0; k <= order; ++k) {
      sum += binomial * std::pow(1 - q, order - k) * std::pow(q, k) *
             std::exp(k * (k - 1) / (2 * sigma * sigma));
      binomial = binomial * (order - k) / (k + 1);
    }
    EXPECT_NEAR(renyi_divergence(event, order).value(), std::log(sum) / (order - 1), 1e-12);
  }
}

TEST(Rdp, BoundsTheCertifiedEpsilonFromAbove) {
  const PrivacyEvent events[] = {
      golden::make(kSensitive, PoissonGaussianRelease{0.01, 1}).times(1000),
      golden::make(kAddRemoveRecord, PoissonGaussianRelease{0.2, 5}).times(100),
      golden::make(kSensitive, RevealedPoissonGaussianRelease{0.05, 5}).times(1000),
      golden::make(kSensitive, LaplaceRelease{20}).times(100),
      golden::make(kSensitive, DiscreteGaussianRelease{10, {1}}).times(100),
  };
  for (const PrivacyEvent& event : events) {
    const auto rdp = rdp_epsilon(event, 1e-6);
    const auto bound = certified_epsilon(event, 1e-6);
    ASSERT_TRUE(rdp && bound);
    EXPECT_GE(rdp->epsilon, bound->lower) << describe(event);
    EXPECT_LE(rdp->epsilon, 2 * bound->upper) << describe(event);
  }
}

PaperSetting adult() {
  return {.adjacency = kSensitive,
          .records = 36631,
          .batch = 1024,
          .steps = 7154,
          .rho = 0.3,
          .lipschitz = 5,
          .diameter = 5,
          .labels = 2};
}

/// The epsilon that the theorem claims for this noise: the smallest one whose noise does not exceed
/// it in either part. sigma^2 = factor T ln(1/delta) / (epsilon n)^2.
double theorem_epsilon(const PaperSetting& s, const PaperNoise& noise, double delta) {
  const double ld = s.lipschitz * s.diameter;
  const double quadratic = s.diameter * ld * s.labels;
  const bool one = s.adjacency == kSensitive;
  const double theta =
      one ? 16 * ld * ld / s.rho : 64 * ld * ld / s.rho + 32 * quadratic * quadratic;
  const double w = one ? 16 / s.rho : 32 * (1 / s.rho + s.diameter * s.diameter);
  const double unit = std::sqrt(static_cast<double>(s.steps) * std::log(1 / delta)) / s.records;
  return unit * std::max(std::sqrt(theta) / noise.sigma_theta, std::sqrt(w) / noise.sigma_w);
}

TEST(PaperBound, NoiseAndEpsilonAreInverse) {
  for (const Adjacency adjacency : {kSensitive, kReplaceRecord}) {
    PaperSetting setting = adult();
    setting.adjacency = adjacency;
    const auto noise = paper_noise(setting, 3, 1e-5);
    ASSERT_TRUE(noise);
    EXPECT_NEAR(theorem_epsilon(setting, *noise, 1e-5), 3, 1e-12);
    const PaperNoise less{noise->sigma_theta, noise->sigma_w / 2};
    EXPECT_NEAR(theorem_epsilon(setting, less, 1e-5), 6, 1e-12);
  }
}

TEST(PaperBound, IsTheStatedFormula) {
  const PaperSetting s = adult();
  const auto noise = paper_noise(s, 1, 1e-5);
  const double common = 7154 * std::log(1e5) / (36631.0 * 36631.0);
  EXPECT_NEAR(noise->sigma_w, std::sqrt(16 * common / 0.3), 1e-12);
  EXPECT_NEAR(noise->sigma_theta, std::sqrt(16 * 25 * 25 * common / 0.3), 1e-12);
  const golden::Json tables = golden::load("golden_tables.json");
  for (const golden::Json& row : tables.at("fermi_theorem_check")) {
    const PaperClaim claim =
        paper_claim(row.at("q"), row.at("T"), row.at("z_per_block"), row.at("delta"));
    EXPECT_NEAR(claim.epsilon, row.at("claimed").get<double>(), 1e-9);
    EXPECT_EQ(claim.assumptions_hold, row.at("theorem_cond_T").get<bool>());
  }
}

TEST(PaperBound, ChecksItsAssumptions) {
  EXPECT_THAT(paper_noise(adult(), 30, 1e-5).error().message, HasSubstr("2 ln(1/delta)"));
  PaperSetting few = adult();
  few.steps = 10;
  EXPECT_THAT(paper_noise(few, 1, 1e-5).error().message, HasSubstr("more steps"));
  PaperSetting other = adult();
  other.adjacency = kAddRemoveRecord;
  EXPECT_THAT(paper_noise(other, 1, 1e-5).error().message, HasSubstr("add-remove-record"));
  PaperSetting empty = adult();
  empty.rho = 0;
  EXPECT_FALSE(paper_noise(empty, 1, 1e-5));
}

/// With q next to 1 the pair is nearly the Gaussian of distance 2, whose divergence is 2 alpha /
/// sigma^2.
TEST(Rdp, HighOrdersNearFullSamplingKeepTheirMass) {
  for (const auto& [sigma, order] : std::vector<std::pair<double, double>>{{2, 60}, {5, 200}}) {
    const auto event =
        PrivacyEvent::create(Adjacency::kReplaceRecord, PoissonGaussianRelease{1 - 1e-15, sigma});
    const double divergence = renyi_divergence(*event, order).value();
    EXPECT_NEAR(divergence, 2 * order / (sigma * sigma), 0.02 * divergence) << sigma;
  }
}

}  // namespace
}  // namespace dpfermi
