#pragma once

/// What a Gaussian release lets out. Only a Privatizer makes one; code that updates a model takes a
/// NoisySum, so that an update without noise does not compile.

#include <span>
#include <utility>
#include <vector>

#include "dpfermi/privacy/event.h"
#include "dpfermi/random/key.h"

namespace dpfermi {

/// Move-only: one release, one use.
class NoisySum {
 public:
  NoisySum(NoisySum&&) noexcept = default;
  NoisySum& operator=(NoisySum&&) noexcept = default;
  NoisySum(const NoisySum&) = delete;
  NoisySum& operator=(const NoisySum&) = delete;
  ~NoisySum() = default;

  /// Segment i of the sum plus noise, in the units of the contributions.
  std::span<const double> segment(std::size_t i) const {
    return std::span(values_).subspan(starts_[i], starts_[i + 1] - starts_[i]);
  }
  std::size_t segments() const { return noise_.size(); }

  /// Standard deviation of the noise on each entry of segment i, in the same units.
  double noise_stddev(std::size_t i) const { return noise_[i]; }

  /// What turns the sum into a mean: the constant q n, never the size of the batch drawn; under
  /// add/remove with the declared n.
  double expected_units() const { return expected_units_; }

  /// What was charged for it.
  const PrivacyEvent& event() const { return event_; }

  /// Whether the noise was secret.
  Reproducibility reproducibility() const { return reproducibility_; }

 private:
  friend class Privatizer;
  NoisySum(PrivacyEvent event, Reproducibility reproducibility, double expected_units)
      : event_(std::move(event)),
        reproducibility_(reproducibility),
        expected_units_(expected_units) {}

  PrivacyEvent event_;
  Reproducibility reproducibility_;
  double expected_units_;
  std::vector<std::size_t> starts_{0};
  std::vector<double> noise_;
  std::vector<double> values_;
};

}  // namespace dpfermi
