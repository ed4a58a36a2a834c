// Whole runs of the baselines that mix models or decide by group, and T0 of their private releases.

#include <gmock/gmock.h>

#include "baselines/baseline_data.h"
#include "baselines/replay.h"
#include "dpfermi/baselines/jagielski_in.h"
#include "dpfermi/evaluate/metrics.h"
#include "dpfermi/privacy/accountant/pld_accountant.h"

namespace dpfermi {
namespace {

using testing_support::seeded_noise;
using testing_support::small_census;
using enum FairnessNotion;

BaselineResult train_one(const std::string& name, BaselineOptions options,
                         const Dataset& data = small_census(), std::uint64_t seed = 3) {
  ResearchLedger ledger;
  Result<BaselineResult> result =
      train_baseline(*find_baseline(name), data, options, ledger, seeded_noise(seed));
  EXPECT_TRUE(result.has_value()) << name << ": " << (result ? "" : result.error().message);
  return std::move(result).value();
}

Metrics metrics_of(const BaselineResult& result, const Dataset& data = small_census()) {
  return rule_metrics(result.rule, result.model, result.training.theta, data, 1).value();
}

double odds(const Metrics& metrics) {
  return metrics.fairness->violation.equalized_odds;
}

TEST(Hardt, RatesAreEqualOnTheTrainingRows) {
  const Metrics plain = metrics_of(train_one("published-code", {.lambda = 0}));
  const Metrics fair = metrics_of(train_one("hardt", {.notion = kEqualizedOdds}));
  EXPECT_GT(odds(plain), 0.05);
  EXPECT_LT(odds(fair), 1e-6);
  EXPECT_LT(fair.error, 0.5);
}

TEST(Reductions, MeetTheToleranceOnTheTrainingRows) {
  for (const FairnessNotion notion : {kDemographicParity, kEqualizedOdds}) {
    const BaselineResult result = train_one("reductions", {.notion = notion, .tolerance = 0.02});
    const PerNotion violation = metrics_of(result).fairness->violation;
    const double reached =
        notion == kDemographicParity ? violation.demographic_parity : violation.equalized_odds;
    // Two groups, each within .02 of everybody.
    EXPECT_LE(reached, 0.04 + 1e-6) << to_string(notion);
    EXPECT_GT(result.rule.members(), 1U);
    EXPECT_FALSE(result.training.statement.cost.has_value());
  }
}

TEST(JagielskiPost, IsHardtUpToNoiseWhereEpsilonIsLarge) {
  const BaselineOptions options{.notion = kEqualizedOdds, .epsilon = 1e4, .tolerance = 0};
  const BaselineResult noisy = train_one("jagielski-post", options);
  const BaselineResult exact = train_one("hardt", {.notion = kEqualizedOdds});
  EXPECT_THAT(noisy.rule.group_table,
              testing::Pointwise(testing::DoubleNear(0.02), exact.rule.group_table));
}

TEST(Mozannar, RatesAreNearlyEqualWhereAnswersAreTrue) {
  const BaselineOptions options{.notion = kEqualizedOdds, .epsilon = 20};
  const BaselineResult result = train_one("mozannar", options);
  // The rule is fair on the other half of 1500 rows; on all of them rates differ by chance.
  EXPECT_LT(odds(metrics_of(result)), 0.12);
  EXPECT_TRUE(result.rule.needs_group());
}

TEST(PrivateRules, StateWhatTheyCostAndWhatTheirAuthorsClaim) {
  for (const std::string name : {"jagielski-post", "mozannar", "jagielski-in"}) {
    const BaselineOptions options{.notion = kEqualizedOdds, .epsilon = 1, .tolerance = 0.05};
    const PrivacyStatement statement = train_one(name, options).training.statement;
    EXPECT_TRUE(check_statement(statement).has_value()) << name;
    EXPECT_LE(statement.cost->epsilon, 1) << name;
    EXPECT_GT(statement.cost->epsilon, 0.99) << name;
    if (name != "jagielski-in") {
      EXPECT_EQ(statement.cost->delta, 0) << name;
      EXPECT_EQ(statement.claimed_epsilon, 1) << name;
    }
    // The price once more, from the events alone.
    std::vector<PlannedPart> parts;
    for (const StatedRelease& release : statement.releases) {
      parts.push_back({release.purpose, release.event, release.count});
    }
    const double again =
        certified_epsilon(whole_event(parts).value(), statement.cost->delta).value().upper;
    EXPECT_NEAR(again, statement.cost->epsilon, 1e-3) << name;
  }
}

TEST(JagielskiIn, ReplaysWithoutReadingPastTheNoise) {
  JagielskiInOptions options;
  options.notion = kEqualizedOdds;
  options.epsilon = 2;
  options.delta = 1e-5;
  options.tolerance = 0.05;
  options.rounds = 4;
  const testing_support::BaselineRun run = [&](const Dataset& data, StepLedger& ledger,
                                               NoiseSource noise) {
    return jagielski_in(data, options, ledger, std::move(noise));
  };
  testing_support::expect_replays(
      run, testing_support::invented_neighbourhood(Adjacency::kSensitive, {}));
}

/// Watches pure releases; puts those of an earlier run in their place.
class PureTap final : public ReleaseTap {
 public:
  explicit PureTap(const PureTap* frozen = nullptr) : frozen_(frozen) {}

  void on_laplace(const TappedLaplace& seen) override {
    longest = seen.longest;
    scale = seen.scale;
    epsilon = std::get<PureRelease>(seen.charged.node()).epsilon;
    exact.assign(seen.exact.begin(), seen.exact.end());
    EXPECT_FALSE(std::ranges::equal(seen.exact, seen.noisy)) << "no noise";
    if (frozen_ != nullptr) std::ranges::copy(frozen_->released, seen.noisy.begin());
    released.assign(seen.noisy.begin(), seen.noisy.end());
  }
  void on_responses(const TappedResponses& seen) override {
    epsilon = std::get<PureRelease>(seen.charged.node()).epsilon;
    exact.assign(seen.exact.begin(), seen.exact.end());
    if (frozen_ != nullptr) std::ranges::copy(frozen_->released, seen.noisy.begin());
    released.assign(seen.noisy.begin(), seen.noisy.end());
  }

  std::int64_t longest = 0, scale = 0;
  double epsilon = 0;
  std::vector<std::int64_t> exact, released;

 private:
  const PureTap* frozen_;
};

class PureReplay : public testing::TestWithParam<std::string> {};

// T0: on neighbours and with equal releases, everything else is equal; and the exact sums lie no
// further apart than the noise was made for.
TEST_P(PureReplay, NothingButTheReleaseDependsOnTheGroup) {
  const BaselineOptions options{.notion = kEqualizedOdds, .epsilon = 1};
  const auto run = [&](const Dataset& data, PureTap& tap) {
    AuditLedger ledger(tap);
    return find_baseline(GetParam())->train(data, options, ledger, seeded_noise(5), {});
  };
  int differed = 0;
  const AuditCase audited = testing_support::invented_neighbourhood(Adjacency::kSensitive, {});
  for (const Neighbours& pair : neighbours_of(audited, true)) {
    PureTap first;
    const auto one = run(pair.first, first);
    PureTap second(&first);
    const auto two = run(pair.second, second);
    ASSERT_EQ(one.has_value(), two.has_value()) << pair.what;
    if (!one) continue;
    EXPECT_EQ(one->training.theta, two->training.theta) << pair.what;
    EXPECT_EQ(one->rule, two->rule) << pair.what;
    ASSERT_EQ(first.exact.size(), second.exact.size());
    std::int64_t distance = 0;
    for (std::size_t j = 0; j < first.exact.size(); ++j) {
      distance += std::abs(first.exact[j] - second.exact[j]);
    }
    differed += distance > 0 ? 1 : 0;
    if (first.scale == 0) continue;  // answers: each is somebody's own
    EXPECT_LE(distance, 2 * first.longest) << pair.what;
    EXPECT_LE(static_cast<double>(2 * first.longest),
              first.epsilon * static_cast<double>(first.scale));
  }
  EXPECT_GT(differed, 0) << "neighbours never differed";
}

INSTANTIATE_TEST_SUITE_P(All, PureReplay, testing::Values("jagielski-post", "mozannar"));

TEST(PureReplay, TheTapSeesTheAuditLedgersPermits) {
  PureTap tap;
  AuditLedger ledger(tap);
  const AuditCase audited = testing_support::invented_neighbourhood(Adjacency::kSensitive, {});
  const BaselineOptions options{.notion = kEqualizedOdds, .epsilon = 1};
  ASSERT_TRUE(find_baseline("mozannar")
                  ->train(audited.data, options, ledger, seeded_noise(5), {})
                  .has_value());
  EXPECT_FALSE(tap.released.empty());
}

}  // namespace
}  // namespace dpfermi
