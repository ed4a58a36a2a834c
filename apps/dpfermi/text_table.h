#pragma once

/// Aligned columns for people.

#include <string>
#include <vector>

namespace dpfermi::cli {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

  /// Requires as many cells as the header has.
  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// Cells padded to the width of their column (counted in characters, not bytes), two spaces
  /// apart, no trailing blanks.
  std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace dpfermi::cli
