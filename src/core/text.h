#pragma once

/// Small text helpers shared by error messages and parsers.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace dpfermi {

/// A space or a tab.
inline bool is_blank(char c) {
  return c == ' ' || c == '\t';
}

bool contains(std::span<const std::string> names, std::string_view name);

/// `text` without spaces and tabs at both ends.
std::string_view trim(std::string_view text);

/// The pieces of `text` between separators, trimmed; an empty text has no pieces.
std::vector<std::string> split_list(std::string_view text, char separator = ',');

/// The whole of `text` as a finite number, or nothing.
std::optional<double> parse_number(std::string_view text);

/// The shortest decimal that reads back as exactly `value`.
std::string shortest(double value);

/// `value` >= 0 with `digits` significant digits, rounded up: "0.9994" for 0.99935. What lies
/// within one part in 10^12, as 0.1 + 0.2 does of 0.3, is not raised.
std::string rounded_up(double value, int digits = 4);

/// The same rounded down: what is left of a budget.
std::string rounded_down(double value, int digits = 4);

/// "12,345,678".
std::string with_thousands(unsigned long long value);

/// "1 step", "1,200 steps", "2 entries", "3 classes".
std::string counted(unsigned long long count, std::string_view noun);

/// The candidate closest to `name` by edit distance, if it is close enough to be a likely typo.
std::optional<std::string> nearest_name(std::string_view name,
                                        std::span<const std::string> candidates);

/// `text` made safe to print inside a one-line message: control characters and bytes that are not
/// UTF-8 become \xNN, and anything past `limit` bytes is cut and marked with "...".
std::string printable(std::string_view text, std::size_t limit = 60);

/// Names that others chose, each made printable: "age, sex".
std::string printable_list(std::span<const std::string> names);

/// "a, b or c", where `last` is " or ".
std::string listed(std::span<const std::string> names, std::string_view last);

/// The position of the first byte that does not continue valid UTF-8, or npos.
std::size_t find_invalid_utf8(std::string_view text);

}  // namespace dpfermi
