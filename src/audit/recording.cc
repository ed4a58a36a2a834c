#include "audit/recording.h"

#include <cmath>

#include "audit/audit_ledger.h"

namespace dpfermi {

ChargedStep charged_step(const PrivacyEvent& event) {
  const double distance = neighbour_distance(event.adjacency());
  if (const auto* poisson = std::get_if<PoissonGaussianRelease>(&event.node())) {
    return {poisson->q, poisson->noise_multiplier};
  }
  if (const auto* revealed = std::get_if<RevealedPoissonGaussianRelease>(&event.node())) {
    return {revealed->q, revealed->sigma_over_distance * distance};
  }
  if (const auto* gaussian = std::get_if<GaussianRelease>(&event.node())) {
    return {1, gaussian->sigma_over_distance * distance};
  }
  return {};
}

void RunRecorder::on_batch(const TappedBatch& batch) {
  recording_.batches.emplace_back(batch.members.begin(), batch.members.end());
}

void RunRecorder::on_sum(const TappedSum& sum) {
  std::vector<std::size_t> segments;
  for (const Segment& segment : sum.layout.segments()) segments.push_back(segment.size);
  if (segments != recording_.segments) recording_.noise.clear();
  recording_.charged = charged_step(sum.charged);
  recording_.lattice = std::ldexp(1.0, sum.layout.lattice_bits());
  recording_.segments = std::move(segments);
  std::vector<std::int64_t> noise(sum.noisy.begin(), sum.noisy.end());
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] -= sum.exact[i];
  recording_.noise.push_back(std::move(noise));
}

void RunRecorder::on_counts(const TappedCounts& counts) {
  const auto* charged = std::get_if<DiscreteGaussianRelease>(&counts.charged.node());
  recording_.counts_sigma = charged == nullptr ? 0 : charged->sigma;
  recording_.counts_noise.assign(counts.noisy.begin(), counts.noisy.end());
  for (std::size_t i = 0; i < recording_.counts_noise.size(); ++i) {
    recording_.counts_noise[i] -= counts.exact[i];
  }
}

Result<Recording> record_run(const Dataset& data, const TrainingPlan& plan, NoiseSource noise,
                             const NetworkFor& network) {
  RunRecorder recorder(static_cast<std::uint32_t>(data.unit_count));
  AuditLedger ledger(recorder);
  TrainingHooks hooks;
  const std::shared_ptr<DeepNetwork> held = network ? network(data) : nullptr;
  hooks.deep_network = held.get();
  DPFERMI_TRY(train(data, plan, ledger, std::move(noise), hooks));
  return recorder.recording();
}

}  // namespace dpfermi
