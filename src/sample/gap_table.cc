#include "sample/gap_table.h"

#include <algorithm>
#include <bit>
#include <boost/multiprecision/cpp_int.hpp>
#include <limits>
#include <utility>

namespace dpfermi {
namespace {

/// Numbers from 0 to 1 are integers over 2^kFraction; 1024 bits hold every product of two.
using Big = boost::multiprecision::number<boost::multiprecision::cpp_int_backend<
    1024, 1024, boost::multiprecision::unsigned_magnitude, boost::multiprecision::unchecked, void>>;
constexpr int kFraction = 448;
constexpr int kStepBits = 224;
constexpr std::uint32_t kAllOnes = std::numeric_limits<std::uint32_t>::max();

/// Larger tables would leave the cache; with smaller ones, rare members would cost many words.
constexpr int kMaxBits = 24;

/// Of `low` and `high` together: 2^bits is between four and eight mean gaps, or the limit.
int gap_bits(std::uint64_t threshold) {
  return std::min(kMaxBits, 67 - static_cast<int>(std::bit_width(threshold)));
}

const Big& one() {
  static const Big value = Big(1) << kFraction;
  return value;
}

/// Up to 2^kShortBits steps one table is quick to make, and stays in the cache.
constexpr int kShortBits = 10;

int low_bits(std::uint64_t threshold) {
  const int bits = gap_bits(threshold);
  return bits <= kShortBits ? 0 : bits / 2;
}

/// (1-q)^(2^doublings).
Big survival(std::uint64_t threshold, int doublings) {
  Big power = one() - (Big(threshold) << (kFraction - 64));
  for (int i = 0; i < doublings; ++i) power = power * power >> kFraction;
  return power;
}

PartTable::Fraction fraction(const Big& value) {
  const Big cut = value >> (kFraction - kStepBits);
  const auto word = [&cut](int shift) {
    return static_cast<std::uint64_t>(
        Big(cut >> shift & std::numeric_limits<std::uint64_t>::max()));
  };
  return {static_cast<std::uint32_t>(word(192)), {word(128), word(64), word(0)}};
}

/// (1 - ratio^(v+1)) / total for v = 0, ..., count - 1.
PartTable geometric(const Big& ratio, const Big& total, std::uint32_t count) {
  std::vector<PartTable::Fraction> steps;
  steps.reserve(count);
  Big power = ratio;
  for (std::uint32_t v = 0; v < count; ++v) {
    steps.push_back(fraction(((one() - power) << kFraction) / total));
    power = power * ratio >> kFraction;
  }
  return PartTable(std::move(steps));
}

/// Not cut off: its last value is "2^bits units are out".
PartTable high_table(std::uint64_t threshold, int low_bits) {
  return geometric(survival(threshold, low_bits), one(), 1U << (gap_bits(threshold) - low_bits));
}

PartTable low_table(std::uint64_t threshold, int low_bits) {
  return geometric(survival(threshold, 0), one() - survival(threshold, low_bits),
                   (1U << low_bits) - 1);
}

}  // namespace

PartTable::PartTable(std::vector<Fraction> steps) : steps_(std::move(steps)) {
  for (const Fraction& step : steps_) firsts_.push_back(step.first);
  firsts_.push_back(kAllOnes);
  // Several starts a step: then most draws are one comparison, which a processor can foresee.
  const int step_bits = static_cast<int>(std::bit_width(steps_.size()));
  const int start_bits = std::max(step_bits + 2, std::min(step_bits + 4, 13));
  shift_ = 32 - start_bits;
  std::uint16_t value = 0;
  for (std::uint32_t start = 0; start < 1U << start_bits; ++start) {
    while (start << shift_ > firsts_[value]) ++value;
    starts_.push_back(value);
  }
}

std::uint32_t PartTable::settle(std::uint32_t first, KeyStream& stream) const {
  Fraction uniform{first, {}};
  for (std::uint64_t& word : uniform.rest) word = stream.next();
  const auto above = std::upper_bound(steps_.begin(), steps_.end(), uniform);
  return static_cast<std::uint32_t>(above - steps_.begin());
}

GapTable::GapTable(std::uint64_t threshold)
    : low_bits_(dpfermi::low_bits(threshold)),
      high_(high_table(threshold, low_bits_)),
      low_(low_table(threshold, low_bits_)) {}

void GapTable::select(std::uint32_t units, KeyStream& stream,
                      std::vector<std::uint32_t>& members) const {
  if (low_bits_ == 0) {
    select_short(units, stream, members);
  } else {
    select_long(units, stream, members);
  }
}

void GapTable::select_short(std::uint32_t units, KeyStream& stream,
                            std::vector<std::uint32_t>& members) const {
  const auto out = static_cast<std::uint32_t>(high_.steps().size());
  for (std::uint64_t unit = 0; unit < units;) {
    const std::uint64_t word = stream.next();
    for (const std::uint64_t half : {word >> 32, word & 0xffffffff}) {
      const std::uint32_t gap = high_.draw(static_cast<std::uint32_t>(half), stream);
      unit += gap;
      if (gap < out && unit < units) members.push_back(static_cast<std::uint32_t>(unit++));
    }
  }
}

void GapTable::select_long(std::uint32_t units, KeyStream& stream,
                           std::vector<std::uint32_t>& members) const {
  for (std::uint64_t unit = 0; unit < units;) {
    const std::uint64_t word = stream.next();
    const std::uint32_t high = high_.draw(static_cast<std::uint32_t>(word >> 32), stream);
    unit += std::uint64_t{high} << low_bits_;
    if (high == high_.steps().size()) continue;
    unit += low_.draw(static_cast<std::uint32_t>(word), stream);
    if (unit < units) members.push_back(static_cast<std::uint32_t>(unit++));
  }
}

}  // namespace dpfermi
