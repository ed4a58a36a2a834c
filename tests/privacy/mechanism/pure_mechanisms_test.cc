#include <gmock/gmock.h>

#include <cmath>
#include <numeric>

#include "privacy/mechanism/fixtures.h"
#include "privacy/mechanism/laplace_privatizer.h"
#include "privacy/mechanism/response_randomizer.h"

namespace dpfermi {
namespace {

using testing_support::event;
using testing_support::lane;
using testing_support::permit;
using Groups = std::vector<std::uint16_t>;
using enum Adjacency;

PrivacyEvent pure(double epsilon, Adjacency adjacency = kSensitive) {
  return event(adjacency, PureRelease{epsilon});
}

LaplacePrivatizer laplace(double epsilon, double longest, std::size_t size, int seed = 1) {
  return LaplacePrivatizer::create(kSensitive, size, longest, epsilon, permit(pure(epsilon)),
                                   lane(seed))
      .value();
}

void one_hot(const Groups& groups, std::uint32_t unit, std::span<double> out) {
  out[groups[unit]] = 1;
}

TEST(LaplacePrivatizer, CountsArriveWithNoiseOfTheStatedScale) {
  const Groups groups{0, 2, 2, 1, 2};
  LaplacePrivatizer privatizer = laplace(2e3, 1, 3);
  EXPECT_NEAR(privatizer.scale(), 1e-3, 1e-5);
  const LaplaceSums sums = privatizer.release(Protected(groups), 5, one_hot).value();
  // The noise is beyond 30 scales with probability 3 e^-30.
  EXPECT_NEAR(sums.values()[0], 1, 0.03);
  EXPECT_NEAR(sums.values()[1], 1, 0.03);
  EXPECT_NEAR(sums.values()[2], 3, 0.03);
  EXPECT_NE(sums.values()[0], 1);
  const auto again = privatizer.release(Protected(groups), 5, one_hot);
  EXPECT_EQ(again.error().kind, ErrorKind::kBudgetRefused);
}

TEST(LaplacePrivatizer, ContributionsAreCutToTheirBoundAndNaNCountsAsNothing) {
  const auto spread = [](const Groups&, std::uint32_t unit, std::span<double> out) {
    if (unit == 0) std::ranges::fill(out, -7.0);
    if (unit == 1) out[0] = std::nan("");
    if (unit == 2) out[3] = 0.5;
  };
  const LaplaceSums sums = laplace(2e3, 1, 4).release(Protected(Groups(3)), 3, spread).value();
  EXPECT_THAT(sums.values(), testing::Pointwise(testing::DoubleNear(0.03),
                                                std::vector<double>{-0.25, -0.25, -0.25, 0.25}));
}

TEST(LaplacePrivatizer, NoiseHasTheMeanMagnitudeOfItsScale) {
  // |noise| has mean b and deviation b; of 4000 draws the mean is off by 5 deviations with
  // probability below 1e-6.
  const std::size_t size = 4000;
  const LaplaceSums sums =
      laplace(0.5, 1, size, 7)
          .release(Protected(Groups(1)), 1, [](const Groups&, std::uint32_t, std::span<double>) {})
          .value();
  EXPECT_NEAR(sums.scale(), 4, 1e-4);
  double mean = 0;
  for (const double value : sums.values()) mean += std::abs(value) / size;
  EXPECT_NEAR(mean, 4, 5 * 4 / std::sqrt(static_cast<double>(size)));
}

TEST(LaplacePrivatizer, RefusesWhatWasNotCharged) {
  const auto make = [](PrivacyEvent charged, double epsilon, Adjacency adjacency) {
    return LaplacePrivatizer::create(adjacency, 3, 1, epsilon, permit(std::move(charged)), lane(1))
        .has_value();
  };
  EXPECT_TRUE(make(pure(1), 1, kSensitive));
  EXPECT_FALSE(make(pure(0.9), 1, kSensitive));
  EXPECT_FALSE(make(pure(1, kReplaceRecord), 1, kSensitive));
  EXPECT_FALSE(make(event(kSensitive, LaplaceRelease{1}), 1, kSensitive));
}

TEST(ResponseRandomizer, KeepsAsOftenAsEpsilonAllows) {
  EXPECT_NEAR(keep_probability(2, 1), std::exp(1) / (1 + std::exp(1)), 1e-12);
  EXPECT_NEAR(keep_probability(5, 0), 0.2, 1e-12);
  for (const std::size_t k : {2, 3, 9}) {
    const double keep = keep_probability(k, 1.5);
    EXPECT_LE(keep / ((1 - keep) / static_cast<double>(k - 1)), std::exp(1.5));
  }
  // 30000 coins of bias p: five deviations, a false alarm in 1e6.
  const std::size_t n = 30000;
  const Groups truth(n, 1);
  const Groups answers =
      ResponseRandomizer::release(Protected(truth), 3, kSensitive, 1, permit(pure(1)), lane(5))
          .value();
  std::vector<double> share(3);
  for (const std::uint16_t answer : answers) share[answer] += 1.0 / n;
  const double keep = keep_probability(3, 1);
  const double slack = 5 * std::sqrt(0.25 / n);
  EXPECT_NEAR(share[1], keep, slack);
  EXPECT_NEAR(share[0], (1 - keep) / 2, slack);
  EXPECT_NEAR(share[2], (1 - keep) / 2, slack);
}

TEST(ResponseRandomizer, RefusesWhatWasNotCharged) {
  const auto released = [](double charged, double epsilon) {
    return ResponseRandomizer::release(Protected(Groups{0, 1}), 2, kSensitive, epsilon,
                                       permit(pure(charged)), lane(1))
        .has_value();
  };
  EXPECT_TRUE(released(1, 1));
  EXPECT_FALSE(released(1, 2));
}

}  // namespace
}  // namespace dpfermi
