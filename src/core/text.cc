#include "core/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

namespace dpfermi {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0]++;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitute = diagonal + (std::tolower(static_cast<unsigned char>(a[i])) !=
                                                 std::tolower(static_cast<unsigned char>(b[j])));
      diagonal = row[j + 1];
      row[j + 1] = std::min({substitute, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

/// Length of the valid UTF-8 sequence at the start of `text`, or 0. Overlong forms, surrogates and
/// values past U+10FFFF are invalid (Unicode 15, table 3-7).
std::size_t utf8_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead >= 0xC2 && lead <= 0xDF) return continues(1) ? 2 : 0;
  if (lead >= 0xE0 && lead <= 0xEF) {
    const bool overlong = lead == 0xE0 && byte(1) < 0xA0;
    const bool surrogate = lead == 0xED && byte(1) > 0x9F;
    return continues(1) && continues(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (lead >= 0xF0 && lead <= 0xF4) {
    const bool overlong = lead == 0xF0 && byte(1) < 0x90;
    const bool too_large = lead == 0xF4 && byte(1) > 0x8F;
    return continues(1) && continues(2) && continues(3) && !overlong && !too_large ? 4 : 0;
  }
  return 0;
}

}  // namespace

bool contains(std::span<const std::string> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string> split_list(std::string_view text, char separator) {
  std::vector<std::string> pieces;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    pieces.emplace_back(trim(text.substr(0, end)));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
    if (text.empty()) pieces.emplace_back();
  }
  return pieces;
}

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

std::string shortest(double value) {
  return fmt::format("{}", value);
}

std::string rounded_up(double value, int digits) {
  if (!std::isfinite(value) || value <= 0) return fmt::format("{:g}", value);
  const double unit = std::pow(10, std::floor(std::log10(value)) - digits + 1);
  for (double raised = value;; raised += unit / 2) {
    std::string text = fmt::format("{:.{}g}", raised, digits);
    if (parse_number(text).value_or(0) >= value * (1 - 1e-12)) return text;
  }
}

std::string rounded_down(double value, int digits) {
  if (!std::isfinite(value) || value <= 0) return fmt::format("{:g}", value);
  const double unit = std::pow(10, std::floor(std::log10(value)) - digits + 1);
  for (double lowered = value;; lowered -= unit / 2) {
    std::string text = fmt::format("{:.{}g}", lowered, digits);
    if (parse_number(text).value_or(0) <= value * (1 + 1e-12)) return text;
  }
}

std::string with_thousands(unsigned long long value) {
  std::string digits = std::to_string(value);
  for (std::size_t i = digits.size(); i > 3; i -= 3) digits.insert(i - 3, 1, ',');
  return digits;
}

std::string counted(unsigned long long count, std::string_view noun) {
  std::string name(noun);
  if (count == 1) return "1 " + name;
  if (name.ends_with("y")) {
    name.replace(name.size() - 1, 1, "ie");
  } else if (name.ends_with("s")) {
    name += "e";
  }
  return with_thousands(count) + " " + name + "s";
}

std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates) {
  const std::string* best = nullptr;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance && distance < std::max(name.size(), candidate.size())) {
      best_distance = distance;
      best = &candidate;
    }
  }
  return best != nullptr ? std::optional(*best) : std::nullopt;
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = utf8_sequence(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    const bool plain = length > 1 || (length == 1 && byte >= 0x20 && byte != 0x7F);
    const std::string piece =
        plain ? std::string(text.substr(0, length)) : fmt::format("\\x{:02X}", byte);
    if (out.size() + piece.size() > limit) return out + "...";
    out += piece;
    text.remove_prefix(plain ? length : 1);
  }
  return out;
}

std::string printable_list(std::span<const std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + printable(name);
  return text;
}

std::string listed(std::span<const std::string> names, std::string_view last) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? last : ", ";
    text += names[i];
  }
  return text;
}

std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t position = 0;
  while (position < text.size()) {
    const std::size_t length = utf8_sequence(text.substr(position));
    if (length == 0) return position;
    position += length;
  }
  return std::string_view::npos;
}

}  // namespace dpfermi
