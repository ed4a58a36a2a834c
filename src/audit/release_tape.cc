#include "audit/release_tape.h"

#include <algorithm>
#include <cmath>

#include "audit/recording.h"

namespace dpfermi {
namespace {

/// Copies what another run released at this point, where the shapes agree.
template <class Seen, class Value>
void replay(const std::vector<Seen>& others, std::size_t at, std::span<Value> noisy) {
  if (at >= others.size() || others[at].released.size() != noisy.size()) return;
  std::ranges::transform(others[at].released, noisy.begin(),
                         [](std::int64_t value) { return static_cast<Value>(value); });
}

}  // namespace

void ReleaseTape::on_batch(const TappedBatch& batch) {
  SeenSum seen;
  seen.members.assign(batch.members.begin(), batch.members.end());
  std::vector<std::uint32_t> probes = seen.members;
  // Members of many early batches were looked at; later ones are others at other parameters.
  probes.resize(std::min({probes.size(), most_probes_, sums_.size() < 5 ? probes.size() : 2}));
  if (has_probe_) probes.push_back(probed_);
  for (const std::uint32_t unit : probes) {
    const Result<Integers> own = batch.sum_of({&unit, 1});
    if (own) seen.contributions[unit] = *own;
  }
  std::vector<std::uint32_t> reversed(seen.members.rbegin(), seen.members.rend());
  const Result<Integers> again = batch.sum_of(reversed);
  seen.ordered = !again || !std::ranges::equal(*again, batch.sum);
  sums_.push_back(std::move(seen));
}

void ReleaseTape::on_sum(const TappedSum& sum) {
  SeenSum& seen = sums_.back();
  seen.charged = to_json(sum.charged);
  seen.covered = covers(sum.charged, sum.adjacency, sum.sampling, sum.noise_multiplier,
                        sum.layout.exchanged());
  seen.distance = charged_step(sum.charged, sum.noise_multiplier).distance;
  seen.adjacency = sum.adjacency;
  seen.sampling = sum.sampling;
  seen.segments = sum.layout.segments();
  seen.lattice_bits = sum.layout.lattice_bits();
  seen.noise_multiplier = sum.noise_multiplier;
  seen.exact.assign(sum.exact.begin(), sum.exact.end());
  seen.drawn.assign(sum.noisy.begin(), sum.noisy.end());
  if (frozen_ != nullptr) replay(frozen_->sums_, sums_.size() - 1, sum.noisy);
  if (outputs_ != Outputs::kDrawn) {
    const auto far = std::int64_t{1} << (seen.lattice_bits + 2 + 4 * (sums_.size() % 4));
    for (std::size_t i = 0; i < sum.noisy.size(); ++i) {
      sum.noisy[i] = (i + sums_.size()) % 3 == 0 ? -far : far;
    }
    const std::size_t still = outputs_ == Outputs::kStill ? seen.segments[0].size : 0;
    std::ranges::fill(sum.noisy.first(still), 0);
  }
  seen.released.assign(sum.noisy.begin(), sum.noisy.end());
}

void ReleaseTape::on_released(const NoisySum& noisy) {
  SeenSum& seen = sums_.back();
  seen.denominator = noisy.expected_units();
  seen.on_lattice = true;
  std::size_t at = 0;
  for (std::size_t s = 0; s < noisy.segments(); ++s) {
    // A stated deviation of z 2^bits steps gives the length of a step.
    const double step =
        noisy.noise_stddev(s) / std::ldexp(seen.noise_multiplier, seen.lattice_bits);
    for (const double value : noisy.segment(s)) {
      const double whole = static_cast<double>(seen.released[at++]) * step;
      seen.on_lattice = seen.on_lattice && std::abs(value - whole) <= 0x1p-40 * std::abs(whole);
    }
  }
}

void ReleaseTape::on_counts(const TappedCounts& counts) {
  SeenCounts seen;
  seen.charged = to_json(counts.charged);
  if (const auto* event = std::get_if<DiscreteGaussianRelease>(&counts.charged.node())) {
    seen.shifts = event->shifts;
  }
  seen.sigma = counts.sigma;
  seen.exact.assign(counts.exact.begin(), counts.exact.end());
  seen.drawn.assign(counts.noisy.begin(), counts.noisy.end());
  if (frozen_ != nullptr) replay(frozen_->counts_, counts_.size(), counts.noisy);
  if (outputs_ != Outputs::kDrawn) {
    // Every group is there beyond doubt, and none like another.
    for (std::size_t i = 0; i < counts.noisy.size(); ++i) {
      counts.noisy[i] = static_cast<std::int64_t>(1000 * (1 + i % 5));
    }
  }
  seen.released.assign(counts.noisy.begin(), counts.noisy.end());
  counts_.push_back(std::move(seen));
}

void ReleaseTape::on_laplace(const TappedLaplace& sums) {
  SeenPure seen;
  seen.charged = to_json(sums.charged);
  seen.adjacency = sums.adjacency;
  if (const auto* event = std::get_if<PureRelease>(&sums.charged.node())) {
    seen.epsilon = event->epsilon;
  }
  seen.longest = sums.longest;
  seen.scale = sums.scale;
  if (has_probe_) seen.contributions[probed_] = sums.contribution_of(probed_);
  seen.exact.assign(sums.exact.begin(), sums.exact.end());
  seen.drawn.assign(sums.noisy.begin(), sums.noisy.end());
  if (frozen_ != nullptr) replay(frozen_->pure_, pure_.size(), sums.noisy);
  if (outputs_ != Outputs::kDrawn) {
    for (std::size_t i = 0; i < sums.noisy.size(); ++i) {
      sums.noisy[i] = (i % 3 == 0 ? -16 : 16) * sums.scale;
    }
  }
  seen.released.assign(sums.noisy.begin(), sums.noisy.end());
  pure_.push_back(std::move(seen));
}

void ReleaseTape::on_responses(const TappedResponses& responses) {
  SeenPure seen;
  seen.charged = to_json(responses.charged);
  seen.adjacency = responses.charged.adjacency();
  if (const auto* event = std::get_if<PureRelease>(&responses.charged.node())) {
    seen.epsilon = event->epsilon;
  }
  seen.exact.assign(responses.exact.begin(), responses.exact.end());
  seen.drawn.assign(responses.noisy.begin(), responses.noisy.end());
  if (frozen_ != nullptr) replay(frozen_->pure_, pure_.size(), responses.noisy);
  seen.released.assign(responses.noisy.begin(), responses.noisy.end());
  pure_.push_back(std::move(seen));
}

}  // namespace dpfermi
