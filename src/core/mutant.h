#pragma once

/// Planted defects: one line each, at the real place in the real code, so that the audit can be
/// seen to find them (docs/audit.md). They exist in test builds alone (CMake option
/// DPFERMI_MUTANTS); elsewhere mutant() is the constant false and the compiler leaves nothing
/// behind. Only sources ask for them, never headers: what an installed header says does not depend
/// on the option.

#include <array>
#include <cstddef>
#include <string_view>

namespace dpfermi {

enum class Mutant {
  kNone,
  kLongContributions,        ///< sensitivity x 1.25
  kClipAfterAveraging,       ///< the clip sees gradients divided by the size of the batch
  kLambdaAfterClip,          ///< lambda multiplies between clip and noise
  kSegmentsAsOne,            ///< theta and W each get the whole norm
  kNanSurvivesClip,          ///< a contribution that is not a number is summed
  kNoNoise,                  ///< steps are released as they are
  kHalfNoise,                ///< of the steps
  kNoiseRepeated,            ///< every step uses the same noise
  kNoiseCorrelated,          ///< the second half of a release has the noise of the first
  kNoiseFromData,            ///< sigma depends on the exact sum
  kNoiseOffLattice,          ///< floating-point noise is added to released values
  kNoCountsNoise,            ///< group counts are released as they are
  kExactShares,              ///< P_S is read exactly, beside the noisy counts
  kSigmaFromCounts,          ///< noise is planned from private group counts
  kShapeFromGroups,          ///< the number of groups is inferred from s
  kStopByExactSums,          ///< a run ends early by looking at s
  kPublicPartOnSecretBatch,  ///< public terms are taken from the secret batch
  kActualBatchSize,          ///< sums are divided by the number of members drawn
  kFixedSizeBatches,         ///< accounted as Poisson
  kShuffledBatches,          ///< accounted as Poisson
  kHigherRate,               ///< units are drawn with 1.25 q
  kPermitNotConsumed,        ///< releases that the ledger knows nothing of
  kFewerStepsPriced,         ///< the accountant is told of half the steps
  kCountsChargedOnce,        ///< two changed cells are charged as one
  kLambdaFromShare,          ///< lambda follows the exact share of group 0 from step 6 on
  kLambdaFromFirstUnit,      ///< lambda follows the group of unit 0 from step 2 on
  kQueriesOnSketchStream,    ///< residual queries draw the noise of the sketch again
  kLowSketchNoise,           ///< sigma x 0.9 in the sketch
  kSketchEntryExact,         ///< the first entry of the sketch has no noise
  kLowCountsNoise,           ///< sigma x 0.85 in group counts
  kExactEvaluation,          ///< private evaluation reports exact counts
  kBlockForgotten,           ///< every block of a long release has the noise of the first
  kEntryExactAtTimes,        ///< the last entry has no noise at every seventh step
  kChoiceByGroups,           ///< which model is returned depends on s
  kVerdictByGroups,          ///< so does the violation that a verdict states
  kRepairByGroups,           ///< so do the corrections of a repair
  kKnownByGroups,            ///< so does which groups are large enough
  kQueryAboutGroups,         ///< the last query asks about s instead of decisions
  kSplitByGroups,            ///< s decides which rows are held out
  kMergedByGroups,           ///< exact counts decide which groups are merged
  kTreesByGroups,            ///< out-of-fold scores of trees depend on s
  kProxyByGroups,            ///< a repair knows the group of a training row
  kPersonsUnweighted,        ///< every row of a person counts in full in a sketch
  kEvaluationUnderpriced,    ///< a private evaluation is charged half of what it costs
  kRemarkAboutGroups,        ///< a remark quotes somebody's group
  kChecksumOfGroups,         ///< the checksum of public columns in a sketch file covers s
  kCountsNoiseRepeated,      ///< every table of counts has the noise of the first
};

struct MutantInfo {
  Mutant mutant;
  std::string_view name;
  std::string_view defect;  ///< for people
};

#ifdef DPFERMI_MUTANTS
inline namespace planted {

inline constexpr std::size_t kMutants = 47;

/// Whether this defect is planted at the moment.
bool mutant(Mutant which);

/// Plants a defect, or with kNone none, in the whole process. For tests.
void plant(Mutant which);

/// All of them but kNone.
const std::array<MutantInfo, kMutants>& all_mutants();

}  // namespace planted
#else
inline namespace clean {

constexpr bool mutant(Mutant) {
  return false;
}

}  // namespace clean
#endif

}  // namespace dpfermi
