#include <algorithm>

#include "core/text.h"
#include "data/csv_reader.h"

namespace dpfermi {
namespace {

std::size_t count_outside_quotes(std::string_view line, char wanted) {
  bool quoted = false;
  std::size_t found = 0;
  for (const char byte : line) {
    quoted ^= byte == '"';
    found += !quoted && byte == wanted ? 1 : 0;
  }
  return found;
}

}  // namespace

char sniff_delimiter(std::string_view text, std::string_view comment) {
  constexpr std::string_view kCandidates = ",;\t|";
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (trim(line).empty() || (!comment.empty() && line.starts_with(comment))) continue;
    return *std::ranges::max_element(
        kCandidates, {}, [&](char candidate) { return count_outside_quotes(line, candidate); });
  }
  return kCandidates[0];
}

}  // namespace dpfermi
