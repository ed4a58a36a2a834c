#include "dpfermi/privacy/accountant/price.h"

#include <gtest/gtest.h>

#include <cmath>

#include "dpfermi/privacy/accountant/pld_accountant.h"

namespace dpfermi {
namespace {

PrivacyEvent gaussian(double sigma) {
  return PrivacyEvent::create(Adjacency::kSensitive, GaussianRelease{sigma}).value();
}

TEST(Price, CoversTheCertifiedCostOfAllReleases) {
  const Charge charge = priced_charge("test", gaussian(20), 100, 1e-6, 1e-25).value();
  const CertifiedBound exact = certified_epsilon(gaussian(20).times(100), 1e-6).value();
  EXPECT_GT(charge.cost.epsilon, exact.upper);
  EXPECT_NEAR(charge.cost.epsilon, exact.upper, 1e-5);
  EXPECT_EQ(charge.cost.delta, 1e-6);
  EXPECT_EQ(charge.count, 100U);
}

TEST(Price, WithoutNoiseItIsInfinite) {
  const auto exact = PrivacyEvent::create(Adjacency::kSensitive, ExactRelease{}).value();
  EXPECT_TRUE(std::isinf(priced_charge("test", exact, 1, 1e-6, 1e-25)->cost.epsilon));
}

TEST(Price, RefusesADeltaBelowThePrecisionOfTheNoise) {
  EXPECT_TRUE(priced_charge("test", gaussian(20), 1, 1e-12, 1e-20));
  EXPECT_FALSE(priced_charge("test", gaussian(20), 1, 1e-12, 1e-17));
  EXPECT_FALSE(priced_charge("test", gaussian(0.01), 1, 1e-6, 1e-25));
}

}  // namespace
}  // namespace dpfermi
