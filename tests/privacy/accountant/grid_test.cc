// The grid engine against closed forms, where both exist.

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>

#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "privacy/accountant/fourier.h"
#include "privacy/accountant/gdp_accountant.h"
#include "privacy/accountant/golden.h"

namespace dpfermi {
namespace {

constexpr PldOptions kGrid{.tolerance = 1e-3, .cross_check = false, .closed_forms = false};

TEST(Grid, MatchesTheGaussianDownToTenToTheMinusFifteen) {
  for (const double sigma : {0.5, 2.0, 50.0}) {
    for (const std::uint64_t steps : {1ULL, 100ULL, 10000ULL}) {
      for (const double delta : {1e-5, 1e-9, 1e-12, 1e-15}) {
        const double mu = std::sqrt(static_cast<double>(steps)) / sigma;
        if (mu > 20) continue;
        const auto event = golden::make(Adjacency::kSensitive, GaussianRelease{sigma}).times(steps);
        const auto grid = certified_epsilon(event, delta, kGrid);
        const auto exact = certified_epsilon(event, delta);
        ASSERT_TRUE(grid && exact);
        EXPECT_EQ(grid->method, "grid");
        EXPECT_EQ(exact->method, "closed form");
        EXPECT_GE(grid->upper, exact->lower) << sigma << ' ' << steps << ' ' << delta;
        EXPECT_LE(grid->lower, exact->upper) << sigma << ' ' << steps << ' ' << delta;
        EXPECT_LE(grid->upper - grid->lower, 0.002 * std::max(1.0, exact->upper));
      }
    }
  }
}

TEST(Grid, SingleStepsOfEveryPairMatch) {
  using enum Adjacency;
  const PrivacyEvent events[] = {
      golden::make(kAddRemoveRecord, PoissonGaussianRelease{0.1, 0.8}),
      golden::make(kSensitive, PoissonGaussianRelease{0.1, 0.8}),
      golden::make(kSensitive, PoissonGaussianRelease{0.6, 3}),
      golden::make(kSensitive, RevealedPoissonGaussianRelease{0.3, 1.2}),
      golden::make(kSensitive, LaplaceRelease{0.7}),
      golden::make(kSensitive, DiscreteGaussianRelease{2.5, {1}}),
      golden::make(kSensitive, DiscreteGaussianRelease{9, {3}}),
  };
  for (const PrivacyEvent& event : events) {
    for (const double delta : {1e-2, 1e-5, 1e-9}) {
      const auto grid = certified_epsilon(event, delta, kGrid);
      const auto exact = certified_epsilon(event, delta);
      ASSERT_TRUE(grid && exact) << describe(event);
      EXPECT_GE(grid->upper, exact->lower) << describe(event) << ' ' << delta;
      EXPECT_LE(grid->lower, exact->upper) << describe(event) << ' ' << delta;
      EXPECT_LE(grid->upper - grid->lower, 0.01 * std::max(1.0, exact->upper)) << describe(event);
    }
  }
}

TEST(Grid, RevealedCompositionMatchesTheBinomialMixture) {
  const auto event = golden::make(Adjacency::kSensitive, RevealedPoissonGaussianRelease{0.05, 5});
  for (const double delta : {1e-5, 1e-9}) {
    const auto grid = certified_epsilon(event.times(1000), delta, kGrid);
    const auto exact = certified_epsilon(event.times(1000), delta);
    ASSERT_TRUE(grid && exact);
    EXPECT_GE(grid->upper, exact->lower);
    EXPECT_LE(grid->lower, exact->upper);
    EXPECT_LE(grid->upper - grid->lower, 0.002 * std::max(1.0, exact->upper));
  }
}

TEST(Grid, DeltaAndEpsilonAreInverse) {
  const auto event =
      golden::make(Adjacency::kSensitive, PoissonGaussianRelease{0.02, 2}).times(500);
  const auto epsilon = certified_epsilon(event, 1e-6);
  ASSERT_TRUE(epsilon);
  const auto at_upper = certified_delta(event, epsilon->upper);
  const auto at_lower = certified_delta(event, epsilon->lower);
  ASSERT_TRUE(at_upper && at_lower);
  EXPECT_LE(at_upper->lower, 1e-6);
  EXPECT_GE(at_lower->upper, 1e-6);
}

TEST(Grid, TransformKeepsItsErrorBound) {
  // Against a direct sum in extended precision; 1536 = 3 * 2^9 also takes the radix-3 path.
  std::mt19937_64 random(7);
  for (const std::size_t n : {8U, 512U, 1536U}) {
    std::vector<std::complex<double>> in(n);
    for (auto& value : in) value = {std::ldexp(double(random() >> 11), -53), 0};
    std::vector<std::complex<double>> out(n);
    accountant::forward_transform(in, out);
    long double squared_error = 0;
    long double squares = 0;
    for (std::size_t k = 0; k < n; ++k) {
      std::complex<long double> exact = 0;
      for (std::size_t j = 0; j < n; ++j) {
        const long double angle = -2 * M_PIl * static_cast<long double>(j * k % n) / n;
        exact += std::complex<long double>(in[j]) * std::polar(1.0L, angle);
      }
      squared_error += std::norm(exact - std::complex<long double>(out[k]));
      squares += std::norm(exact);
    }
    EXPECT_LE(std::sqrt(squared_error / squares), accountant::transform_error(n)) << n;
  }
}

/// Noise far narrower than the shift: every probability but a few underflows. One release of
/// sigma = 0.1 discloses the exact count; mpmath gives delta(1) = 1 and epsilon(1e-5) just
/// below 50.
TEST(Grid, ANearlyNoiselessDiscreteGaussianCostsWhatItShould) {
  const auto bound = [](double sigma, std::int64_t shift, bool closed_forms) {
    const auto event =
        PrivacyEvent::create(Adjacency::kAddRemoveRecord, DiscreteGaussianRelease{sigma, {shift}});
    return certified_epsilon(*event, 1e-5, {.closed_forms = closed_forms}).value();
  };
  EXPECT_NEAR(bound(0.1, 1, true).upper, 50, 0.01);
  for (const auto& [sigma, shift] : std::vector<std::pair<double, std::int64_t>>{
           {0.12, 1}, {0.2, 2}, {0.28, 4}, {1.3, 30}, {40, 1000}, {3, 40}}) {
    const CertifiedBound closed = bound(sigma, shift, true);
    const CertifiedBound grid = bound(sigma, shift, false);
    EXPECT_LE(closed.lower, grid.upper) << sigma << " " << shift;
    EXPECT_GE(closed.upper, grid.lower) << sigma << " " << shift;
    EXPECT_GT(closed.upper, 1) << sigma << " " << shift;
  }
}

}  // namespace
}  // namespace dpfermi
