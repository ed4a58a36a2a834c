#include "dpfermi/privacy/ledger/amount.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "core/text.h"

namespace dpfermi {
namespace {

/// A decimal number taken apart: value = 0.DIGITS x 10^point, without leading zeros.
struct Decimal {
  std::string digits;
  std::int64_t point = 0;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Moves the digits at the front of `text` to `digits`; how many there were.
std::size_t take_digits(std::string_view& text, std::string& digits) {
  std::size_t count = 0;
  while (count < text.size() && is_digit(text[count])) ++count;
  digits.append(text.substr(0, count));
  text.remove_prefix(count);
  return count;
}

std::optional<Decimal> take_apart(std::string_view text) {
  Decimal decimal;
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::size_t whole = take_digits(text, decimal.digits);
  std::size_t places = 0;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    places = take_digits(text, decimal.digits);
  }
  if (whole + places == 0) return std::nullopt;
  std::int32_t exponent = 0;
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E')) {
    text.remove_prefix(1);
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), exponent);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  if (!text.empty()) return std::nullopt;
  const std::size_t zeros = std::min(decimal.digits.find_first_not_of('0'), decimal.digits.size());
  decimal.digits.erase(0, zeros);
  decimal.point = static_cast<std::int64_t>(whole) - static_cast<std::int64_t>(zeros) + exponent;
  return decimal;
}

}  // namespace

Amount Amount::infinite() {
  Amount amount;
  amount.infinite_ = true;
  return amount;
}

Result<Amount> Amount::parse(std::string_view text, Rounding rounding) {
  if (text == "inf") return infinite();
  const std::optional<Decimal> decimal = take_apart(text);
  if (!decimal) {
    return usage_error(
        fmt::format("'{}' is not a privacy amount; give a number >= 0", printable(text)));
  }
  if (decimal->digits.empty()) return Amount();
  constexpr auto kUnitPlaces = static_cast<std::int64_t>(kPlaces);
  if (decimal->point > kUnitPlaces) return infinite();

  // The digits that count: 15 before the point and 30 after it.
  std::string window(3 * kPlaces, '0');
  bool cut = false;
  for (std::size_t i = 0; i < decimal->digits.size(); ++i) {
    const std::int64_t place = kUnitPlaces - decimal->point + static_cast<std::int64_t>(i);
    if (place < static_cast<std::int64_t>(window.size())) {
      window[static_cast<std::size_t>(place)] = decimal->digits[i];
    } else {
      cut = cut || decimal->digits[i] != '0';
    }
  }
  Amount amount;
  for (std::size_t i = 0; i < amount.digits_.size(); ++i) {
    const char* begin = window.data() + i * kPlaces;
    std::from_chars(begin, begin + kPlaces, amount.digits_[i]);
  }
  if (!cut || rounding == Rounding::kDown) return amount;
  Amount unit;
  unit.digits_[2] = 1;
  return amount + unit;
}

Result<Amount> Amount::from(double value, Rounding rounding) {
  if (std::isnan(value) || value < 0) {
    return usage_error(fmt::format("{} is not a privacy amount; it must be a number >= 0", value));
  }
  if (std::isinf(value)) return infinite();
  return parse(shortest(std::abs(value)), rounding);  // abs: -0 is 0
}

Amount Amount::operator+(const Amount& other) const {
  if (infinite_ || other.infinite_) return infinite();
  Amount sum;
  std::uint64_t carry = 0;
  for (std::size_t i = digits_.size(); i-- > 0;) {
    const std::uint64_t digit = digits_[i] + other.digits_[i] + carry;
    carry = digit / kBase;
    sum.digits_[i] = digit % kBase;
  }
  return carry == 0 ? sum : infinite();
}

Amount Amount::less(const Amount& other) const {
  if (*this <= other) return {};
  if (infinite_) return infinite();
  Amount rest;
  std::uint64_t borrow = 0;
  for (std::size_t i = digits_.size(); i-- > 0;) {
    const std::uint64_t digit = kBase + digits_[i] - other.digits_[i] - borrow;
    borrow = digit < kBase ? 1 : 0;
    rest.digits_[i] = digit % kBase;
  }
  return rest;
}

std::string Amount::text() const {
  if (infinite_) return "inf";
  std::string places = fmt::format("{:015}{:015}", digits_[1], digits_[2]);
  places.erase(places.find_last_not_of('0') + 1);
  return places.empty() ? fmt::format("{}", digits_[0]) : fmt::format("{}.{}", digits_[0], places);
}

double Amount::to_double(Rounding rounding) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (infinite_) return kInfinity;
  double value = *parse_number(text());
  const auto on_wrong_side = [&] {
    const Amount amount = *from(value, rounding);
    return rounding == Rounding::kUp ? amount < *this : amount > *this;
  };
  while (on_wrong_side()) {
    value = std::nextafter(value, rounding == Rounding::kUp ? kInfinity : 0.0);
  }
  return value;
}

}  // namespace dpfermi
