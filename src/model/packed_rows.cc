#include "model/packed_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstring>

#ifdef __AVX2__
#include <immintrin.h>
#endif

namespace dpfermi {
namespace {

constexpr std::size_t kPackedRows = FactorBlock::kRows;
constexpr std::size_t kTogether = 8;  ///< rows that are turned into columns at once
constexpr std::size_t kWords = 4;     ///< of each
constexpr std::size_t kLine = 16;     ///< words of a cache line

static_assert(kPackedRows % kTogether == 0);
static_assert(std::endian::native == std::endian::little, "halves of a word are in this order");

using Places = std::array<const std::uint32_t*, kPackedRows>;

/// Four words of eight rows as four columns.
#ifdef __AVX2__
struct Columns {
  __m256i words[kWords];

  Columns(const std::uint32_t* const* rows, std::size_t word) {
    const auto pair = [&](std::size_t i) {
      const auto load = [&](const std::uint32_t* from) {
        return _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + word));
      };
      return _mm256_inserti128_si256(_mm256_castsi128_si256(load(rows[i])), load(rows[i + 4]), 1);
    };
    const __m256i low_01 = _mm256_unpacklo_epi32(pair(0), pair(1));
    const __m256i low_23 = _mm256_unpacklo_epi32(pair(2), pair(3));
    const __m256i high_01 = _mm256_unpackhi_epi32(pair(0), pair(1));
    const __m256i high_23 = _mm256_unpackhi_epi32(pair(2), pair(3));
    words[0] = _mm256_unpacklo_epi64(low_01, low_23);
    words[1] = _mm256_unpackhi_epi64(low_01, low_23);
    words[2] = _mm256_unpacklo_epi64(high_01, high_23);
    words[3] = _mm256_unpackhi_epi64(high_01, high_23);
  }

  void write_numbers(std::size_t column, double* out) const {
    const __m256 values = _mm256_castsi256_ps(words[column]);
    _mm256_storeu_pd(out, _mm256_cvtps_pd(_mm256_castps256_ps128(values)));
    _mm256_storeu_pd(out + 4, _mm256_cvtps_pd(_mm256_extractf128_ps(values, 1)));
  }

  void write_halves(std::size_t column, std::uint16_t* low, std::uint16_t* high) const {
    const auto write = [](__m256i values, std::uint16_t* out) {
      const __m256i packed = _mm256_permute4x64_epi64(_mm256_packus_epi32(values, values), 0x08);
      _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm256_castsi256_si128(packed));
    };
    write(_mm256_and_si256(words[column], _mm256_set1_epi32(0xffff)), low);
    write(_mm256_srli_epi32(words[column], 16), high);
  }
};
#else
struct Columns {
  std::uint32_t words[kWords][kTogether];

  Columns(const std::uint32_t* const* rows, std::size_t word) {
    for (std::size_t i = 0; i < kTogether; ++i) {
      for (std::size_t j = 0; j < kWords; ++j) words[j][i] = rows[i][word + j];
    }
  }

  void write_numbers(std::size_t column, double* out) const {
    for (std::size_t i = 0; i < kTogether; ++i) out[i] = std::bit_cast<float>(words[column][i]);
  }

  void write_halves(std::size_t column, std::uint16_t* low, std::uint16_t* high) const {
    for (std::size_t i = 0; i < kTogether; ++i) {
      low[i] = static_cast<std::uint16_t>(words[column][i]);
      high[i] = static_cast<std::uint16_t>(words[column][i] >> 16);
    }
  }
};
#endif

/// Four words of `count` rows, kNumbers of them numbers, to the columns from `numbers` and `halves`
/// on.
template <std::size_t kNumbers>
void write_columns(const Places& places, std::size_t count, std::size_t word, double* numbers,
                   std::uint16_t* halves) {
  for (std::size_t start = 0; start < count; start += kTogether) {
    const Columns four(places.data() + start, word);
    for (std::size_t j = 0; j < kNumbers; ++j)
      four.write_numbers(j, numbers + j * kPackedRows + start);
    for (std::size_t j = kNumbers; j < kWords; ++j) {
      std::uint16_t* low = halves + 2 * (j - kNumbers) * kPackedRows + start;
      four.write_halves(j, low, low + kPackedRows);
    }
  }
}

std::size_t stride_of(std::size_t numbers, std::size_t halves) {
  const std::size_t words = numbers + (halves + 1) / 2;
  return (words + kWords - 1) / kWords * kWords;
}

}  // namespace

PackedRows::PackedRows(const HybridMatrix& x, std::span<const std::uint16_t> y,
                       std::shared_ptr<const ColumnCodes> codes)
    : x_(&x),
      y_(y),
      codes_(std::move(codes)),
      numbers_(x.number_count()),
      code_count_(codes_->per_row(x.category_count())),
      stride_(stride_of(numbers_, code_count_ + 1)),
      words_(x.is_elsewhere() ? 0 : x.rows() * stride_) {
  assert(y.size() == x.rows() && codes_->columns() == x.columns());
  std::vector<std::uint16_t> halves(code_count_ + 1);
  bool complete = true;
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const std::span<const std::uint16_t> ones = x.row(i).ones;
    complete = complete && std::ranges::find(ones, x.columns()) == ones.end();
    if (!words_.empty()) pack(i, halves, words_.data() + i * stride_);
  }
  if (complete) ones_per_row_ = x.category_count();
}

void PackedRows::pack(std::size_t i, std::span<std::uint16_t> halves, std::uint32_t* to) const {
  const HybridMatrix::Row from = x_->row(i);
  std::memcpy(to, from.numbers.data(), from.numbers.size_bytes());
  codes_->encode(from.ones, halves.first(code_count_));
  halves.back() = y_[i];
  std::memcpy(to + numbers_, halves.data(), halves.size_bytes());
}

void PackedRows::load(std::span<const std::uint32_t> rows, std::span<const std::uint32_t> ahead,
                      FactorBlock& block) const {
  assert(block.column_codes()->size() == codes_->size() && rows.size() <= kPackedRows);
  block.resize(rows.size(), numbers_, code_count_, ones_per_row_);
  prefetch(ahead);
  std::array<const std::uint32_t*, kPackedRows> places;
  std::vector<std::uint32_t> fresh(words_.empty() ? rows.size() * stride_ : 0);
  std::vector<std::uint16_t> row_halves(code_count_ + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (words_.empty()) pack(rows[i], row_halves, fresh.data() + i * stride_);
    places[i] = words_.empty() ? fresh.data() + i * stride_ : row(rows[i]);
  }
  // After the end the last row again: blocks have room for it.
  for (std::size_t i = rows.size(); i % kTogether != 0; ++i) places[i] = places[i - 1];
  for (std::size_t word = 0; word < stride_; word += kWords) {
    const std::size_t numbers = std::min(word, numbers_);
    double* const first = block.numbers(numbers);
    std::uint16_t* const halves = block.codes(2 * (word - numbers));
    switch (std::min(numbers_ - numbers, kWords)) {
      case 0:
        write_columns<0>(places, rows.size(), word, first, halves);
        break;
      case 1:
        write_columns<1>(places, rows.size(), word, first, halves);
        break;
      case 2:
        write_columns<2>(places, rows.size(), word, first, halves);
        break;
      case 3:
        write_columns<3>(places, rows.size(), word, first, halves);
        break;
      default:
        write_columns<4>(places, rows.size(), word, first, halves);
    }
  }
}

void PackedRows::prefetch(std::span<const std::uint32_t> rows) const {
  if (words_.empty()) return x_->prefetch(rows);
  const bool one_line = kLine % stride_ == 0;
  for (const std::uint32_t i : rows) __builtin_prefetch(row(i));
  if (one_line) return;
  for (const std::uint32_t i : rows) __builtin_prefetch(row(i) + stride_ - 1);
}

}  // namespace dpfermi
