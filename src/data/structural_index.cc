#include "data/structural_index.h"

#include <bit>
#include <cassert>

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace dpfermi {
namespace {

/// The bytes from `begin` on; positions are those of the whole text.
std::size_t find_from(std::string_view text, std::size_t begin, char delimiter,
                      std::uint32_t* out) {
  std::size_t count = 0;
  for (std::size_t i = begin; i < text.size(); ++i) {
    if (text[i] == '\n' || text[i] == '"' || text[i] == delimiter) {
      out[count++] = static_cast<std::uint32_t>(i);
    }
  }
  return count;
}

#if defined(__AVX2__)
/// Bit i is set where byte i of the 64 at `data` is structural.
std::uint64_t structural_mask(const char* data, __m256i delimiter) {
  const __m256i newline = _mm256_set1_epi8('\n');
  const __m256i quote = _mm256_set1_epi8('"');
  std::uint64_t mask = 0;
  for (int half = 0; half < 2; ++half) {
    const __m256i bytes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + 32 * half));
    const __m256i hits = _mm256_or_si256(
        _mm256_cmpeq_epi8(bytes, delimiter),
        _mm256_or_si256(_mm256_cmpeq_epi8(bytes, newline), _mm256_cmpeq_epi8(bytes, quote)));
    mask |= static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm256_movemask_epi8(hits)))
            << (32 * half);
  }
  return mask;
}
#endif

}  // namespace

std::size_t find_structurals(std::string_view text, char delimiter, std::span<std::uint32_t> out) {
  assert(out.size() >= text.size() + 64);
  std::uint32_t* next = out.data();
  std::size_t base = 0;
#if defined(__AVX2__)
  const __m256i wanted = _mm256_set1_epi8(delimiter);
  for (; base + 64 <= text.size(); base += 64) {
    std::uint64_t mask = structural_mask(text.data() + base, wanted);
    while (mask != 0) {
      *next++ =
          static_cast<std::uint32_t>(base) + static_cast<std::uint32_t>(std::countr_zero(mask));
      mask &= mask - 1;
    }
  }
#endif
  next += find_from(text, base, delimiter, next);
  return static_cast<std::size_t>(next - out.data());
}

}  // namespace dpfermi
