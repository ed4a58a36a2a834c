#include <algorithm>
#include <vector>

#include "dpfermi/core/text.h"
#include "dpfermi/data/csv_reader.h"

namespace dpfermi {

char sniff_delimiter(std::string_view text, std::string_view comment) {
  constexpr std::string_view kCandidates = ",;\t|";
  constexpr int kLines = 20;
  std::vector<std::vector<std::size_t>> counts(kCandidates.size());
  for (int line = 0; line < kLines && !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view current = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (trim(current).empty() || (!comment.empty() && current.starts_with(comment))) continue;
    for (std::size_t c = 0; c < kCandidates.size(); ++c) {
      bool quoted = false;
      std::size_t found = 0;
      for (const char byte : current) {
        quoted ^= byte == '"';
        found += !quoted && byte == kCandidates[c] ? 1 : 0;
      }
      counts[c].push_back(found);
    }
  }
  // Most separators on the line that has fewest: decimal commas and stray semicolons lose.
  std::size_t best = 0;
  std::size_t best_count = 0;
  for (std::size_t c = 0; c < kCandidates.size(); ++c) {
    const std::size_t least = counts[c].empty() ? 0 : *std::ranges::min_element(counts[c]);
    if (least > best_count) {
      best = c;
      best_count = least;
    }
  }
  return kCandidates[best];
}

}  // namespace dpfermi
