#include "dpfermi/privacy/accountant/calibrate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "privacy/accountant/golden.h"

namespace dpfermi {
namespace {

using ::testing::HasSubstr;
using enum Adjacency;

EventFamily family_of(Adjacency adjacency, double q, std::uint64_t steps) {
  return [=](double noise) -> Result<PrivacyEvent> {
    return golden::make(adjacency, PoissonGaussianRelease{q, noise}).times(steps);
  };
}

TEST(Calibrate, NoiseOfEveryInverseRowIsCertifiedAndTight) {
  int row_number = 0;
  for (const golden::Json& row : golden::load("golden_accounting.json")) {
    if (row.at("group") != "inverse" || ++row_number % 3 != 0) continue;
    const EventFamily family = [&](double noise) -> Result<PrivacyEvent> {
      return golden::release(row.at("mechanism"), golden::adjacency_of(row), row.at("q"), noise)
          .times(row.at("T"));
    };
    const double target = row.at("epsilon_lower");
    const double sigma = row.at("sigma");
    const auto found = calibrate_noise(family, target, row.at("delta"));
    ASSERT_TRUE(found) << row.at("id") << found.error().message;
    EXPECT_LE(found->epsilon, target) << row.at("id");
    EXPECT_GE(found->value, sigma * (1 - 1e-9)) << row.at("id");
    EXPECT_LE(found->value, sigma * 1.002) << row.at("id");
    const auto again = certified_epsilon(family(found->value).value(), row.at("delta"));
    EXPECT_LE(again.value().lower, target) << row.at("id");
  }
}

TEST(Calibrate, RateAndStepsInvertTheNoise) {
  const double delta = 1e-6;
  const auto noise = calibrate_noise(family_of(kSensitive, 0.02, 800), 1.5, delta);
  ASSERT_TRUE(noise);
  const auto rate = calibrate_rate(
      [&](double q) -> Result<PrivacyEvent> {
        return golden::make(kSensitive, PoissonGaussianRelease{q, noise->value}).times(800);
      },
      1.5, delta);
  ASSERT_TRUE(rate);
  EXPECT_NEAR(rate->value, 0.02, 1e-4);
  EXPECT_LE(rate->epsilon, 1.5);
  const auto nothing = golden::make(kSensitive, Composition{});
  const auto step = golden::make(kSensitive, PoissonGaussianRelease{0.02, noise->value});
  const auto steps = calibrate_steps(nothing, step, 1.5, delta);
  ASSERT_TRUE(steps);
  EXPECT_NEAR(static_cast<double>(steps->steps), 800, 4);
  EXPECT_LE(steps->epsilon, 1.5);
}

TEST(Calibrate, TheLargestNumberOfGaussianStepsIsExact) {
  const auto nothing = golden::make(kSensitive, Composition{});
  const auto step = golden::make(kSensitive, GaussianRelease{10});
  const auto found = calibrate_steps(nothing, step, 1.2, 1e-5);
  ASSERT_TRUE(found);
  EXPECT_LE(certified_epsilon(step.times(found->steps), 1e-5).value().upper, 1.2);
  EXPECT_GT(certified_epsilon(step.times(found->steps + 1), 1e-5).value().upper, 1.2);
}

TEST(Calibrate, CountsStepsAfterAFirstRelease) {
  const auto step = golden::make(kSensitive, GaussianRelease{10});
  const auto costly = golden::make(kSensitive, GaussianRelease{0.5});
  EXPECT_THAT(calibrate_steps(costly, step, 1, 1e-5).error().message, HasSubstr("first release"));
  const auto loud = golden::make(kSensitive, GaussianRelease{0.1});
  const auto nothing = golden::make(kSensitive, Composition{});
  EXPECT_EQ(calibrate_steps(nothing, loud, 1, 1e-5).value().steps, 0U);
}

TEST(Calibrate, SplitsABudgetOverCountsAndSteps) {
  const EventFamily counts = [](double sigma) {
    return PrivacyEvent::create(kSensitive, DiscreteGaussianRelease{sigma, {1, 1}});
  };
  const EventFamily step = [](double noise) {
    return PrivacyEvent::create(kSensitive, PoissonGaussianRelease{0.02, noise});
  };
  const auto split = split_budget(counts, step, 500, 0.1, 1, 1e-6);
  ASSERT_TRUE(split) << split.error().message;
  EXPECT_LE(split->first_epsilon, 0.1);
  EXPECT_LE(split->epsilon, 1);
  EXPECT_GT(split->epsilon, 0.999);
  // Composition beats adding up: less noise than a budget of 0.9 for the steps alone would need.
  const auto alone = calibrate_noise(family_of(kSensitive, 0.02, 500), 0.9, 1e-6);
  EXPECT_LT(split->step_noise, alone.value().value);
}

TEST(Calibrate, AHugeBudgetOnALatticeHasAnAnswer) {
  const EventFamily counts = [](double sigma) {
    return PrivacyEvent::create(kSensitive, DiscreteGaussianRelease{sigma, {1, 1}});
  };
  for (const double epsilon : {50.0, 200.0, 400.0, 800.0, 2000.0}) {
    const auto found = calibrate_noise(counts, epsilon, 1e-9);
    ASSERT_TRUE(found) << epsilon << ": " << found.error().message;
    EXPECT_LE(found->epsilon, epsilon);
    EXPECT_GT(found->value, 0.8 / std::sqrt(epsilon)) << epsilon;  // both cells lose 1/sigma^2
    EXPECT_LT(found->value, 2 / std::sqrt(epsilon)) << epsilon;
  }
}

TEST(Calibrate, WhatReleasesNothingNeedsNoNoise) {
  EXPECT_EQ(calibrate_noise(family_of(kSensitive, 0.1, 0), 1, 1e-5).value().value, 0);
  EXPECT_EQ(calibrate_noise(family_of(kSensitive, 0, 10), 1, 1e-5).value().value, 0);
}

TEST(Calibrate, LaplaceNeedsNoDelta) {
  const EventFamily family = [](double noise) -> Result<PrivacyEvent> {
    return golden::make(kSensitive, LaplaceRelease{noise}).times(10);
  };
  const auto found = calibrate_noise(family, 0.5, 0);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_NEAR(found->value, 20, 0.01);
  EXPECT_LE(found->epsilon, 0.5);
}

TEST(Calibrate, TinyTargetsAreCertifiedInBoundedTime) {
  const auto found = calibrate_noise(family_of(kSensitive, 0.1, 100'000), 1e-9, 1e-9);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_LE(found->epsilon, 1e-9);
}

TEST(Calibrate, RefusesBudgetsWithoutMeaning) {
  const EventFamily family = family_of(kSensitive, 0.1, 10);
  for (const double epsilon : {0.0, -1.0, std::nan("")}) {
    EXPECT_FALSE(calibrate_noise(family, epsilon, 1e-5)) << epsilon;
  }
  for (const double delta : {0.0, 1.0, -1.0, std::nan("")}) {
    EXPECT_FALSE(calibrate_noise(family, 1, delta)) << delta;
  }
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(calibrate_noise(family, infinite, 1e-5).value().value, 0);
  EXPECT_FALSE(split_budget(family, family, 3, 1.5, 1, 1e-5));
}

}  // namespace
}  // namespace dpfermi
