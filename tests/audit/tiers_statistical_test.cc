// The statistical tiers on the correct build, which must stay green, and on builds with one planted
// defect that no single run shows, which must not. Seeds are fixed.
#include <gmock/gmock.h>

#include "audit/attribute_game.h"
#include "audit/bounds.h"
#include "audit/replay_mutants.h"
#include "audit/statistical_tiers.h"
#include "core/mutant.h"

namespace dpfermi {
namespace {

std::vector<TierEntry> statistical_tiers() {
  std::vector<TierEntry> tiers = audit_tiers();
  std::erase_if(tiers, [](const TierEntry& tier) { return tier.false_alarms == 0; });
  return tiers;
}

std::string reds(const AuditReport& report) {
  std::string text;
  for (const Finding& finding : report.findings) {
    if (finding.verdict == Verdict::kGreen) continue;
    text += std::string(to_string(finding.tier)) + ", " + finding.subject + ": " + finding.attempt +
            ": " + finding.observed + " instead of " + finding.claimed + "\n";
  }
  return text;
}

bool judged_green(const Result<std::vector<Finding>>& findings) {
  return std::ranges::all_of(
      findings.value(), [](const Finding& finding) { return finding.verdict == Verdict::kGreen; });
}

/// The plainest case of every adjacency.
std::vector<AuditCase> plain_cases() {
  std::vector<AuditCase> cases = standard_cases(40);
  std::erase_if(cases, [](const AuditCase& audited) {
    return !attribute_applies(audited) || audited.request.method != Method::kDpFermi ||
           !audited.data.weights.empty();
  });
  return cases;
}

// 200 audits, each with a false-alarm rate of 1e-4: red with probability 0.02 at most in all. The
// p-values are what they say as well: of those of T1, T1 of evaluations and T2, one per case and
// audit, at most 5 % lie below 0.05 (false alarms of that: 1e-6).
TEST(StatisticalTiers, StayGreenTwoHundredTimes) {
  const std::vector<AuditCase> cases = plain_cases();
  ASSERT_EQ(cases.size(), 3U);
  std::uint64_t findings = 0;
  std::uint64_t low = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const AuditOptions options{.quick = true, .seed = seed, .effort = 0.03};
    const Result<AuditReport> report = audit(cases, statistical_tiers(), options);
    ASSERT_TRUE(report.has_value()) << report.error().message;
    EXPECT_TRUE(report->green()) << seed << "\n" << reds(*report);
    EXPECT_NEAR(report->false_alarm_rate, 1e-4, 1e-12);
    for (const Finding& finding : report->findings) {
      if (finding.tier != Tier::kNoise && finding.tier != Tier::kSampler) continue;
      ++findings;
      low += *finding.p_value < 0.05 ? 1 : 0;
    }
  }
  EXPECT_EQ(findings, 200U * 3 * 3);
  EXPECT_GT(binomial_at_least(low, findings, 0.05), 1e-6) << low;
}

TEST(StatisticalTiers, GiveOneReportForOneSeed) {
  const std::vector<AuditCase> cases = plain_cases();
  const AuditOptions options{.quick = true, .seed = 3, .effort = 0.02};
  AuditReport first = audit(cases, statistical_tiers(), options).value();
  AuditReport again = audit(cases, statistical_tiers(), options).value();
  first.seconds = again.seconds = 0;
  EXPECT_EQ(to_json(first), to_json(again));
}

// The guesser is as good as the accountant fears: what is told apart is nearly all that is claimed.
TEST(AttributeGame, IsNearlyWorstCase) {
  Workers workers(2);
  for (const Adjacency adjacency :
       {Adjacency::kSensitive, Adjacency::kReplaceRecord, Adjacency::kAddRemoveRecord}) {
    const AttributeGame game = make_game({.adjacency = adjacency, .epsilon = 6}).value();
    const AttributeScores scores = play(game, 2500, 1, workers).value();
    const Profile claim = claimed_profile(scores.charged, {0}).value();
    const ProfileVerdict verdict = profile_test(scores.mixture, claim);
    EXPECT_GT(verdict.delta_observed, 0.85 * verdict.delta_claimed) << to_string(adjacency);
    EXPECT_GT(verdict.p_value, 1e-6);
  }
}

#ifdef DPFERMI_MUTANTS

struct Defect {
  Mutant mutant;
  Tier tier;      ///< that must see it
  double effort;  ///< of the short form
};

class PlantedDefect : public testing::TestWithParam<Defect> {
 protected:
  void SetUp() override { plant(GetParam().mutant); }
  void TearDown() override { plant(Mutant::kNone); }
};

TEST_P(PlantedDefect, IsFound) {
  std::vector<TierEntry> tiers = statistical_tiers();
  std::erase_if(tiers, [](const TierEntry& tier) { return tier.tier != GetParam().tier; });
  const std::vector<AuditCase> cases = plain_cases();
  const AuditOptions options{.quick = true, .seed = 1, .effort = GetParam().effort};
  const Result<AuditReport> report = audit({cases.data(), 1}, tiers, options);
  ASSERT_TRUE(report.has_value()) << report.error().message;
  EXPECT_FALSE(report->green());
}

std::string name_of(const testing::TestParamInfo<Defect>& info) {
  return testing_support::mutant_name(info.param.mutant) + "_by_" +
         std::string(to_string(info.param.tier)).substr(0, 2);
}

INSTANTIATE_TEST_SUITE_P(
    Statistical, PlantedDefect,
    testing::Values(Defect{Mutant::kNoNoise, Tier::kNoise, 0.2},
                    Defect{Mutant::kHalfNoise, Tier::kNoise, 0.2},
                    Defect{Mutant::kNoiseRepeated, Tier::kNoise, 0.2},
                    Defect{Mutant::kNoiseCorrelated, Tier::kNoise, 0.2},
                    Defect{Mutant::kNoiseFromData, Tier::kNoise, 1},
                    Defect{Mutant::kNoCountsNoise, Tier::kNoise, 1},
                    Defect{Mutant::kLowCountsNoise, Tier::kNoise, 1},
                    Defect{Mutant::kEntryExactAtTimes, Tier::kNoise, 0.2},
                    Defect{Mutant::kHigherRate, Tier::kSampler, 1},
                    Defect{Mutant::kFixedSizeBatches, Tier::kSampler, 1},
                    Defect{Mutant::kShuffledBatches, Tier::kSampler, 1},
                    Defect{Mutant::kPublicPartOnSecretBatch, Tier::kSampler, 1},
                    Defect{Mutant::kNoNoise, Tier::kAttribute, 0.2},
                    Defect{Mutant::kHalfNoise, Tier::kAttribute, 1.5},
                    Defect{Mutant::kClipAfterAveraging, Tier::kAttribute, 0.2},
                    Defect{Mutant::kLambdaAfterClip, Tier::kAttribute, 1},
                    Defect{Mutant::kSegmentsAsOne, Tier::kAttribute, 3},
                    Defect{Mutant::kFewerStepsPriced, Tier::kAttribute, 3},
                    Defect{Mutant::kLongContributions, Tier::kAttribute, 10},
                    Defect{Mutant::kPublicPartOnSecretBatch, Tier::kAttribute, 3},
                    Defect{Mutant::kStopByExactSums, Tier::kAttribute, 0.5},
                    Defect{Mutant::kNoNoise, Tier::kOneRun, 1},
                    Defect{Mutant::kClipAfterAveraging, Tier::kOneRun, 1}),
    name_of);

// Groups are counted twice where small ones are merged.
TEST(StatisticalTiers, OneNoiseForTwoTablesOfCountsIsFound) {
  const std::vector<AuditCase> cases = standard_cases(40);
  const auto merged = std::ranges::find(cases, "odds, small groups merged", &AuditCase::name);
  ASSERT_NE(merged, cases.end());
  const AuditOptions options{.quick = true};
  EXPECT_TRUE(judged_green(noise_tier(*merged, options)));
  plant(Mutant::kCountsNoiseRepeated);
  const Result<std::vector<Finding>> findings = noise_tier(*merged, options);
  plant(Mutant::kNone);
  EXPECT_FALSE(judged_green(findings));
}

#endif

}  // namespace
}  // namespace dpfermi
