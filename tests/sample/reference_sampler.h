#pragma once

/// Poisson batches without tricks: the same batches as PoissonSampler's, drawn by plain loops.

#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <vector>

#include "dpfermi/sample/poisson_sampler.h"
#include "random/lane.h"
#include "sample/gap_table.h"

namespace dpfermi::reference {

/// PartTable::draw by looking at every step.
inline std::uint32_t draw(const PartTable& part, std::uint32_t first, KeyStream& stream) {
  bool tie = first == std::numeric_limits<std::uint32_t>::max();
  for (const PartTable::Fraction& step : part.steps()) tie = tie || step.first == first;
  PartTable::Fraction uniform{first, {}};
  if (tie) {
    for (std::uint64_t& word : uniform.rest) word = stream.next();
  }
  std::uint32_t reached = 0;
  for (const PartTable::Fraction& step : part.steps()) reached += uniform < step ? 0 : 1;
  return reached;
}

class Sampler {
 public:
  using Members = std::vector<std::uint32_t>;

  Sampler(std::uint32_t units, SamplingRate rate, NoiseLane lane)
      : units_(units), rate_(rate), lane_(std::move(lane)) {}

  Members next() {
    Members members;
    if (rate_.certain()) {
      members.resize(units_);
      std::iota(members.begin(), members.end(), 0U);
    } else if (rate_.value() <= 0.1) {
      members = by_gaps();
    } else {
      members = by_bytes();
    }
    ++step_;
    return members;
  }

 private:
  Members by_gaps() const {
    const GapTable gaps(rate_.threshold());
    const auto out = static_cast<std::uint32_t>(gaps.high().steps().size());
    KeyStream stream = LaneForTests::stream(lane_, step_, 0);
    Members members;
    std::uint64_t unit = 0;
    const auto enter = [&] {
      if (unit < units_) members.push_back(static_cast<std::uint32_t>(unit++));
    };
    while (unit < units_) {
      const std::uint64_t word = stream.next();
      const auto upper = static_cast<std::uint32_t>(word >> 32);
      const auto lower = static_cast<std::uint32_t>(word);
      const std::uint32_t high = draw(gaps.high(), upper, stream);
      unit += std::uint64_t{high} << gaps.low_bits();
      if (gaps.low_bits() > 0) {
        if (high == out) continue;
        unit += draw(gaps.low(), lower, stream);
        enter();
        continue;
      }
      if (high < out) enter();
      const std::uint32_t second = draw(gaps.high(), lower, stream);
      unit += second;
      if (second < out) enter();
    }
    return members;
  }

  /// Unit i is in iff its 64-bit number is below the threshold; 2^16 units share two streams.
  Members by_bytes() const {
    constexpr std::uint32_t kUnitsPerBlock = 1U << 16;
    Members members;
    for (std::uint64_t start = 0; start < units_; start += kUnitsPerBlock) {
      const auto block = static_cast<std::uint32_t>(2 * (start / kUnitsPerBlock));
      std::vector<std::uint8_t> firsts(std::min<std::uint64_t>(kUnitsPerBlock, units_ - start));
      KeyStream stream = LaneForTests::stream(lane_, step_, block);
      stream.fill(firsts);
      KeyStream others = LaneForTests::stream(lane_, step_, block + 1);
      for (std::size_t i = 0; i < firsts.size(); ++i) {
        const std::uint64_t first = rate_.threshold() >> 56;
        const bool tie = firsts[i] == first;
        const bool in = tie ? others.next() << 8 < rate_.threshold() << 8 : firsts[i] < first;
        if (in) members.push_back(static_cast<std::uint32_t>(start + i));
      }
    }
    return members;
  }

  std::uint32_t units_;
  SamplingRate rate_;
  NoiseLane lane_;
  std::uint64_t step_ = 0;
};

}  // namespace dpfermi::reference
