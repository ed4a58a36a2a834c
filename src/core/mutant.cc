#include "core/mutant.h"

#ifdef DPFERMI_MUTANTS

#include <atomic>

namespace dpfermi {
inline namespace planted {
namespace {

std::atomic<Mutant> current = Mutant::kNone;

}  // namespace

bool mutant(Mutant which) {
  return current.load(std::memory_order_relaxed) == which;
}

void plant(Mutant which) {
  current.store(which, std::memory_order_relaxed);
}

const std::array<MutantInfo, kMutants>& all_mutants() {
  using enum Mutant;
  static constexpr std::array<MutantInfo, kMutants> kAll{{
      {kLongContributions, "long-contributions", "sensitivity x 1.25"},
      {kClipAfterAveraging, "clip-after-averaging", "clip sees gradients divided by the batch"},
      {kLambdaAfterClip, "lambda-after-clip", "lambda multiplies between clip and noise"},
      {kSegmentsAsOne, "segments-as-one", "theta and W composed as one"},
      {kNanSurvivesClip, "nan-survives-clip", "NaN and infinity survive the clip"},
      {kNoNoise, "no-noise", "steps without noise"},
      {kHalfNoise, "half-noise", "half the noise"},
      {kNoiseRepeated, "noise-repeated", "the same noise in every step"},
      {kNoiseCorrelated, "noise-correlated", "noise of theta and W correlated"},
      {kNoiseFromData, "noise-from-data", "sigma depends on the exact sum"},
      {kNoiseOffLattice, "noise-off-lattice", "floating-point noise off the lattice"},
      {kNoCountsNoise, "no-counts-noise", "group counts without noise"},
      {kExactShares, "exact-shares", "P_S read exactly"},
      {kSigmaFromCounts, "sigma-from-counts", "sigma planned from private counts"},
      {kShapeFromGroups, "shape-from-groups", "number of groups inferred from s"},
      {kStopByExactSums, "stop-by-exact-sums", "early stop that reads s"},
      {kPublicPartOnSecretBatch, "public-part-on-secret-batch", "public part on the secret batch"},
      {kActualBatchSize, "actual-batch-size", "division by the actual batch size"},
      {kFixedSizeBatches, "fixed-size-batches", "fixed-size batches accounted as Poisson"},
      {kShuffledBatches, "shuffled-batches", "shuffled batches accounted as Poisson"},
      {kHigherRate, "higher-rate", "units drawn with 1.25 q"},
      {kPermitNotConsumed, "permit-not-consumed", "releases that the ledger does not know"},
      {kFewerStepsPriced, "fewer-steps-priced", "accountant told of half the steps"},
      {kCountsChargedOnce, "counts-charged-once", "two changed cells charged as one"},
      {kLambdaFromShare, "lambda-from-share", "lambda from an exact share from step 6 on"},
      {kLambdaFromFirstUnit, "lambda-from-first-unit", "lambda from the group of unit 0"},
      {kQueriesOnSketchStream, "queries-on-sketch-stream",
       "residual queries with the noise of the sketch"},
      {kLowSketchNoise, "low-sketch-noise", "noise of the sketch x 0.9"},
      {kSketchEntryExact, "sketch-entry-exact", "one entry of the sketch without noise"},
      {kLowCountsNoise, "low-counts-noise", "noise of group counts x 0.85"},
      {kExactEvaluation, "exact-evaluation", "private evaluation reports exact counts"},
      {kBlockForgotten, "block-forgotten", "block index forgotten in the noise stream"},
      {kEntryExactAtTimes, "entry-exact-at-times", "an entry without noise every seventh step"},
      {kChoiceByGroups, "choice-by-groups", "s decides which measured model is returned"},
      {kVerdictByGroups, "verdict-by-groups", "the verdict on a target reads exact shares"},
      {kRepairByGroups, "repair-by-groups", "a repair is corrected by exact shares"},
      {kKnownByGroups, "known-by-groups", "s decides which groups are large enough"},
      {kQueryAboutGroups, "query-about-groups", "a query about s instead of decisions"},
      {kSplitByGroups, "split-by-groups", "s decides which rows are held out"},
      {kMergedByGroups, "merged-by-groups", "exact counts decide which groups are merged"},
      {kTreesByGroups, "trees-by-groups", "out-of-fold scores of trees depend on s"},
      {kProxyByGroups, "proxy-by-groups", "a repair knows the group of a training row"},
      {kPersonsUnweighted, "persons-unweighted", "a person's rows count in full in a sketch"},
      {kEvaluationUnderpriced, "evaluation-underpriced",
       "private evaluation charged half of what it costs"},
      {kRemarkAboutGroups, "remark-about-groups", "a remark quotes a person's group"},
      {kChecksumOfGroups, "checksum-of-groups", "the checksum in a sketch file covers s"},
      {kCountsNoiseRepeated, "counts-noise-repeated", "two tables of counts with one noise"},
  }};
  return kAll;
}

}  // namespace planted
}  // namespace dpfermi

#endif
