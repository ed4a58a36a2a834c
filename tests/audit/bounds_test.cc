// Golden values without a source were computed with mpmath 1.3 at 30 to 40 digits, from the
// definitions (sums of binomial probabilities, bisection), independently of this code.
#include "audit/bounds.h"

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "privacy/accountant/gdp_accountant.h"

namespace dpfermi {
namespace {

using testing::DoubleNear;

void expect_close(double value, double expected, double relative = 1e-10) {
  EXPECT_NEAR(value, expected, relative * std::abs(expected));
}

TEST(Bounds, BinomialTailsMatchTheirSums) {
  expect_close(binomial_at_least(60, 100, 0.5), 0.0284439668204904);
  expect_close(binomial_at_least(520, 1000, 0.45), 5.28937932968324e-6);
  EXPECT_EQ(binomial_at_least(0, 10, 0.3), 1);
  EXPECT_EQ(binomial_at_least(11, 10, 0.3), 0);
  expect_close(binomial_at_most(0, 20, 0.1), std::pow(0.9, 20));
  expect_close(binomial_at_least(7, 20, 0.3) + binomial_at_most(6, 20, 0.3), 1);
  expect_close(binomial_p(10, 10, 0.5), 2 * std::pow(0.5, 10));
  EXPECT_EQ(binomial_p(5, 10, 0.5), 1);
  EXPECT_EQ(binomial_p(10'000'000, 10'000'000, 1e-5), 0);
  EXPECT_LT(rate_upper_bound(0, 10'000'000, 1e-300), 1e-4);
}

// 3 of 100: the interval (.0062, .0852) of published tables of Clopper and Pearson.
TEST(Bounds, ClopperPearsonMatchesTheBetaQuantiles) {
  expect_close(rate_upper_bound(3, 100, 0.025), 0.08517605297428);
  expect_close(rate_upper_bound(0, 1000, 1e-6), 0.0137205143687895);
  expect_close(rate_upper_bound(40, 1000, 1e-6), 0.0773802998877488);
  EXPECT_EQ(rate_upper_bound(10, 10, 0.01), 1);
}

TEST(Bounds, ErrorsGiveAnEpsilon) {
  expect_close(epsilon_lower_bound({0.05, 0.3}, 1e-5), 2.63904304379893);
  EXPECT_EQ(epsilon_lower_bound({0.5, 0.6}, 0), 0);
}

TEST(Bounds, OneRunMatchesGoldenValues) {
  expect_close(one_run_p({1000, 200, 150}, 0.5, 1e-5), 0.000621207835838714);
  expect_close(one_run_p({1000, 200, 150}, 0.5, 0), 8.91818292051601e-5);
  expect_close(one_run_p({4000, 400, 290}, 0.8, 1e-5), 0.073673375372815);
  expect_close(one_run_p({100, 100, 60}, 0, 1e-3), 0.0396933271707213);
  expect_close(one_run_epsilon({1000, 200, 150}, 1e-5, 0.05), 0.81997291217, 1e-9);
  expect_close(one_run_epsilon({1000, 200, 150}, 0, 0.05), 0.821396243064, 1e-9);
  EXPECT_EQ(one_run_epsilon({1000, 200, 100}, 1e-5, 0.05), 0);
}

// A coin that tells the truth with probability e/(1+e) is exactly (1, 0)-DP: p-values below 0.05
// come up 5 % of the time, epsilon 1.5 is told apart always. False alarms of this test: 1e-6.
TEST(Bounds, OneRunIsCalibrated) {
  std::mt19937_64 engine(7);
  std::binomial_distribution<std::uint64_t> honest(400, 1 / (1 + std::exp(-1.0)));
  std::binomial_distribution<std::uint64_t> broken(400, 1 / (1 + std::exp(-2.0)));
  std::uint64_t alarms = 0;
  for (int i = 0; i < 4000; ++i) alarms += one_run_p({400, 400, honest(engine)}, 1, 0) < 0.05;
  EXPECT_GT(binomial_at_least(alarms, 4000, 0.05), 1e-6);
  EXPECT_GT(alarms, 100);  // not vacuous either
  for (int i = 0; i < 50; ++i) EXPECT_LT(one_run_p({400, 400, broken(engine)}, 1, 0), 1e-3);
}

GameScores gaussian_games(double mu, std::size_t games, std::mt19937_64& engine) {
  std::normal_distribution<double> normal;
  GameScores scores{std::vector<double>(games), std::vector<double>(games)};
  for (double& score : scores.p) score = normal(engine) + mu;
  for (double& score : scores.q) score = normal(engine);
  return scores;
}

Profile gdp_profile(double mu) {
  Profile profile;
  for (const double epsilon : {0.0, 0.5, 1.0}) {
    profile.push_back({epsilon, gdp_delta(mu, epsilon)});
  }
  return profile;
}

TEST(ProfileTest, ClaimComesFromTheAccountant) {
  const PrivacyEvent event =
      PrivacyEvent::create(Adjacency::kSensitive, GaussianRelease{2}).value().times(4);
  const Profile profile = claimed_profile(event, {0, 1}).value();
  ASSERT_EQ(profile.size(), 2U);
  EXPECT_THAT(profile[0].delta, DoubleNear(std::erf(0.5 / std::sqrt(2.0)), 1e-6));
  EXPECT_THAT(profile[1].delta, DoubleNear(gdp_delta(1, 1), 1e-6));
}

// Games at the very edge of the claim. A correct claim is refuted at level 0.05 in at most 5 % of
// the repetitions; false alarms of this test: 1e-6.
TEST(ProfileTest, KeepsItsLevel) {
  std::mt19937_64 engine(11);
  std::uint64_t alarms = 0;
  const Profile claim = gdp_profile(0.5);
  for (int i = 0; i < 400; ++i) {
    alarms += profile_test(gaussian_games(0.5, 300, engine), claim).p_value < 0.05;
  }
  EXPECT_GT(binomial_at_least(alarms, 400, 0.05), 1e-6);
}

// A sensitivity that is too small by a quarter is refuted with 20,000 games a side.
TEST(ProfileTest, SeesAQuarterMore) {
  std::mt19937_64 engine(12);
  const ProfileVerdict wrong =
      profile_test(gaussian_games(0.625, 20'000, engine), gdp_profile(0.5));
  EXPECT_LT(wrong.p_value, 1e-6);
  EXPECT_GT(wrong.delta_observed, wrong.delta_claimed);
  const ProfileVerdict right = profile_test(gaussian_games(0.5, 20'000, engine), gdp_profile(0.5));
  EXPECT_GT(right.p_value, 0.01);
  EXPECT_GT(right.epsilon_bound, 0);
}

// Both directions count: an output that one of the two never makes gives the other away.
TEST(ProfileTest, LooksBothWays) {
  const std::vector<double> plain(3000, 1.0);
  std::vector<double> low = plain;
  std::vector<double> high = plain;
  for (std::size_t i = 0; i < 3000; i += 10) {
    low[i] = -5;
    high[i] = 5;
  }
  EXPECT_LT(profile_test({plain, low}, {{0, 0.01}}).p_value, 1e-7);
  EXPECT_LT(profile_test({high, plain}, {{0, 0.01}}).p_value, 1e-7);
  EXPECT_LT(profile_test({plain, low}, {{0, 0.2}, {2, 1e-9}}).p_value, 1e-6);
  EXPECT_EQ(profile_test({high, plain}, {{0, 0.2}}).p_value, 1);
}

TEST(ProfileTest, NothingPlayedProvesNothing) {
  EXPECT_EQ(profile_test({}, {{0, 0.1}}).p_value, 1);
}

}  // namespace
}  // namespace dpfermi
