#include "privacy/mechanism/laplace_privatizer.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/team.h"
#include "privacy/mechanism/release_tap.h"
#include "random/discrete_laplace.h"
#include "random/key_stream.h"

namespace dpfermi {
namespace {

/// A contribution of the longest norm is this long on the lattice.
constexpr std::int64_t kLattice = std::int64_t{1} << 20;

}  // namespace

Result<LaplacePrivatizer> LaplacePrivatizer::create(Adjacency adjacency, std::size_t size,
                                                    double longest, double epsilon,
                                                    ReleasePermit permit, NoiseLane lane) {
  if (!(longest > 0 && std::isfinite(longest) && epsilon > 0 && std::isfinite(epsilon))) {
    return usage_error("Laplace noise needs a positive epsilon and a positive bound");
  }
  DPFERMI_TRY(permit.check_noise(lane.reproducibility()));
  const PrivacyEvent& charged = permit.event();
  const auto* node = std::get_if<PureRelease>(&charged.node());
  if (node == nullptr || charged.adjacency() != adjacency || node->epsilon != epsilon) {
    return usage_error("the ledger was charged for " + describe(charged) + " under " +
                       std::string(to_string(charged.adjacency())) +
                       ", but the release is Laplace noise of epsilon " + std::to_string(epsilon) +
                       " under " + std::string(to_string(adjacency)) + "; charge what is released");
  }
  const double wanted = neighbour_distance(adjacency) * static_cast<double>(kLattice) / epsilon;
  if (wanted > static_cast<double>(DiscreteLaplace::kMaxScale)) {
    return usage_error("epsilon " + std::to_string(epsilon) + " is too small for Laplace noise");
  }
  // One more than the ceiling: the quotient was rounded.
  const auto scale = static_cast<std::int64_t>(std::ceil(wanted)) + 1;
  DPFERMI_TRY(DiscreteLaplace::create(scale));
  return LaplacePrivatizer(adjacency, size, longest, scale, std::move(permit), std::move(lane));
}

double LaplacePrivatizer::scale() const {
  return static_cast<double>(scale_) / static_cast<double>(kLattice) * longest_;
}

/// Rounded toward zero. Should rounding have left the norm above the bound, entries are taken back
/// until it holds: the bound is on integers and exact.
void LaplacePrivatizer::quantise(std::span<double> contribution,
                                 std::span<std::int64_t> lattice) const {
  double norm = 0;
  for (const double entry : contribution) norm += std::abs(entry);
  if (!std::isfinite(norm)) {
    std::ranges::fill(lattice, 0);
    return;
  }
  const double factor = static_cast<double>(kLattice) / std::max(norm, longest_);
  std::int64_t left = kLattice;
  for (std::size_t j = 0; j < lattice.size(); ++j) {
    const auto entry = static_cast<std::int64_t>(contribution[j] * factor);
    lattice[j] = std::clamp(entry, -left, left);
    left -= std::abs(lattice[j]);
  }
}

Result<LaplaceSums> LaplacePrivatizer::release_sums(std::uint32_t units,
                                                    const UnitContribution& contribution) {
  // Outcomes are cut where the draws are still exact for every possible sum: an exact law, cut, is
  // as private as it was.
  const std::int64_t reach = DiscreteLaplace::kReach * scale_;
  const std::int64_t cut = reach - kLattice * std::int64_t{units} - 1;
  if (cut < reach / 2) return usage_error("too many units for Laplace noise this small; use less");
  DPFERMI_TRY(permit_.consume());
  DPFERMI_ASSIGN(const DiscreteLaplace laplace, DiscreteLaplace::create(scale_));
  KeyStream stream = lane_.stream(step_, 0);
  step_ = NoiseLane::after(step_, 1);
  std::vector<double> out(size_);
  std::vector<std::int64_t> lattice(size_);
  const auto lattice_of = [&](std::uint32_t unit) -> const std::vector<std::int64_t>& {
    std::ranges::fill(out, 0);
    contribution(unit, out);
    quantise(out, lattice);
    return lattice;
  };
  std::vector<std::int64_t> sums(size_);
  Team& team = lane_.team();
  const Share share = team.share(units);
  for (std::size_t unit = share.first; unit < share.last; ++unit) {
    const std::vector<std::int64_t>& own = lattice_of(static_cast<std::uint32_t>(unit));
    for (std::size_t j = 0; j < size_; ++j) sums[j] += own[j];
  }
  DPFERMI_TRY(team.add_up(sums));
  std::vector<std::int64_t> noisy(size_);
  if (team.leads()) DPFERMI_TRY(laplace.draw(stream, noisy));
  for (std::size_t j = 0; j < size_; ++j) noisy[j] = std::clamp(noisy[j] + sums[j], -cut, cut);
  if (ReleaseTap* tap = permit_.tap()) {
    tap->on_laplace({permit_.event(), adjacency_, kLattice, scale_, lattice_of, sums, noisy});
  }
  DPFERMI_TRY(hand_out(team, std::span(noisy)));
  std::vector<double> values(size_);
  for (std::size_t j = 0; j < size_; ++j) {
    values[j] = static_cast<double>(noisy[j]) / static_cast<double>(kLattice) * longest_;
  }
  return LaplaceSums(std::move(values), scale(), lane_.reproducibility());
}

}  // namespace dpfermi
