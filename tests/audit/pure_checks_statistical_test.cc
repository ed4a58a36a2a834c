// T1 of pure releases: the laws that were charged pass, with fixed seeds (a false alarm in 1e6),
// others do not.

#include <gtest/gtest.h>

#include <algorithm>

#include "audit/pure_checks.h"
#include "dpfermi/random/noise_source.h"
#include "privacy/mechanism/response_randomizer.h"
#include "random/discrete_laplace.h"
#include "random/lane.h"

namespace dpfermi {
namespace {

constexpr std::size_t kDraws = 20'000;

double least_p(const std::vector<Check>& checks) {
  double least = 1;
  for (const Check& check : checks) least = std::min(least, check.p_value);
  return least;
}

std::vector<std::int64_t> laplace(std::int64_t scale) {
  NoiseSource noise(ReproducibleSeed::from_number(3).value());
  const NoiseLane lane = noise.open(Purpose::kLaplaceNoise).value();
  KeyStream stream = LaneForTests::stream(lane, 0, 0);
  std::vector<std::int64_t> draws(kDraws);
  EXPECT_TRUE(DiscreteLaplace::create(scale)->draw(stream, draws).has_value());
  return draws;
}

TEST(LaplaceChecks, PassWhatWasChargedWhateverItsScale) {
  for (const std::int64_t scale : {1, 7, 1 << 20}) {
    EXPECT_GT(least_p(laplace_checks({static_cast<double>(scale), laplace(scale)})), 1e-6) << scale;
  }
}

TEST(LaplaceChecks, SeeLessNoiseAShiftAndCorrelation) {
  EXPECT_LT(least_p(laplace_checks({1000, laplace(900)})), 1e-6);
  std::vector<std::int64_t> shifted = laplace(1000);
  for (std::int64_t& draw : shifted) draw += 60;
  EXPECT_LT(least_p(laplace_checks({1000, shifted})), 1e-6);
  std::vector<std::int64_t> twice = laplace(1000);
  for (std::size_t i = 1; i < twice.size(); i += 2) twice[i] = twice[i - 1];
  EXPECT_LT(least_p(laplace_checks({1000, twice})), 1e-6);
  // As the released program of Jagielski et al.: the scale in the place of the mean.
  EXPECT_LT(least_p(laplace_checks({1000, std::vector<std::int64_t>(kDraws, 1000)})), 1e-300);
}

/// Answers that keep the truth with probability `keep`, of two groups or more.
Answers answers_of(double epsilon, double keep, std::size_t choices) {
  NoiseSource noise(ReproducibleSeed::from_number(4).value());
  const NoiseLane lane = noise.open(Purpose::kResponses).value();
  KeyStream stream = LaneForTests::stream(lane, 0, 0);
  Answers answers{epsilon, choices, {}, {}};
  for (std::size_t i = 0; i < kDraws; ++i) {
    const auto truth = static_cast<std::uint16_t>(i % choices);
    const bool kept = static_cast<double>(stream.next() >> 11) * 0x1p-53 < keep;
    const std::uint64_t step = kept ? 0 : 1 + stream.next() % (choices - 1);
    answers.truth.push_back(truth);
    answers.given.push_back(static_cast<std::uint16_t>((truth + step) % choices));
  }
  return answers;
}

TEST(AnswerChecks, PassWhatWasChargedAndNothingThatKeepsMore) {
  for (const std::size_t choices : {2, 3, 5}) {
    const double keep = keep_probability(choices, 1);
    EXPECT_GT(least_p(answer_checks(answers_of(1, keep, choices))), 1e-6) << choices;
    EXPECT_LT(least_p(answer_checks(answers_of(1, keep + 0.03, choices))), 1e-6) << choices;
  }
  Answers favoured = answers_of(1, keep_probability(3, 1), 3);
  for (std::size_t i = 0; i < kDraws; i += 8) {
    if (favoured.given[i] != favoured.truth[i])
      favoured.given[i] =
          favoured.truth[i] == 2 ? 0 : static_cast<std::uint16_t>(favoured.truth[i] + 1);
  }
  EXPECT_LT(least_p(answer_checks(favoured)), 1e-6);
}

}  // namespace
}  // namespace dpfermi
