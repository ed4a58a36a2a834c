#include "dpfermi/privacy/mechanism/contribution.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

#include "core/mutant.h"
#include "core/text.h"
#include "random/rounded_gaussian.h"

namespace dpfermi {
namespace {

/// Eight running sums, so that the additions overlap; the error bound holds for any order.
double squared_norm(std::span<const double> values) {
  std::array<double, 8> sums{};
  std::size_t i = 0;
  for (; i + 8 <= values.size(); i += 8) {
    for (std::size_t k = 0; k < 8; ++k) sums[k] += values[i + k] * values[i + k];
  }
  for (; i < values.size(); ++i) sums[0] += values[i] * values[i];
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

Status check_segment(const Segment& segment) {
  if (segment.size == 0) return usage_error("a segment of a contribution needs at least one entry");
  if (!(segment.clip_norm >= 1e-100 && segment.clip_norm <= 1e100)) {
    return usage_error("the clipping norm must lie between 1e-100 and 1e100, not " +
                       shortest(segment.clip_norm));
  }
  if (!(segment.weight >= 1e-10 && segment.weight <= 1e10)) {
    return usage_error("the weight of a segment must lie between 1e-10 and 1e10, not " +
                       shortest(segment.weight));
  }
  return {};
}

}  // namespace

Result<ContributionLayout> ContributionLayout::create(std::vector<Segment> segments,
                                                      int lattice_bits) {
  if (segments.empty()) return usage_error("a contribution needs at least one segment");
  if (lattice_bits < 1 || lattice_bits > kMaxLatticeBits) {
    return usage_error("the lattice must have 1 to 36 bits, not " + std::to_string(lattice_bits));
  }
  ContributionLayout layout;
  double sum = 0;
  for (const Segment& segment : segments) {
    DPFERMI_TRY(check_segment(segment));
    sum += segment.weight * segment.weight;
    layout.size_ += segment.size;
  }
  if (layout.size_ > std::size_t{1} << 32) return usage_error("a contribution is too long");
  const double length = std::sqrt(sum) * (1 + static_cast<double>(segments.size() + 8) * kSlack);
  for (const Segment& segment : segments) {
    layout.shares_.push_back(mutant(Mutant::kSegmentsAsOne) ? 1 : segment.weight / length);
    layout.longest_.push_back(std::ldexp(layout.shares_.back(), lattice_bits));
    if (mutant(Mutant::kLongContributions)) layout.longest_.back() *= 1.25;
  }
  layout.segments_ = std::move(segments);
  layout.lattice_bits_ = lattice_bits;
  return layout;
}

double ContributionLayout::step(std::size_t i) const {
  return std::ldexp(segments_[i].clip_norm / shares_[i], -lattice_bits_);
}

int ContributionLayout::finest_lattice(double noise_multiplier) {
  const int room = std::ilogb(RoundedGaussian::kMaxSigma) - 1;
  return std::clamp(room - std::ilogb(std::max(noise_multiplier, 1.0)), 1, kMaxLatticeBits);
}

bool ContributionLayout::quantise_segment(std::size_t i, std::span<const double> values,
                                          std::span<std::int64_t> lattice) const {
  assert(values.size() == segments_[i].size && lattice.size() == values.size());
  const double square = squared_norm(values);
  if (!std::isfinite(square) && !mutant(Mutant::kNanSurvivesClip)) {
    std::ranges::fill(lattice, 0);
    return false;
  }
  const double factor = ClipRule(*this, i, values.size()).factor(square);
  for (std::size_t j = 0; j < values.size(); ++j) {
    lattice[j] = static_cast<std::int64_t>(values[j] * factor);
  }
  return true;
}

void ContributionLayout::quantise(std::span<const double> contribution,
                                  std::span<std::int64_t> lattice) const {
  assert(contribution.size() == size_ && lattice.size() == size_);
  std::size_t start = 0;
  for (std::size_t s = 0; s < segments_.size(); ++s) {
    const std::size_t size = segments_[s].size;
    if (!quantise_segment(s, contribution.subspan(start, size), lattice.subspan(start, size))) {
      std::ranges::fill(lattice, 0);
      return;
    }
    start += size;
  }
}

bool ContributionLayout::operator==(const ContributionLayout& other) const {
  const auto same = [](const Segment& a, const Segment& b) {
    return a.size == b.size && a.clip_norm == b.clip_norm && a.weight == b.weight;
  };
  return lattice_bits_ == other.lattice_bits_ &&
         std::ranges::equal(segments_, other.segments_, same);
}

}  // namespace dpfermi
