#include "data/canonical_text.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "core/text.h"
#include "dpfermi/data/csv_format.h"

namespace dpfermi {
namespace {

bool stands_for_missing(std::string_view text) {
  static const std::vector<std::string> markers = CsvFormat{}.missing;
  constexpr std::size_t kLongest = 4;
  return text.size() <= kLongest && contains(markers, text);
}

/// Most numbers of real tables are short integers, which are written one way only.
bool is_plain_integer(std::string_view text) {
  constexpr std::size_t kExact = 15;
  if (text.empty() || text.size() > kExact || (text.size() > 1 && text[0] == '0')) return false;
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool begins_like_number(char c) {
  return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

}  // namespace

std::string_view canonical_text(std::string_view field, std::string& buffer) {
  field = trim(field);
  if (is_plain_integer(field)) return field;
  if (stands_for_missing(field)) return {};
  if (field.empty() || !begins_like_number(field.front())) return field;
  const auto number = parse_number(field);
  if (!number) return field;
  buffer.clear();
  // Adding zero turns -0 into 0.
  fmt::format_to(std::back_inserter(buffer), FMT_COMPILE("{}"), *number + 0.0);
  return buffer;
}

}  // namespace dpfermi
