#include "dpfermi/sample/poisson_sampler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numeric>
#include <span>
#include <vector>

#include "core/mutant.h"
#include "core/text.h"
#include "random/key_stream.h"
#include "sample/gap_table.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace dpfermi {
namespace {

/// Where a byte per unit becomes cheaper than a word per member (bench/sampler_bench.cc).
constexpr double kLargestRateByGaps = 0.1;

/// Units of one pair of streams: even blocks hold the first bytes, odd ones the rest.
constexpr std::uint32_t kUnitsPerBlock = 1U << 16;

using FirstBytes = std::array<std::uint8_t, kUnitsPerBlock>;
using Members = std::vector<std::uint32_t>;

/// Decides the units whose first byte is that of the threshold, in ascending order.
class Ties {
 public:
  Ties(std::uint64_t threshold, KeyStream stream)
      : rest_(threshold << 8), stream_(std::move(stream)) {}
  bool below() { return stream_.next() << 8 < rest_; }
  Status status() const { return stream_.status(); }

 private:
  std::uint64_t rest_;
  KeyStream stream_;
};

/// Appends unit `unit` if its number is below the threshold.
inline void decide(std::uint8_t first, std::uint8_t threshold, std::uint32_t unit, Ties& ties,
                   Members& members) {
  if (first < threshold || (first == threshold && ties.below())) members.push_back(unit);
}

/// Thirty-two first bytes at a time; only those not above the threshold are looked at.
void select(std::span<const std::uint8_t> firsts, std::uint8_t threshold, std::uint32_t start,
            Ties& ties, Members& members) {
  std::size_t i = 0;
#ifdef __AVX2__
  const __m256i limit = _mm256_set1_epi8(static_cast<char>(threshold));
  for (; i + 32 <= firsts.size(); i += 32) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(firsts.data() + i));
    const __m256i not_above = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, limit), bytes);
    auto mask = static_cast<std::uint32_t>(_mm256_movemask_epi8(not_above));
    for (; mask != 0; mask &= mask - 1) {
      const std::size_t unit = i + static_cast<std::size_t>(std::countr_zero(mask));
      decide(firsts[unit], threshold, start + static_cast<std::uint32_t>(unit), ties, members);
    }
  }
#endif
  for (; i < firsts.size(); ++i) {
    decide(firsts[i], threshold, start + static_cast<std::uint32_t>(i), ties, members);
  }
}

/// Planted defects: a piece of a shuffled order of all units, ascending.
Members piece_of_order(std::uint32_t units, std::size_t size, std::uint64_t piece,
                       KeyStream stream) {
  Members order(units);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t i = units; i > 1; --i) std::swap(order[i - 1], order[stream.next() % i]);
  Members members(order.begin() + static_cast<std::ptrdiff_t>(piece * size),
                  order.begin() + static_cast<std::ptrdiff_t>((piece + 1) * size));
  std::ranges::sort(members);
  return members;
}

SamplingRate drawn_rate(SamplingRate rate) {
  if (!mutant(Mutant::kHigherRate)) return rate;
  return *SamplingRate::nearest(std::min(1.0, 1.25 * rate.value()));
}

}  // namespace

Result<SamplingRate> SamplingRate::nearest(double q) {
  if (!(q >= 0x1p-64 && q <= 1)) {
    return usage_error("the sampling rate must lie between 2^-64 and 1, not " + shortest(q));
  }
  if (q == 1) return SamplingRate(1, 0);
  const double scaled = std::nearbyint(std::ldexp(q, 64));
  return SamplingRate(std::ldexp(scaled, -64), static_cast<std::uint64_t>(scaled));
}

Result<PoissonSampler> PoissonSampler::create(std::uint32_t units, SamplingRate rate,
                                              NoiseLane lane, DeclaredUnits declared) {
  if (lane.purpose() != Purpose::kSecretBatch) {
    return usage_error(
        "Poisson sampling needs the streams of secret batches; open them for kSecretBatch");
  }
  return PoissonSampler(units, rate, std::move(lane), declared);
}

PoissonSampler::PoissonSampler(std::uint32_t units, SamplingRate rate, NoiseLane lane,
                               DeclaredUnits declared)
    : units_(units),
      sampling_{SamplingKind::kPoisson, rate.value(), rate.value() * declared.value_or(units),
                declared.has_value(), lane.reproducibility()},
      rate_(drawn_rate(rate)),
      gaps_(rate_.value() <= kLargestRateByGaps ? std::make_shared<GapTable>(rate_.threshold())
                                                : nullptr),
      lane_(std::move(lane)) {}

Status PoissonSampler::select_by_gaps(Members& members) const {
  KeyStream stream = lane_.stream(step_, 0);
  gaps_->select(units_, stream, members);
  return stream.status();
}

Status PoissonSampler::select_by_bytes(Members& members) const {
  const auto first_of_threshold = static_cast<std::uint8_t>(rate_.threshold() >> 56);
  FirstBytes firsts{};
  for (std::uint64_t start = 0; start < units_; start += kUnitsPerBlock) {
    const auto size = std::min<std::uint64_t>(kUnitsPerBlock, units_ - start);
    const auto block = static_cast<std::uint32_t>(2 * (start / kUnitsPerBlock));
    KeyStream stream = lane_.stream(step_, block);
    const std::span<std::uint8_t> bytes = std::span(firsts).first(size);
    stream.fill(bytes);
    Ties ties(rate_.threshold(), lane_.stream(step_, block + 1));
    select(bytes, first_of_threshold, static_cast<std::uint32_t>(start), ties, members);
    DPFERMI_TRY(stream.status());
    DPFERMI_TRY(ties.status());
  }
  return {};
}

Result<PoissonSampler::Members> PoissonSampler::draw() {
  const double expected = rate_.value() * units_;
  Members members;
  members.reserve(static_cast<std::size_t>(expected + 6 * std::sqrt(expected) + 16));
  if (rate_.certain()) {
    members.resize(units_);
    std::iota(members.begin(), members.end(), 0U);
  } else {
    DPFERMI_TRY(gaps_ ? select_by_gaps(members) : select_by_bytes(members));
  }
  const auto size = static_cast<std::size_t>(std::max(1.0, std::round(expected)));
  const std::uint64_t pieces = units_ / size;
  if (mutant(Mutant::kFixedSizeBatches)) {
    members = piece_of_order(units_, size, 0, lane_.stream(step_, 1U << 31));
  }
  if (mutant(Mutant::kShuffledBatches)) {
    members = piece_of_order(units_, size, step_ % pieces, lane_.stream(step_ / pieces, 1U << 31));
  }
  step_ = NoiseLane::after(step_, 1);
  return members;
}

Result<Batch> PoissonSampler::next() {
  DPFERMI_ASSIGN(Members members, draw());
  Sampling sampling = sampling_;
  if (mutant(Mutant::kActualBatchSize))
    sampling.expected_units = static_cast<double>(members.size());
  return Batch(sampling, std::move(members));
}

Result<RevealedBatch> PoissonSampler::next_revealed() {
  DPFERMI_ASSIGN(Members members, draw());
  Sampling revealed = sampling_;
  revealed.kind = SamplingKind::kRevealedPoisson;
  Batch batch(revealed, members);
  return RevealedBatch{std::move(members), std::move(batch)};
}

}  // namespace dpfermi
