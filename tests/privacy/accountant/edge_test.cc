#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "dpfermi/privacy/accountant/calibrate.h"
#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "privacy/accountant/gdp_accountant.h"
#include "privacy/accountant/golden.h"
#include "privacy/accountant/rdp_accountant.h"

namespace dpfermi {
namespace {

using ::testing::HasSubstr;
using enum Adjacency;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double upper(const PrivacyEvent& event, double delta) {
  return certified_epsilon(event, delta).value().upper;
}

TEST(Edges, WhatHidesEverythingCostsNothing) {
  const PrivacyEvent nothing[] = {
      golden::make(kSensitive, Composition{}),
      golden::make(kSensitive, GaussianRelease{1}).times(0),
      golden::make(kSensitive, GaussianRelease{kInfinity}).times(10),
      golden::make(kSensitive, PoissonGaussianRelease{0, 1}).times(10),
      golden::make(kSensitive, PoissonGaussianRelease{0, 0}).times(10),
      golden::make(kSensitive, LaplaceRelease{kInfinity}),
      golden::make(kSensitive, DiscreteGaussianRelease{kInfinity, {1}}),
      golden::make(kAddRemoveRecord, RevealedPoissonGaussianRelease{0.5, kInfinity}),
  };
  for (const PrivacyEvent& event : nothing) {
    EXPECT_EQ(upper(event, 1e-5), 0) << describe(event);
    EXPECT_EQ(upper(event, 0), 0) << describe(event);
    EXPECT_EQ(certified_delta(event, 0).value().upper, 0) << describe(event);
  }
}

TEST(Edges, WithoutNoiseEpsilonIsInfinite) {
  const PrivacyEvent open[] = {
      golden::make(kSensitive, ExactRelease{}),
      golden::make(kSensitive, GaussianRelease{0}),
      golden::make(kSensitive, LaplaceRelease{0}),
      golden::make(kSensitive, DiscreteGaussianRelease{0, {1}}),
      golden::make(kSensitive, PoissonGaussianRelease{1, 0}),
      golden::make(kSensitive, PoissonGaussianRelease{0.1, 0}),
      golden::make(kAddRemoveRecord, PoissonGaussianRelease{0.1, 0}),
      golden::make(kSensitive, RevealedPoissonGaussianRelease{0.1, 0}),
  };
  for (const PrivacyEvent& event : open) {
    const auto bound = certified_epsilon(event, 1e-5);
    ASSERT_TRUE(bound);
    EXPECT_EQ(bound->lower, kInfinity) << describe(event);
    EXPECT_EQ(bound->upper, kInfinity) << describe(event);
    EXPECT_EQ(certified_delta(event, 3).value().upper, 1) << describe(event);
  }
}

TEST(Edges, FullSamplingIsTheGaussianOfTheAdjacency) {
  const auto exchange = golden::make(kReplaceRecord, PoissonGaussianRelease{1, 4}).times(9);
  const auto add_remove = golden::make(kAddRemoveRecord, PoissonGaussianRelease{1, 4}).times(9);
  EXPECT_NEAR(upper(exchange, 1e-6), gdp_epsilon(1.5, 1e-6), 1e-10);
  EXPECT_NEAR(upper(add_remove, 1e-6), gdp_epsilon(0.75, 1e-6), 1e-10);
}

TEST(Edges, DeltaZeroAndOneAreAnswered) {
  const auto laplace = golden::make(kSensitive, LaplaceRelease{5});
  EXPECT_NEAR(upper(laplace.times(10), 0), 2, 1e-11);
  EXPECT_EQ(upper(golden::make(kSensitive, GaussianRelease{3}), 0), kInfinity);
  EXPECT_EQ(upper(golden::make(kSensitive, PoissonGaussianRelease{0.1, 3}), 0), kInfinity);
  EXPECT_EQ(upper(golden::make(kSensitive, GaussianRelease{0.1}), 1), 0);
  EXPECT_EQ(upper(golden::make(kSensitive, GaussianRelease{0}), 1), 0);
}

TEST(Edges, NothingIsLostBeyondTheLargestLoss) {
  const auto laplace = golden::make(kSensitive, LaplaceRelease{10});
  EXPECT_EQ(certified_delta(laplace, 0.1).value().upper, 0);
  EXPECT_GT(certified_delta(laplace, std::nextafter(0.1, 0.0) - 1e-15).value().upper, 0);
  EXPECT_EQ(certified_delta(laplace.times(30), 3.0000001).value().upper, 0);
  EXPECT_GT(certified_delta(laplace.times(30), 2.9).value().upper, 0);
  const auto gaussian = golden::make(kSensitive, GaussianRelease{10});
  EXPECT_FALSE(std::signbit(certified_delta(gaussian, kInfinity).value().upper));
}

TEST(Edges, TheWorkIsBoundedAndWiderBoundsStayValid) {
  // Quantities that took minutes: the finest grid answers them with more width, on both sides.
  const auto steps = golden::make(kSensitive, PoissonGaussianRelease{0.01, 1}).times(1000);
  const auto usual = certified_epsilon(steps, 1e-6).value();
  const auto finest = certified_epsilon(steps, 1e-6, {.tolerance = 1e-12}).value();
  EXPECT_LT(finest.points, 1U << 20);
  EXPECT_GE(finest.lower, usual.lower);
  EXPECT_LE(finest.upper, usual.upper);
  const auto faint = golden::make(kSensitive, PoissonGaussianRelease{0.1, 1e12}).times(100000);
  EXPECT_LT(certified_epsilon(faint, 1e-9, {.tolerance = 1e-12}).value().upper, 1e-9);
  const auto loud = golden::make(kSensitive, PoissonGaussianRelease{0.1, 0.04}).times(10);
  EXPECT_GT(certified_epsilon(loud, 1e-5).value().lower, 400);
}

TEST(Edges, ARelativeToleranceConfirmsWhatCalibrationFound) {
  for (const auto& [epsilon, delta] :
       {std::pair(1e-3, 1e-12), std::pair(1e-6, 1e-12), std::pair(0.1, 1e-30)}) {
    const EventFamily family = [](double z) -> Result<PrivacyEvent> {
      return golden::make(kSensitive, PoissonGaussianRelease{0.3, z}).times(100);
    };
    const Calibrated found = calibrate_noise(family, epsilon, delta).value();
    const CertifiedBound again =
        certified_epsilon(*family(found.value), delta, {.relative = true}).value();
    EXPECT_LE(again.upper, epsilon);
    EXPECT_LE(again.upper - again.lower, 1e-3 * again.upper);
  }
}

TEST(Edges, ABoundWithoutAmplificationIsCalledSo) {
  const auto loud = golden::make(kSensitive, PoissonGaussianRelease{0.02, 0.3}).times(10'000'000);
  EXPECT_EQ(certified_epsilon(loud, 1e-5).value().method, kFallback);
  const auto usual = golden::make(kSensitive, PoissonGaussianRelease{0.02, 3}).times(100);
  EXPECT_EQ(certified_epsilon(usual, 1e-5).value().method, "grid");
}

TEST(Edges, ALargeDeltaNeedsNoEpsilon) {
  EXPECT_EQ(upper(golden::make(kSensitive, GaussianRelease{10}), 0.5), 1e-15);
  const auto steps = golden::make(kSensitive, PoissonGaussianRelease{0.01, 5}).times(100);
  EXPECT_LT(upper(steps, 0.5), 1e-12);
}

TEST(Edges, HugeAndTinyParametersStayFiniteAndOrdered) {
  const PrivacyEvent extreme[] = {
      golden::make(kSensitive, GaussianRelease{1e-3}).times(7),
      golden::make(kSensitive, GaussianRelease{1e9}).times(3),
      golden::make(kSensitive, PoissonGaussianRelease{1e-9, 1}).times(1000),
      golden::make(kSensitive, PoissonGaussianRelease{0.999999, 20}).times(50),
      golden::make(kSensitive, PoissonGaussianRelease{0.01, 0.02}).times(10),
      golden::make(kAddRemoveRecord, PoissonGaussianRelease{0.01, 0.05}).times(10),
      golden::make(kSensitive, PoissonGaussianRelease{0.01, 1e6}).times(1000),
      golden::make(kSensitive, LaplaceRelease{1e-3}).times(4),
      golden::make(kSensitive, LaplaceRelease{1e6}).times(100),
      golden::make(kSensitive, DiscreteGaussianRelease{0.1, {1}}).times(3),
      golden::make(kSensitive, DiscreteGaussianRelease{3000, {1, -1}}).times(30),
  };
  for (const PrivacyEvent& event : extreme) {
    for (const double delta : {1e-3, 1e-12, 1e-40}) {
      const auto bound = certified_epsilon(event, delta);
      ASSERT_TRUE(bound) << describe(event) << ": " << bound.error().message;
      EXPECT_GE(bound->upper, bound->lower) << describe(event) << ' ' << delta;
      EXPECT_GE(bound->lower, 0) << describe(event);
      EXPECT_TRUE(std::isfinite(bound->upper)) << describe(event) << ' ' << delta;
    }
  }
}

TEST(Edges, ShiftsOfATableAreSeparateChanges) {
  // Two unit changes equal two releases of one; they are no single change of sqrt(2).
  const auto pair = golden::make(kSensitive, DiscreteGaussianRelease{4, {1, -1}});
  const auto twice = golden::make(kSensitive, DiscreteGaussianRelease{4, {1}}).times(2);
  EXPECT_DOUBLE_EQ(upper(pair, 1e-6), upper(twice, 1e-6));
}

TEST(Edges, NestingAndOrderDoNotMatter) {
  const auto a = golden::make(kSensitive, PoissonGaussianRelease{0.02, 2});
  const auto b = golden::make(kSensitive, GaussianRelease{10});
  const auto nested =
      golden::make(kSensitive, Composition{{b, golden::make(kSensitive, Composition{{a, b}})}});
  const auto flat = golden::make(kSensitive, Composition{{a.times(50), b.times(100)}});
  EXPECT_DOUBLE_EQ(upper(nested.times(50), 1e-6), upper(flat, 1e-6));
}

TEST(Edges, RefusesQuestionsWithoutMeaning) {
  const auto event = golden::make(kSensitive, GaussianRelease{1});
  for (const double delta : {-1e-9, 1.5, std::nan(""), 1e-200}) {
    const auto bound = certified_epsilon(event, delta);
    ASSERT_FALSE(bound) << delta;
    EXPECT_THAT(bound.error().message, HasSubstr("delta"));
  }
  for (const double epsilon : {-1.0, std::nan("")}) {
    EXPECT_FALSE(certified_delta(event, epsilon)) << epsilon;
  }
  EXPECT_EQ(certified_delta(event, kInfinity).value().upper, 0);
}

TEST(Edges, AccountantsRefuseWhatTheyDoNotSupport) {
  const auto sampled = golden::make(kSensitive, PoissonGaussianRelease{0.1, 1});
  const auto wide = golden::make(kSensitive, DiscreteGaussianRelease{1e7, {1}});
  EXPECT_THAT(certified_epsilon(wide, 1e-5).error().message, HasSubstr("coarser lattice"));
  const auto endless = sampled.times(1ULL << 39).times(1ULL << 39);
  EXPECT_THAT(certified_epsilon(endless, 1e-5).error().message, HasSubstr("repeated"));
  EXPECT_FALSE(renyi_divergence(sampled, 1));
  EXPECT_FALSE(rdp_epsilon(sampled, 0));
}

/// So little noise that exponentials overflow: the answer is large and finite, and never below what
/// one sampled release without amplification costs at least.
TEST(Edges, AlmostNoNoiseIsExpensiveNotVacuous) {
  for (const double sigma : {0.02, 1e-3, 1e-6}) {
    const auto event =
        PrivacyEvent::create(Adjacency::kAddRemoveRecord, PoissonGaussianRelease{0.5, sigma});
    const CertifiedBound bound = certified_epsilon(*event, 1e-5).value();
    const double loss = 0.5 / (sigma * sigma);  // at the mean of the sampled release
    EXPECT_TRUE(std::isfinite(bound.upper)) << sigma;
    EXPECT_GT(bound.upper, loss) << sigma;
    EXPECT_LE(bound.lower, bound.upper) << sigma;
  }
}

/// The same on a lattice, where nearly all of the mass lies on one point.
TEST(Edges, AlmostNoNoiseOnALatticeIsExpensiveNotVacuous) {
  for (double sigma = 0.01; sigma < 0.5; sigma *= 1.03) {
    const auto event = golden::make(kSensitive, DiscreteGaussianRelease{sigma, {1, 1}});
    const CertifiedBound bound = certified_epsilon(event, 1e-9).value();
    const double loss = 2 * 0.5 / (sigma * sigma);  // at the true table, in both cells
    EXPECT_GT(bound.upper, 0.999 * loss) << sigma;
    EXPECT_LE(bound.lower, bound.upper) << sigma;
  }
}

}  // namespace
}  // namespace dpfermi
