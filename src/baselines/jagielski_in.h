#pragma once

/// `jagielski-in`: the private game for equalized odds (Jagielski et al. 2019, "Differentially
/// Private Fair Learning", section 4). The game of `reductions` in T rounds, where both players see
/// noise: the learner regresses the costs of decisions on x, its sums X'c with noise; the auditor
/// learns the rates of the learner's decisions by group and label with noise. The model is the
/// uniform mixture of the T linear rules.
///
/// **Protects** the sensitive attribute (adjacency `sensitive`), (epsilon, delta). Decisions are
/// drawn; s is not needed at prediction.
///
/// Deviations, and why:
///   - Gaussian noise, priced as one composition of 2T releases, in the place of Laplace noise.
///     The released program passes the scale of the noise as its location, so that it adds a
///     constant; corrected, Laplace noise on d coordinates of which each is charged epsilon' would
///     still cost d epsilon', not epsilon'. What is certified here is what was run.
///   - Group sizes are one of the releases; the original divides by exact ones.
///   - The duality gap and the linear program that the original computes from exact data are left
///     out: they would be releases without noise.
///   - T: the theorem's number of rounds, B sqrt(ln(4k-3)) n epsilon / (2 (2kB+1) sqrt(ln(1/delta))
///     (VC ln n + ln(2/beta))), is 2 for Adult at epsilon = 3. At least 20 are played.
///   - Rows longer than twice the root mean square of all are shortened for the learner's sums.

#include <cstdint>
#include <optional>

#include "optimize/baseline.h"

namespace dpfermi {

struct JagielskiInOptions : BaselineOptions {
  std::optional<std::uint64_t> rounds = std::nullopt;  ///< T
};

/// The theorem's T, with B = 1 / gamma, for n records of d columns and k groups.
double jagielski_rounds(double n, double columns, double groups, double bound, double epsilon,
                        double delta);

Result<TrainingResult> jagielski_in(const Dataset& data, const JagielskiInOptions& options,
                                    StepLedger& ledger, NoiseSource noise,
                                    const TrainingHooks& hooks = {});

namespace methods {
extern const MethodDescriptor jagielski_in;
}  // namespace methods

}  // namespace dpfermi
