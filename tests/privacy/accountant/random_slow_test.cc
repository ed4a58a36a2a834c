// Random compositions of everything: bounds in order, and never a disagreement between the grid and
// the contour engine.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "privacy/accountant/golden.h"
#include "privacy/accountant/rdp_accountant.h"

namespace dpfermi {
namespace {

class RandomEvents {
 public:
  double log_uniform(double low, double high) {
    const double u = std::ldexp(static_cast<double>(random_() >> 11), -53);
    return low * std::pow(high / low, u);
  }

  PrivacyEvent next() {
    const Adjacency adjacency =
        random_() % 2 == 0 ? Adjacency::kSensitive : Adjacency::kAddRemoveRecord;
    Composition all;
    const std::uint64_t parts = 1 + random_() % 3;
    for (std::uint64_t i = 0; i < parts; ++i) {
      const auto steps = static_cast<std::uint64_t>(log_uniform(1, 2000));
      all.parts.push_back(golden::make(adjacency, release()).times(steps));
    }
    return golden::make(adjacency, std::move(all));
  }

 private:
  PrivacyEvent::Node release() {
    switch (random_() % 6) {
      case 0:
        return GaussianRelease{log_uniform(3, 100)};
      case 1:
        return LaplaceRelease{log_uniform(3, 200)};
      case 2:
        return DiscreteGaussianRelease{log_uniform(3, 50), {1, 2}};
      case 3:
        return RevealedPoissonGaussianRelease{log_uniform(1e-4, 0.99), log_uniform(1, 50)};
      default:
        return PoissonGaussianRelease{log_uniform(1e-5, 0.99), log_uniform(0.5, 100)};
    }
  }

  std::mt19937_64 random_{20260203};
};

TEST(RandomCompositions, BoundsHoldTogether) {
  RandomEvents events;
  int second_opinions = 0;
  for (int i = 0; i < 600; ++i) {
    const PrivacyEvent event = events.next();
    const double delta = events.log_uniform(1e-14, 1e-2);
    const auto bound = certified_epsilon(event, delta);
    ASSERT_TRUE(bound) << describe(event) << ' ' << delta << ": " << bound.error().message;
    EXPECT_LE(bound->lower, bound->upper) << describe(event) << ' ' << delta;
    EXPECT_TRUE(std::isfinite(bound->upper)) << describe(event) << ' ' << delta;
    EXPECT_LE(bound->lower, rdp_epsilon(event, delta).value().epsilon * (1 + 1e-9) + 1e-9)
        << describe(event) << ' ' << delta;
    if (bound->second_opinion) ++second_opinions;
  }
  EXPECT_GE(second_opinions, 20);
}

}  // namespace
}  // namespace dpfermi
