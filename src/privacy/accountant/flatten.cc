#include "privacy/accountant/flatten.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dpfermi::accountant {
namespace {

constexpr std::uint64_t kMostRepetitions = 1ULL << 40;
constexpr std::int64_t kMostLatticePoints = 1LL << 22;

class Flattener {
 public:
  Status add(const PrivacyEvent& event, std::uint64_t count) {
    if (count == 0) return {};
    if (count > kMostRepetitions) {
      return usage_error(fmt::format("an event is repeated more than {} times; use fewer steps",
                                     kMostRepetitions));
    }
    adjacency_ = event.adjacency();
    return std::visit([&](const auto& node) { return add_node(node, count); }, event.node());
  }

  FlatEvent finish() && {
    flat_.revealed = 0.0 - std::expm1(log_hidden_);  // not -0, which would be printed
    return std::move(flat_);
  }

 private:
  Status add_node(const GaussianRelease& g, std::uint64_t count) {
    return add_gaussian(g.sigma_over_distance, count);
  }

  Status add_node(const LaplaceRelease& l, std::uint64_t count) {
    if (l.scale_over_distance == 0) return add_node(ExactRelease{}, count);
    if (std::isinf(l.scale_over_distance)) return {};
    return add_pair({.kind = PairKind::kLaplace, .sigma = l.scale_over_distance}, count);
  }

  Status add_node(const DiscreteGaussianRelease& d, std::uint64_t count) {
    if (d.sigma == 0) return add_node(ExactRelease{}, count);
    if (std::isinf(d.sigma)) return {};
    for (const std::int64_t shift : d.shifts) {
      const double reach = 40 * d.sigma + std::abs(static_cast<double>(shift));
      if (reach > static_cast<double>(kMostLatticePoints)) {
        return usage_error(
            fmt::format("a discrete Gaussian of sigma {} and shift {} is beyond this accountant "
                        "(40 sigma + shift <= {}); use a coarser lattice",
                        d.sigma, shift, kMostLatticePoints));
      }
      DPFERMI_TRY(add_pair(
          {.kind = PairKind::kDiscreteGaussian, .sigma = d.sigma, .shift = std::abs(shift)},
          count));
    }
    return {};
  }

  Status add_node(const PoissonGaussianRelease& p, std::uint64_t count) {
    const double distance = neighbour_distance(adjacency_);
    if (p.q == 1) return add_gaussian(p.noise_multiplier / distance, count);
    const bool exchange = adjacency_ != Adjacency::kAddRemoveRecord;
    return add_sampled(exchange ? PairKind::kSubstitution : PairKind::kRemove, p.q,
                       p.noise_multiplier, count);
  }

  Status add_node(const RevealedPoissonGaussianRelease& p, std::uint64_t count) {
    if (p.q == 1) return add_gaussian(p.sigma_over_distance, count);
    return add_sampled(PairKind::kRevealed, p.q, p.sigma_over_distance, count);
  }

  Status add_node(const PureRelease& p, std::uint64_t count) {
    if (p.epsilon == 0) return {};
    if (std::isinf(p.epsilon)) return add_node(ExactRelease{}, count);
    return add_pair({.kind = PairKind::kPure, .sigma = 1 / p.epsilon}, count);
  }

  Status add_node(const ExactRelease&, std::uint64_t) {
    flat_.exact = true;
    return {};
  }

  Status add_node(const Composition& composition, std::uint64_t count) {
    for (const PrivacyEvent& part : composition.parts) DPFERMI_TRY(add(part, count));
    return {};
  }

  Status add_node(const Repetition& repetition, std::uint64_t count) {
    std::uint64_t product = 0;
    if (__builtin_mul_overflow(repetition.count, count, &product)) product = ~0ULL;
    return add(*repetition.part, product);
  }

  Status add_gaussian(double sigma, std::uint64_t count) {
    if (sigma == 0) return add_node(ExactRelease{}, count);
    flat_.mu_squared += static_cast<double>(count) / sigma / sigma;
    if (std::isinf(flat_.mu_squared)) flat_.exact = true;
    return {};
  }

  Status add_sampled(PairKind kind, double q, double sigma, std::uint64_t count) {
    if (q == 0 || std::isinf(sigma)) return {};
    if (kind == PairKind::kRemove) flat_.one_direction = false;
    if (sigma * sigma < 1e-300) {
      log_hidden_ += static_cast<double>(count) * std::log1p(-q);
      return {};
    }
    return add_pair({.kind = kind, .sigma = sigma, .q = q}, count);
  }

  Status add_pair(const LossPair& pair, std::uint64_t count) {
    const auto same = std::ranges::find(flat_.components, pair, &Component::pair);
    if (same == flat_.components.end()) {
      flat_.components.push_back({pair, count});
    } else {
      same->count += count;
    }
    return {};
  }

  FlatEvent flat_;
  double log_hidden_ = 0;
  Adjacency adjacency_ = Adjacency::kSensitive;
};

}  // namespace

std::vector<Component> FlatEvent::in_direction(Direction direction) const {
  std::vector<Component> all = components;
  if (direction == Direction::kBackward) {
    for (Component& component : all) {
      if (component.pair.kind == PairKind::kRemove) component.pair.kind = PairKind::kAdd;
    }
  }
  if (mu_squared > 0) {
    all.push_back({{.kind = PairKind::kGaussian, .sigma = 1 / std::sqrt(mu_squared)}, 1});
  }
  return all;
}

Result<FlatEvent> flatten(const PrivacyEvent& event) {
  Flattener flattener;
  DPFERMI_TRY(flattener.add(event, 1));
  return std::move(flattener).finish();
}

}  // namespace dpfermi::accountant
