// Monotone in sigma, q, T and delta, up to the certified width: the exact epsilon is monotone, so
// the upper bound at the costlier setting never lies below the lower bound at the cheaper one.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "privacy/accountant/golden.h"

namespace dpfermi {
namespace {

struct Setting {
  Adjacency adjacency;
  double q;
  double sigma;
  std::uint64_t steps;
  double delta;
};

class RandomSettings {
 public:
  Setting next() {
    const Adjacency adjacency[] = {Adjacency::kSensitive, Adjacency::kReplaceRecord,
                                   Adjacency::kAddRemoveRecord};
    return {adjacency[random_() % 3], log_uniform(1e-3, 0.9), log_uniform(0.6, 30),
            static_cast<std::uint64_t>(log_uniform(1, 3000)), log_uniform(1e-12, 1e-2)};
  }

  double log_uniform(double low, double high) {
    const double u = std::ldexp(static_cast<double>(random_() >> 11), -53);
    return low * std::pow(high / low, u);
  }

 private:
  std::mt19937_64 random_{20260101};
};

CertifiedBound account(const Setting& s) {
  const auto step = golden::make(s.adjacency, PoissonGaussianRelease{s.q, s.sigma});
  return certified_epsilon(step.times(s.steps), s.delta).value();
}

TEST(Properties, EpsilonIsMonotoneUpToTheCertifiedWidth) {
  RandomSettings settings;
  for (int i = 0; i < 60; ++i) {
    const Setting base = settings.next();
    const double factor = settings.log_uniform(1.001, 1.5);
    const CertifiedBound bound = account(base);
    ASSERT_LE(bound.lower, bound.upper);
    ASSERT_LE(bound.upper - bound.lower, 0.003 * std::max(1.0, bound.upper))
        << base.q << ' ' << base.sigma << ' ' << base.steps << ' ' << base.delta;
    Setting cheaper = base;
    switch (i % 4) {
      case 0:
        cheaper.sigma *= factor;
        break;
      case 1:
        cheaper.q /= factor;
        break;
      case 2:
        cheaper.delta *= factor;
        break;
      default:
        cheaper.steps = std::max<std::uint64_t>(1, base.steps - 1);
    }
    EXPECT_LE(account(cheaper).lower, bound.upper) << i;
  }
}

TEST(Properties, TheExchangePairLiesBetweenRevealedAndPlainSampling) {
  // Hiding membership helps; exchanging a contribution costs at least as much as removing it.
  RandomSettings settings;
  for (int i = 0; i < 15; ++i) {
    Setting s = settings.next();
    s.adjacency = Adjacency::kSensitive;
    const CertifiedBound exchange = account(s);
    const auto revealed =
        golden::make(s.adjacency, RevealedPoissonGaussianRelease{s.q, s.sigma / 2});
    EXPECT_LE(exchange.lower, certified_epsilon(revealed.times(s.steps), s.delta).value().upper);
    s.adjacency = Adjacency::kAddRemoveRecord;
    EXPECT_LE(account(s).lower, exchange.upper);
  }
}

TEST(Properties, ComposingMoreCostsMore) {
  RandomSettings settings;
  for (int i = 0; i < 15; ++i) {
    const Setting s = settings.next();
    const auto steps =
        golden::make(s.adjacency, PoissonGaussianRelease{s.q, s.sigma}).times(s.steps);
    const auto first = golden::make(s.adjacency, LaplaceRelease{settings.log_uniform(2, 50)});
    const auto both = golden::make(s.adjacency, Composition{{first, steps}});
    const CertifiedBound alone = certified_epsilon(steps, s.delta).value();
    const CertifiedBound together = certified_epsilon(both, s.delta).value();
    EXPECT_GE(together.upper, alone.lower);
    const double pure = certified_epsilon(first, 0).value().upper;
    EXPECT_LE(together.lower, alone.upper + pure);
  }
}

}  // namespace
}  // namespace dpfermi
