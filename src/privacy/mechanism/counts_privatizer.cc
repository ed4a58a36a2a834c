#include "privacy/mechanism/counts_privatizer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/mutant.h"
#include "core/team.h"
#include "privacy/mechanism/release_tap.h"
#include "random/discrete_gaussian.h"
#include "random/key_stream.h"

namespace dpfermi {

Result<PrivacyEvent> counts_event(Adjacency adjacency, double sigma) {
  const bool one = adjacency == Adjacency::kAddRemoveRecord || mutant(Mutant::kCountsChargedOnce);
  const std::size_t changes = one ? 1 : 2;
  return PrivacyEvent::create(
      adjacency, DiscreteGaussianRelease{sigma, std::vector<std::int64_t>(changes, 1)});
}

Result<CountsPrivatizer> CountsPrivatizer::create(Adjacency adjacency, double sigma,
                                                  ReleasePermit permit, NoiseLane lane) {
  DPFERMI_TRY(DiscreteGaussian::create(sigma));
  DPFERMI_TRY(permit.check_noise(lane.reproducibility()));
  DPFERMI_ASSIGN(const PrivacyEvent expected, counts_event(adjacency, sigma));
  const PrivacyEvent& charged = permit.event();
  const auto* node = std::get_if<DiscreteGaussianRelease>(&charged.node());
  const auto* wanted = std::get_if<DiscreteGaussianRelease>(&expected.node());
  if (node == nullptr || charged.adjacency() != adjacency || node->sigma != sigma ||
      node->shifts != wanted->shifts) {
    return usage_error("the ledger was charged for " + describe(charged) + " under " +
                       std::string(to_string(charged.adjacency())) + ", but the counts are " +
                       describe(expected) + " under " + std::string(to_string(adjacency)) +
                       "; charge what is released");
  }
  return CountsPrivatizer(sigma, std::move(permit), std::move(lane));
}

Result<NoisyCounts> CountsPrivatizer::release_counts(
    std::uint32_t units, std::size_t cells,
    const std::function<std::size_t(std::uint32_t)>& cell_of) {
  DPFERMI_TRY(permit_.consume());
  const double sigma = mutant(Mutant::kLowCountsNoise) ? 0.85 * sigma_ : sigma_;
  DPFERMI_ASSIGN(const DiscreteGaussian gaussian, DiscreteGaussian::create(sigma));
  KeyStream stream = lane_.stream(step_, 0);
  step_ = NoiseLane::after(step_, mutant(Mutant::kCountsNoiseRepeated) ? 0 : 1);
  std::vector<std::int64_t> counts(cells);
  Team& team = lane_.team();
  const Share own = team.share(units);
  for (std::size_t unit = own.first; unit < own.last; ++unit) {
    const std::size_t cell = cell_of(static_cast<std::uint32_t>(unit));
    if (cell < cells) ++counts[cell];
  }
  DPFERMI_TRY(team.add_up(counts));
  std::vector<std::int64_t> noisy(cells);
  if (team.leads() && !mutant(Mutant::kNoCountsNoise)) DPFERMI_TRY(gaussian.draw(stream, noisy));
  for (std::size_t cell = 0; cell < cells; ++cell) noisy[cell] += counts[cell];
  if (ReleaseTap* tap = permit_.tap()) {
    tap->on_counts({permit_.event(), sigma_, units, counts, noisy});
  }
  DPFERMI_TRY(hand_out(team, std::span(noisy)));
  return NoisyCounts(std::move(noisy), sigma_, lane_.reproducibility());
}

}  // namespace dpfermi
