#pragma once

/// The planted defects that a replay of dp-fermi must find.

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "core/mutant.h"
#include "parameter_name.h"

#ifdef DPFERMI_MUTANTS

namespace dpfermi::testing_support {

/// For the names of tests.
inline std::string mutant_name(Mutant which) {
  return parameter_name(std::ranges::find(all_mutants(), which, &MutantInfo::mutant)->name);
}

/// What such a replay cannot see: distributions, which no single run shows (the statistical tiers
/// do), and what a dp-fermi run without a target or with a network does not do.
inline constexpr std::array kNotInReplays = {
    Mutant::kHalfNoise,          Mutant::kNoiseCorrelated,       Mutant::kHigherRate,
    Mutant::kFixedSizeBatches,   Mutant::kShuffledBatches,       Mutant::kLowCountsNoise,
    Mutant::kEntryExactAtTimes,  Mutant::kBlockForgotten,        Mutant::kLowSketchNoise,
    Mutant::kSketchEntryExact,   Mutant::kQueriesOnSketchStream, Mutant::kExactEvaluation,
    Mutant::kChoiceByGroups,     Mutant::kVerdictByGroups,       Mutant::kRepairByGroups,
    Mutant::kQueryAboutGroups,   Mutant::kSplitByGroups,         Mutant::kMergedByGroups,
    Mutant::kTreesByGroups,      Mutant::kProxyByGroups,         Mutant::kPersonsUnweighted,
    Mutant::kRemarkAboutGroups,  Mutant::kEvaluationUnderpriced, Mutant::kChecksumOfGroups,
    Mutant::kCountsNoiseRepeated};

inline std::vector<MutantInfo> replay_mutants() {
  std::vector<MutantInfo> found;
  for (const MutantInfo& info : all_mutants()) {
    if (std::ranges::find(kNotInReplays, info.mutant) == kNotInReplays.end()) found.push_back(info);
  }
  return found;
}

}  // namespace dpfermi::testing_support

#endif
