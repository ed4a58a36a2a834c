// The permitted way, with every type the other programs misuse: must compile.
#include "core/mutant.h"
#include "dpfermi/privacy/mechanism/privatizer.h"
#include "dpfermi/random/noise_source.h"
#include "dpfermi/sample/poisson_sampler.h"
#include "optimize/dp_fermi.h"
#include "privacy/mechanism/counts_privatizer.h"

using namespace dpfermi;

// Outside test builds no defect can be planted.
static_assert(!mutant(Mutant::kNoNoise));

using Groups = std::vector<int>;

Result<double> train_step(const Protected<Groups>& groups, PoissonSampler& sampler,
                          Privatizer& privatizer) {
  DPFERMI_ASSIGN(Batch batch, sampler.next());
  const auto contribution = [](const Groups& s, std::uint32_t unit, std::span<double> out) {
    out[0] = s[unit];
  };
  DPFERMI_ASSIGN(ClippedSum sum, privatizer.sum(groups, std::move(batch), contribution));
  DPFERMI_ASSIGN(const NoisySum noisy, privatizer.release(std::move(sum)));
  return noisy.segment(0)[0] / noisy.expected_units();
}

Result<NoisyCounts> count(const Protected<Groups>& groups, CountsPrivatizer& privatizer) {
  return privatizer.release(groups, 10, 2, [](const Groups& s, std::uint32_t unit) {
    return static_cast<std::size_t>(s[unit]);
  });
}

int for_the_holder(const Protected<Groups>& groups) {
  return ExactForHolder::read(groups)[0];
}

Reproducibility kind_of(const NoiseLane& lane, const ReleasePermit& permit) {
  return permit.check_noise(lane.reproducibility()) ? permit.reproducibility()
                                                    : Reproducibility::kReproducible;
}

NoiseSource secret_noise() {
  return NoiseSource(SecretKey::from_os().value());
}

Result<TrainingResult> train_charged(const Dataset& data, const TrainingPlan& plan,
                                     StepLedger& ledger) {
  return exact_fermi(data, plan, ledger, secret_noise(), {});
}
