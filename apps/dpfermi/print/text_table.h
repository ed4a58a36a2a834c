#pragma once

/// Aligned columns for people.

#include <string>
#include <vector>

namespace dpfermi::cli {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }

  /// Requires as many cells as the header has. Control characters in them are made visible.
  void add(const std::vector<std::string>& cells);

  /// Cells padded to the width of their column (counted in characters, not bytes), two spaces
  /// apart, no trailing blanks.
  std::string to_string() const;

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace dpfermi::cli
