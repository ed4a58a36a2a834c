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

JointPlan training(std::uint64_t steps, std::uint64_t spare) {
  const PrivacyEvent counts =
      PrivacyEvent::create(Adjacency::kSensitive, DiscreteGaussianRelease{8, {1, 1}}).value();
  return {.purpose = "training",
          .parts = {{"counts", counts}, {"steps", gaussian(20), steps, spare}},
          .fixed_seed = true};
}

TEST(Price, OfAJointPlanIsThatOfTheComposition) {
  const JointPlan plan = priced_plan(training(90, 10), 1e-6, 1e-25).value();
  const CertifiedBound exact =
      certified_epsilon(*whole_event(plan.parts), 1e-6, {.tolerance = 1e-4}).value();
  EXPECT_GT(plan.cost.epsilon, exact.lower);
  EXPECT_NEAR(plan.cost.epsilon, exact.upper, 1e-4 * exact.upper);
  EXPECT_EQ(plan.cost.delta, 1e-6);
  EXPECT_EQ(plan.purpose, "training");
  EXPECT_TRUE(plan.fixed_seed);
  EXPECT_EQ(plan.cost.epsilon, priced_plan(training(100, 0), 1e-6)->cost.epsilon)
      << "spare steps are paid for";
}

// Two Gaussians and their closed form (Balle and Wang 2018): sigma 20 at 100 steps is mu = 0.5, the
// counts (two cells, sigma 8) have mu = sqrt(2)/8 up to their lattice; together mu = 0.5303.
// epsilon at delta 1e-6, by bisection of delta = Phi(mu/2 - e/mu) - exp(e) Phi(-mu/2 - e/mu).
TEST(Price, OfAJointPlanIsLessThanTheSumOfSeparateCharges) {
  const JointPlan plan = priced_plan(training(100, 0), 1e-6).value();
  EXPECT_NEAR(plan.cost.epsilon, 2.40492, 2e-4);
  const double counts = priced_charge("c", plan.parts[0].event, 1, 5e-7)->cost.epsilon;
  const double steps = priced_charge("s", plan.parts[1].event, 100, 5e-7)->cost.epsilon;
  EXPECT_LT(plan.cost.epsilon, 0.8 * (counts + steps));
}

TEST(Price, OfAJointPlanIsRefusedWhereThatOfAChargeWouldBe) {
  EXPECT_FALSE(priced_plan(training(1, 0), 1e-12, 1e-17));
  EXPECT_FALSE(priced_plan({.purpose = "nothing"}, 1e-6));
  JointPlan exact = training(1, 0);
  exact.parts[0].event = PrivacyEvent::create(Adjacency::kSensitive, ExactRelease{}).value();
  EXPECT_TRUE(std::isinf(priced_plan(exact, 1e-6)->cost.epsilon));
  exact.parts[0].event = PrivacyEvent::create(Adjacency::kReplaceRecord, ExactRelease{}).value();
  EXPECT_FALSE(priced_plan(exact, 1e-6)) << "two adjacencies";
}

}  // namespace
}  // namespace dpfermi
