#include "audit/recording.h"

#include <cmath>

namespace dpfermi {

ChargedStep charged_step(const PrivacyEvent& event, double noise_multiplier) {
  if (const auto* poisson = std::get_if<PoissonGaussianRelease>(&event.node())) {
    return {poisson->q, poisson->noise_multiplier, neighbour_distance(event.adjacency())};
  }
  if (const auto* revealed = std::get_if<RevealedPoissonGaussianRelease>(&event.node())) {
    return {revealed->q, noise_multiplier, noise_multiplier / revealed->sigma_over_distance};
  }
  if (const auto* gaussian = std::get_if<GaussianRelease>(&event.node())) {
    return {1, noise_multiplier, noise_multiplier / gaussian->sigma_over_distance};
  }
  return {};
}

void RunRecorder::on_batch(const TappedBatch& batch) {
  recording_.batches.emplace_back(batch.members.begin(), batch.members.end());
}

void RunRecorder::on_sum(const TappedSum& sum) {
  std::vector<std::size_t> segments;
  for (const Segment& segment : sum.layout.segments()) segments.push_back(segment.size);
  recording_.charged = charged_step(sum.charged, sum.noise_multiplier);
  recording_.lattice = std::ldexp(1.0, sum.layout.lattice_bits());
  recording_.segments = std::move(segments);
  std::vector<std::int64_t> noise(sum.noisy.begin(), sum.noisy.end());
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] -= sum.exact[i];
  recording_.noise.push_back(std::move(noise));
  recording_.runs.push_back(run_);
}

}  // namespace dpfermi
