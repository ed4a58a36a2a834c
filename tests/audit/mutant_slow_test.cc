#include <gmock/gmock.h>

#include <set>
#include <span>

#include "audit/network_case.h"
#include "audit/replay.h"
#include "core/mutant.h"

#ifdef DPFERMI_MUTANTS

namespace dpfermi {
namespace {

/// Defects of distributions, which no single run shows: the statistical tiers find them.
bool is_statistical(Mutant mutant) {
  using enum Mutant;
  return mutant == kHalfNoise || mutant == kNoiseCorrelated || mutant == kHigherRate ||
         mutant == kFixedSizeBatches || mutant == kShuffledBatches;
}

class PlantedDefect : public testing::TestWithParam<MutantInfo> {
 protected:
  void SetUp() override { plant(GetParam().mutant); }
  void TearDown() override { plant(Mutant::kNone); }
};

TEST_P(PlantedDefect, IsFoundByReplay) {
  // Three cases of adjacency sensitive are enough.
  const std::vector<AuditCase> cases = standard_cases(6);
  for (const AuditCase& audited : std::span(cases).first(3)) {
    const auto findings = replay_tier(audited, {.quick = true});
    ASSERT_TRUE(findings.has_value()) << findings.error().message;
    for (const Finding& finding : *findings) {
      if (finding.verdict == Verdict::kRed) return;
    }
  }
  FAIL() << "nothing was found: " << GetParam().defect;
}

/// The same where a model that is held elsewhere sums by itself.
TEST_P(PlantedDefect, IsFoundByReplayOfANetwork) {
  const std::vector<AuditCase> cases = standard_cases(6);
  for (const std::size_t index : {0, 1, 4}) {
    const auto findings = replay_tier(testing_support::network_case(cases[index]), {.quick = true});
    ASSERT_TRUE(findings.has_value()) << findings.error().message;
    for (const Finding& finding : *findings) {
      if (finding.verdict == Verdict::kRed) return;
    }
  }
  FAIL() << "nothing was found: " << GetParam().defect;
}

std::vector<MutantInfo> deterministic() {
  std::vector<MutantInfo> found;
  for (const MutantInfo& info : all_mutants()) {
    if (!is_statistical(info.mutant)) found.push_back(info);
  }
  return found;
}

std::string mutant_name(const testing::TestParamInfo<MutantInfo>& info) {
  std::string name(info.param.name);
  std::erase(name, '-');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Mutants, PlantedDefect, testing::ValuesIn(deterministic()), mutant_name);

TEST(Mutants, AreAllListedOnce) {
  std::set<Mutant> seen;
  std::set<std::string_view> names;
  for (const MutantInfo& info : all_mutants()) {
    EXPECT_TRUE(seen.insert(info.mutant).second);
    EXPECT_TRUE(names.insert(info.name).second);
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(Mutant::kCountsChargedOnce));
  EXPECT_FALSE(seen.contains(Mutant::kNone));
}

TEST(Mutants, NoneIsPlantedUnlessATestDoes) {
  for (const MutantInfo& info : all_mutants()) EXPECT_FALSE(mutant(info.mutant));
}

}  // namespace
}  // namespace dpfermi

#endif
