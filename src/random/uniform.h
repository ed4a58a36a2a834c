#pragma once

/// Exact draws from uniform 64-bit words. All comparisons are between integers: a real uniform
/// number is read 64 bits at a time, and only as far as the answer needs.

#include <concepts>
#include <cstdint>

namespace dpfermi {

__extension__ using Uint128 = unsigned __int128;

/// Anything with next(): a KeyStream, or prepared words in a test.
template <class T>
concept WordSource = requires(T& words) {
  { words.next() } -> std::same_as<std::uint64_t>;
};

/// True with probability exactly numerator / denominator, given that the first 64 bits of the
/// uniform number are `first`. Requires numerator <= denominator, 0 < denominator.
///
/// Why: with U = (w + U') / 2^64, U < n/d holds iff U' < (n 2^64 - w d) / d; that numerator is <= 0
/// (no), >= d (yes), or again a numerator of the same problem.
template <WordSource Words>
bool bernoulli_from(std::uint64_t first, std::uint64_t numerator, std::uint64_t denominator,
                    Words& words) {
  for (std::uint64_t word = first;; word = words.next()) {
    const Uint128 target = Uint128{numerator} << 64;
    const Uint128 low = Uint128{word} * denominator;
    if (low >= target) return false;
    if (target - low >= denominator) return true;
    numerator = static_cast<std::uint64_t>(target - low);
  }
}

/// True with probability exactly numerator / denominator.
template <WordSource Words>
bool bernoulli(std::uint64_t numerator, std::uint64_t denominator, Words& words) {
  return bernoulli_from(words.next(), numerator, denominator, words);
}

/// Uniform on {0, ..., bound - 1}; requires bound > 0. Multiply-and-reject: a word w is kept unless
/// the low half of w * bound falls below 2^64 mod bound, which leaves every value equally many.
template <WordSource Words>
std::uint64_t uniform_below(std::uint64_t bound, Words& words) {
  Uint128 product = Uint128{words.next()} * bound;
  if (static_cast<std::uint64_t>(product) < bound) {
    const std::uint64_t threshold = (0 - bound) % bound;
    while (static_cast<std::uint64_t>(product) < threshold) {
      product = Uint128{words.next()} * bound;
    }
  }
  return static_cast<std::uint64_t>(product >> 64);
}

}  // namespace dpfermi
