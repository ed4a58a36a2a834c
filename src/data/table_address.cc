#include "data/table_address.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/text.h"

namespace dpfermi {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

Result<std::string> percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
    if (i + 2 >= text.size() || high < 0 || low < 0 || (high == 0 && low == 0)) {
      return usage_error(
          "the address holds a '%' that is not followed by two hexadecimal digits; "
          "write %25 for the character itself");
    }
    decoded += static_cast<char>(16 * high + low);
    i += 2;
  }
  return decoded;
}

/// Skips what stands between quotes or in a comment at `at`, if anything does.
std::size_t skip_quoted(std::string_view text, std::size_t at) {
  const auto after = [&](std::string_view end, std::size_t from) {
    const std::size_t found = text.find(end, from);
    return found == std::string_view::npos ? text.size() : found + end.size();
  };
  if (text[at] == '\'' || text[at] == '"') return after(text.substr(at, 1), at + 1);
  if (text.substr(at).starts_with("--")) return after("\n", at + 2);
  if (text.substr(at).starts_with("/*")) return after("*/", at + 2);
  return at;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$';
}

/// The words of a query outside parentheses, quotes and comments, in lower case.
std::vector<std::string> outer_words(std::string_view query) {
  std::vector<std::string> words(1);
  int depth = 0;
  for (std::size_t at = 0; at < query.size();) {
    if (const std::size_t after = skip_quoted(query, at); after != at) {
      at = after;
      words.emplace_back();
      continue;
    }
    const char c = query[at++];
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (depth == 0 && is_word(c)) {
      words.back() += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  std::erase(words, "");
  return words;
}

}  // namespace

Result<TableAddress> parse_table_address(const std::string& address) {
  TableAddress parsed;
  std::size_t at = address.find('?');
  parsed.place = address.substr(0, at);
  char separator = '?';
  while (at != std::string::npos) {
    const std::string_view rest = std::string_view(address).substr(at + 1);
    if (rest.starts_with("query=")) {
      DPFERMI_ASSIGN(parsed.query, percent_decoded(rest.substr(6)));
      break;
    }
    const std::size_t end = address.find('&', at + 1);
    const std::string_view parameter =
        rest.substr(0, end == std::string::npos ? end : end - at - 1);
    if (parameter.starts_with("table=")) {
      DPFERMI_ASSIGN(parsed.table, percent_decoded(parameter.substr(6)));
    } else if (!parameter.empty()) {
      parsed.place += std::exchange(separator, '&');
      parsed.place += parameter;
    }
    at = end;
  }
  while (!parsed.query.empty() && (parsed.query.back() == ';' || is_blank(parsed.query.back()) ||
                                   parsed.query.back() == '\n')) {
    parsed.query.pop_back();
  }
  if (!parsed.table.empty() && !parsed.query.empty()) {
    return usage_error("the address names a table and a query; leave one of them out");
  }
  return parsed;
}

Status check_ordered(const std::string& query) {
  const std::vector<std::string> words = outer_words(query);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    if (words[i] == "order" && words[i + 1] == "by") return {};
  }
  return usage_error(
      "the query leaves the order of its rows open, so that the budget of its rows could not be "
      "found again; end it with ORDER BY and columns that tell any two rows apart");
}

std::vector<std::string> name_parts(const std::string& table) {
  std::vector<std::string> parts(1);
  bool quoted = false;
  for (const char c : table) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == '.' && !quoted) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace dpfermi
