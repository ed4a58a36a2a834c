#include <gmock/gmock.h>

#include <algorithm>
#include <set>
#include <span>

#include "audit/file_tier.h"
#include "audit/network_case.h"
#include "audit/replay.h"
#include "audit/replay_mutants.h"
#include "core/mutant.h"

#ifdef DPFERMI_MUTANTS

namespace dpfermi {
namespace {

/// Steps of a case: one defect begins at the sixth.
constexpr std::uint64_t kMutantSteps = 9;

class PlantedDefect : public testing::TestWithParam<MutantInfo> {
 protected:
  void SetUp() override { plant(GetParam().mutant); }
  void TearDown() override { plant(Mutant::kNone); }
};

TEST_P(PlantedDefect, IsFoundByReplay) {
  // Three cases of adjacency sensitive are enough.
  const std::vector<AuditCase> cases = standard_cases(kMutantSteps);
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
  const std::vector<AuditCase> cases = standard_cases(kMutantSteps);
  for (const std::size_t index : {0, 1, 4}) {
    const auto findings = replay_tier(testing_support::network_case(cases[index]), {.quick = true});
    ASSERT_TRUE(findings.has_value()) << findings.error().message;
    for (const Finding& finding : *findings) {
      if (finding.verdict == Verdict::kRed) return;
    }
  }
  FAIL() << "nothing was found: " << GetParam().defect;
}

INSTANTIATE_TEST_SUITE_P(Mutants, PlantedDefect,
                         testing::ValuesIn(testing_support::replay_mutants()),
                         [](const auto& chosen) {
                           return testing_support::parameter_name(chosen.param.name);
                         });

void expect_found(Mutant planted, const AuditCase& audited) {
  plant(planted);
  const auto findings = replay_tier(audited, {.quick = true});
  plant(Mutant::kNone);
  ASSERT_TRUE(findings.has_value()) << findings.error().message;
  EXPECT_NE(std::ranges::find(*findings, Verdict::kRed, &Finding::verdict), findings->end());
}

/// Defects in what a run does with its decisions at the end, on the first case that does so.
struct LateDefect {
  Mutant mutant;
  Method method;
  bool target;
};

class PlantedAtTheEnd : public testing::TestWithParam<LateDefect> {};

TEST_P(PlantedAtTheEnd, IsFoundByReplay) {
  const auto& [planted, method, target] = GetParam();
  const std::vector<AuditCase> cases = standard_cases(kMutantSteps);
  const auto fits = [&](const AuditCase& audited) {
    return audited.request.method == method && audited.request.max_violation.has_value() == target;
  };
  const auto audited = std::ranges::find_if(cases, fits);
  ASSERT_NE(audited, cases.end());
  expect_found(planted, *audited);
}

INSTANTIATE_TEST_SUITE_P(
    Mutants, PlantedAtTheEnd,
    testing::Values(LateDefect{Mutant::kChoiceByGroups, Method::kDpFermi, false},
                    LateDefect{Mutant::kChoiceByGroups, Method::kSketch, false},
                    LateDefect{Mutant::kChoiceByGroups, Method::kRepair, true},
                    LateDefect{Mutant::kVerdictByGroups, Method::kDpFermi, true},
                    LateDefect{Mutant::kVerdictByGroups, Method::kRepair, true},
                    LateDefect{Mutant::kRepairByGroups, Method::kRepair, true},
                    LateDefect{Mutant::kQueryAboutGroups, Method::kDpFermi, true},
                    LateDefect{Mutant::kQueryAboutGroups, Method::kRepair, true}),
    [](const auto& chosen) {
      return testing_support::mutant_name(chosen.param.mutant) + "_in_" +
             testing_support::parameter_name(chosen.param.method->name);
    });

/// Defects in what some cases alone do, on the first case of this method, name and adjacency.
struct OwnDefect {
  Mutant mutant;
  Method method;
  const char* name;
  Adjacency adjacency = Adjacency::kSensitive;
};

class PlantedInOneCase : public testing::TestWithParam<OwnDefect> {};

TEST_P(PlantedInOneCase, IsFoundByReplay) {
  const auto& [planted, method, name, adjacency] = GetParam();
  const std::vector<AuditCase> cases = standard_cases(kMutantSteps);
  const auto audited = std::ranges::find_if(cases, [&](const AuditCase& candidate) {
    return candidate.request.method == method && candidate.request.adjacency == adjacency &&
           candidate.name.find(name) != std::string::npos;
  });
  ASSERT_NE(audited, cases.end());
  expect_found(planted, *audited);
}

INSTANTIATE_TEST_SUITE_P(
    Mutants, PlantedInOneCase,
    testing::Values(OwnDefect{Mutant::kMergedByGroups, Method::kDpFermi, "merged"},
                    OwnDefect{Mutant::kMergedByGroups, Method::kSketch, "merged"},
                    OwnDefect{Mutant::kTreesByGroups, Method::kRepair, "boosted trees"},
                    OwnDefect{Mutant::kProxyByGroups, Method::kRepair, "given scores"},
                    OwnDefect{Mutant::kPersonsUnweighted, Method::kSketch, "persons"},
                    // A unit that comes or goes moves others in and out of such batches.
                    OwnDefect{Mutant::kFixedSizeBatches, Method::kDpFermi, "parity",
                              Adjacency::kAddRemoveRecord},
                    OwnDefect{Mutant::kShuffledBatches, Method::kDpFermi, "parity",
                              Adjacency::kAddRemoveRecord}));

/// Defects in what leaves at the front door, and what a finding says of each.
struct DoorDefect {
  Mutant mutant;
  const char* sign;
};

class PlantedAtTheDoor : public testing::TestWithParam<DoorDefect> {};

TEST_P(PlantedAtTheDoor, IsFoundByFilesAndPrices) {
  plant(GetParam().mutant);
  const auto findings = file_tier(standard_cases(kMutantSteps).front(), {.quick = true});
  plant(Mutant::kNone);
  ASSERT_TRUE(findings.has_value()) << findings.error().message;
  const auto red = std::ranges::find(*findings, Verdict::kRed, &Finding::verdict);
  ASSERT_NE(red, findings->end());
  EXPECT_THAT(red->note, testing::HasSubstr(GetParam().sign));
}

INSTANTIATE_TEST_SUITE_P(Mutants, PlantedAtTheDoor,
                         testing::Values(DoorDefect{Mutant::kExactEvaluation, "private figures"},
                                         DoorDefect{Mutant::kSplitByGroups, "split and encoding"},
                                         DoorDefect{Mutant::kEvaluationUnderpriced, "evaluation"},
                                         DoorDefect{Mutant::kRemarkAboutGroups, "remarks"},
                                         DoorDefect{Mutant::kChecksumOfGroups, "the sketch file"}));

TEST(Mutants, AreAllListedOnce) {
  std::set<Mutant> seen;
  std::set<std::string_view> names;
  for (const MutantInfo& info : all_mutants()) {
    EXPECT_TRUE(seen.insert(info.mutant).second);
    EXPECT_TRUE(names.insert(info.name).second);
  }
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(Mutant::kCountsNoiseRepeated));
  EXPECT_FALSE(seen.contains(Mutant::kNone));
}

TEST(Mutants, NoneIsPlantedUnlessATestDoes) {
  for (const MutantInfo& info : all_mutants()) EXPECT_FALSE(mutant(info.mutant));
}

}  // namespace
}  // namespace dpfermi

#endif
