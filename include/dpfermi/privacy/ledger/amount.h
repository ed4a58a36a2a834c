#pragma once

/// Epsilon and delta as exact decimals. Sums of doubles drift, and ten charges of 0.1 would not
/// fit a budget of 1; an Amount is a fixed-point decimal with 30 places, so that sums are exact and
/// the only rounding is on the way in and out, always in the direction the caller names.

#include <array>
#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// Up for what is spent, down for what may be spent: against us either way.
enum class Rounding { kUp, kDown };

class Amount {
 public:
  /// Zero.
  constexpr Amount() = default;
  static Amount one();
  static Amount infinite();

  /// A decimal such as "0.5", "1e-6" or "inf". Refuses (kUsage) anything that is not a number >= 0;
  /// a number of 10^15 or more is infinite. Digits past the 30th place are rounded.
  static Result<Amount> parse(std::string_view text, Rounding rounding);

  /// The shortest decimal that denotes `value`: 0.1 is 1/10. Refuses NaN and negative values.
  static Result<Amount> from(double value, Rounding rounding);

  bool is_infinite() const { return infinite_; }

  /// Exact; infinite once the sum reaches 10^15.
  Amount operator+(const Amount& other) const;

  /// The product; infinite from 10^15 on. Zero times infinity is zero.
  Amount times(const Amount& other, Rounding rounding) const;

  /// Requires: divisor > 0.
  Amount over(std::uint64_t divisor, Rounding rounding) const;

  /// What is left of this after `other`; zero where nothing is. Infinite minus anything finite is
  /// infinite.
  Amount less(const Amount& other) const;

  // clang-tidy 14 finds a literal 0 in the code that this stands for.
  std::strong_ordering operator<=>(const Amount&) const = default;  // NOLINT(modernize-use-nullptr)

  /// Every digit: "0.00001", "2", "inf". parse() reads it back exactly.
  std::string text() const;

  /// The closest double whose shortest decimal lies on the named side of this amount.
  double to_double(Rounding rounding) const;

 private:
  /// One more in the last place where digits were cut and `rounding` is up.
  Amount rounded(bool cut, Rounding rounding) const;

  /// Digits in base 10^15: units, then places 1-15, then places 16-30.
  static constexpr std::uint64_t kBase = 1'000'000'000'000'000;
  static constexpr std::size_t kPlaces = 15;

  bool infinite_ = false;
  std::array<std::uint64_t, 3> digits_ = {};
};

/// An upper bound on e^exponent, the same on every machine; infinite from e^34 on.
Amount exp_rounded_up(const Amount& exponent);

}  // namespace dpfermi
