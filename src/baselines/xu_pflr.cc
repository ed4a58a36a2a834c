#include "baselines/xu_pflr.h"

#include <cmath>
#include <numbers>

#include "baselines/monomials.h"
#include "baselines/noisy_steps.h"
#include "optimize/training_run.h"
#include "privacy/mechanism/laplace_privatizer.h"

namespace dpfermi {
namespace {

/// |[x, 1]|_1 that corresponds to the l2 norm of the features: entries of equal size.
double l1_length(const Dataset& data, const BaselineOptions& options) {
  const auto entries = static_cast<double>(1 + data.x.number_count() + data.x.category_count());
  return feature_norm(data, options) * std::sqrt(entries);
}

}  // namespace

extern const MethodDescriptor methods::xu_pflr = {
    .name = "xu-pflr",
    .origin = "Xu, Yuan and Wu 2019",
    .summary = "private and fair: Laplace noise on the coefficients of the Taylor loss",
    .notions = {FairnessNotion::kDemographicParity},
    .adjacencies = {Adjacency::kReplaceRecord},
    .knob = Knob::kWeight,
    .knob_meaning = "weight of the covariance of group and decision boundary",
    .parity_values = {0, 0.1, 0.3, 1},
    .claim = "equal",
    .train = dpfermi::xu_pflr,
};

Result<BaselineResult> xu_pflr(const Dataset& data, const BaselineOptions& options,
                               StepLedger& ledger, NoiseSource noise,
                               const TrainingHooks& /*hooks*/) {
  const Stopwatch watch;
  DPFERMI_ASSIGN(PureRun run, charge_pure("coefficients", options, noise, ledger));
  DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kLaplaceNoise));
  const Monomials monomials(data);
  DPFERMI_ASSIGN(LaplacePrivatizer privatizer,
                 LaplacePrivatizer::create(options.adjacency, monomials.size(),
                                           Monomials::l1_norm(l1_length(data, options)),
                                           run.epsilon, std::move(run.permit), std::move(lane)));
  const auto write = [&](const std::vector<std::uint16_t>& s, std::uint32_t unit,
                         std::span<double> out) { monomials.write(s, unit, out); };
  DPFERMI_ASSIGN(const LaplaceSums sums,
                 privatizer.release(data.s, static_cast<std::uint32_t>(data.unit_count), write));
  const TaylorLoss loss = monomials.loss(sums.values(), std::numbers::sqrt2 * sums.scale());
  return finish_regression(data, options, minimise_taylor(loss, options.lambda),
                           std::move(run.statement), watch.seconds());
}

}  // namespace dpfermi
