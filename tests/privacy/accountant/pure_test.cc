#include <gtest/gtest.h>

#include <cmath>

#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "dpfermi/privacy/accountant/price.h"
#include "privacy/accountant/golden.h"
#include "privacy/accountant/rdp_accountant.h"

namespace dpfermi {
namespace {

using enum Adjacency;

PrivacyEvent pure(double epsilon) {
  return golden::make(kSensitive, PureRelease{epsilon});
}

/// delta(epsilon) of n answers of randomised response, summed over the number of likely outcomes.
double binomial_delta(int n, double each, double epsilon) {
  const double likely = 1 / (1 + std::exp(-each));
  double sum = 0;
  for (int k = 0; k <= n; ++k) {
    const double loss = (2 * k - n) * each;
    if (loss <= epsilon) continue;
    const double log_p = std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1) +
                         k * std::log(likely) + (n - k) * std::log1p(-likely);
    sum -= std::exp(log_p) * std::expm1(epsilon - loss);
  }
  return sum;
}

TEST(PureRelease, CostsItsEpsilonWithoutDelta) {
  EXPECT_NEAR(certified_epsilon(pure(1), 0).value().upper, 1, 1e-9);
  EXPECT_GE(certified_epsilon(pure(1), 0).value().upper, 1);
  EXPECT_NEAR(certified_epsilon(pure(0.25).times(8), 0).value().upper, 2, 1e-9);
  EXPECT_EQ(certified_epsilon(pure(0), 0).value().upper, 0);
  EXPECT_TRUE(std::isinf(certified_epsilon(pure(INFINITY), 0.1).value().upper));
}

TEST(PureRelease, OneAnswerHasTheProfileOfRandomisedResponse) {
  for (const double epsilon : {0.0, 0.3, 0.99, 1.0, 2.0}) {
    const CertifiedBound bound = certified_delta(pure(1), epsilon).value();
    EXPECT_NEAR(bound.upper, binomial_delta(1, 1, epsilon), 1e-12) << epsilon;
  }
}

TEST(PureRelease, CompositionsBracketTheBinomialSum) {
  for (const double epsilon : {0.5, 2.0, 4.0}) {
    const CertifiedBound bound = certified_delta(pure(0.2).times(40), epsilon).value();
    const double exact = binomial_delta(40, 0.2, epsilon);
    EXPECT_LE(bound.lower, exact);
    EXPECT_GE(bound.upper, exact);
    EXPECT_LT(bound.upper, exact * 1.05 + 1e-12) << epsilon;
  }
}

TEST(PureRelease, ComposesWithGaussians) {
  const PrivacyEvent both = golden::make(
      kSensitive, Composition{{pure(0.5), golden::make(kSensitive, GaussianRelease{4})}});
  const double together = certified_epsilon(both, 1e-6).value().upper;
  const double gaussian =
      certified_epsilon(golden::make(kSensitive, GaussianRelease{4}), 1e-6).value().upper;
  EXPECT_GT(together, gaussian);
  EXPECT_LT(together, gaussian + 0.5);
}

TEST(PureRelease, LaplaceIsNeverWorseThanTheWorstPureRelease) {
  for (const double epsilon : {0.0, 0.3, 0.7}) {
    const auto laplace = golden::make(kSensitive, LaplaceRelease{1});
    EXPECT_LT(certified_delta(laplace, epsilon).value().upper,
              certified_delta(pure(1), epsilon).value().lower);
  }
}

TEST(PureRelease, RenyiDivergenceIsThatOfTwoCoins) {
  const double likely = 1 / (1 + std::exp(-0.7));
  const double order = 3.5;
  const double exact = std::log(std::pow(likely, order) * std::pow(1 - likely, 1 - order) +
                                std::pow(1 - likely, order) * std::pow(likely, 1 - order)) /
                       (order - 1);
  EXPECT_NEAR(renyi_divergence(pure(0.7), order).value(), exact, 1e-12);
}

TEST(PureRelease, SurvivesJson) {
  const PrivacyEvent event = pure(0.7).times(3);
  EXPECT_EQ(to_json(parse_event(to_json(event)).value()), to_json(event));
  EXPECT_FALSE(PrivacyEvent::create(kSensitive, PureRelease{-1}).has_value());
}

TEST(PureRelease, IsPricedWithoutDelta) {
  const JointPlan plan = priced_plan({"training", {{"answers", pure(1), 1, 0}}}, 0).value();
  EXPECT_NEAR(plan.cost.epsilon, 1, 1e-9);
  EXPECT_EQ(plan.cost.delta, 0);
}

}  // namespace
}  // namespace dpfermi
