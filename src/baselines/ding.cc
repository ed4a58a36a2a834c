#include "baselines/ding.h"

#include "baselines/claims.h"
#include "baselines/noisy_steps.h"
#include "baselines/taylor_sum.h"
#include "optimize/training_run.h"

namespace dpfermi {

extern const MethodDescriptor methods::ding = {
    .name = "ding",
    .origin = "Ding, Zhang, Li, Wang, Yu and Pan 2020",
    .summary = "private and fair: Gaussian noise on the coefficients of the Taylor loss",
    .notions = {FairnessNotion::kDemographicParity},
    .adjacencies = {Adjacency::kReplaceRecord},
    .knob = Knob::kWeight,
    .knob_meaning = "weight of the covariance of group and decision boundary",
    .parity_values = {0, 0.1, 0.3, 1},
    .claim = "the classical theorem of one Gaussian",
    .train = dpfermi::ding,
};

Result<BaselineResult> ding(const Dataset& data, const BaselineOptions& options, StepLedger& ledger,
                            NoiseSource noise, const TrainingHooks& /*hooks*/) {
  const Stopwatch watch;
  TaylorSum coefficients(data, feature_norm(data, options));
  DPFERMI_ASSIGN(OneRelease release,
                 charge_one_release("coefficients", coefficients.segment(), data.unit_count,
                                    options, delta_of(options, data), noise, ledger));
  DPFERMI_ASSIGN(ClippedSum sum, coefficients.clipped_sum(release.mechanism));
  DPFERMI_ASSIGN(const NoisySum noisy, release.mechanism.release(std::move(sum)));
  release.statement.claimed_epsilon = classical_claim(
      release.noise_multiplier / neighbour_distance(options.adjacency), delta_of(options, data));
  return finish_regression(data, options, minimise_taylor(coefficients.loss(noisy), options.lambda),
                           std::move(release.statement), watch.seconds());
}

}  // namespace dpfermi
