#include "dpfermi/privacy/mechanism/batch.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dpfermi {
namespace {

/// Rounded up where it has to be rounded: noise over distance is never overstated.
double distance(Adjacency adjacency, const Sampling& sampling, Exchanged exchanged) {
  constexpr double kRootOfTwo = 1.41421356237310;
  const int square = squared_distance(adjacency, sampling, exchanged);
  return square == 2 ? kRootOfTwo : std::sqrt(square);
}

bool can_be_made(Adjacency adjacency, const Sampling& sampling, Exchanged exchanged) {
  return exchanged == Exchanged::kVector ||
         (adjacency == Adjacency::kSensitive && sampling.kind == SamplingKind::kEveryone);
}

}  // namespace

int squared_distance(Adjacency adjacency, const Sampling& sampling, Exchanged exchanged) {
  if (exchanged == Exchanged::kPlace) return 2;
  if (sampling.kind == SamplingKind::kUnamplified) return 4;
  const double apart = neighbour_distance(adjacency);
  return static_cast<int>(apart * apart);
}

Result<PrivacyEvent> gaussian_event(Adjacency adjacency, const Sampling& sampling,
                                    double noise_multiplier, Exchanged exchanged) {
  if (!can_be_made(adjacency, sampling, exchanged)) {
    return usage_error(
        "vectors are placed by group in sums over everyone under `adjacency` sensitive; sum "
        "contributions instead");
  }
  if (sampling.kind == SamplingKind::kPoisson) {
    return PrivacyEvent::create(adjacency, PoissonGaussianRelease{sampling.q, noise_multiplier});
  }
  if (sampling.kind == SamplingKind::kRevealedPoisson) {
    if (adjacency == Adjacency::kAddRemoveRecord) {
      return usage_error(
          "a batch whose members are seen reveals who is in the data; use another adjacency than "
          "add-remove-record");
    }
    return PrivacyEvent::create(
        adjacency, RevealedPoissonGaussianRelease{
                       sampling.q, noise_multiplier / distance(adjacency, sampling, exchanged)});
  }
  return PrivacyEvent::create(
      adjacency, GaussianRelease{noise_multiplier / distance(adjacency, sampling, exchanged)});
}

bool covers(const PrivacyEvent& charged, Adjacency adjacency, const Sampling& sampling,
            double noise_multiplier, Exchanged exchanged) {
  const bool is_revealed = sampling.kind == SamplingKind::kRevealedPoisson;
  if (charged.adjacency() != adjacency) return false;
  if (!can_be_made(adjacency, sampling, exchanged)) return false;
  if (is_revealed && adjacency == Adjacency::kAddRemoveRecord) return false;
  const double sigma = noise_multiplier / distance(adjacency, sampling, exchanged);
  const PrivacyEvent::Node& node = charged.node();
  if (const auto* gaussian = std::get_if<GaussianRelease>(&node)) {
    return gaussian->sigma_over_distance == sigma;
  }
  if (const auto* revealed = std::get_if<RevealedPoissonGaussianRelease>(&node)) {
    const bool by_coins = is_revealed || sampling.kind == SamplingKind::kPoisson;
    return by_coins && revealed->q == sampling.q && revealed->sigma_over_distance == sigma;
  }
  if (sampling.kind != SamplingKind::kPoisson) return false;
  if (const auto* poisson = std::get_if<PoissonGaussianRelease>(&node)) {
    return poisson->q == sampling.q && poisson->noise_multiplier == noise_multiplier;
  }
  return false;
}

Batch Batch::everyone(std::uint32_t units, DeclaredUnits declared) {
  std::vector<std::uint32_t> members(units);
  std::iota(members.begin(), members.end(), 0U);
  const double expected = declared.value_or(units);
  return {{SamplingKind::kEveryone, 1.0, expected, declared.has_value()}, std::move(members)};
}

Result<Batch> Batch::unamplified(std::vector<std::uint32_t> units, DeclaredUnits declared) {
  std::ranges::sort(units);
  if (std::ranges::adjacent_find(units) != units.end()) {
    return usage_error("a batch names one unit twice; draw it without replacement");
  }
  const auto size = declared ? static_cast<double>(*declared) : static_cast<double>(units.size());
  return Batch({SamplingKind::kUnamplified, 1.0, size, declared.has_value()}, std::move(units));
}

}  // namespace dpfermi
