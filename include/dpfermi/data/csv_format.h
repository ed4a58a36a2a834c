#pragma once

/// How a delimited text file is written down.

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace dpfermi {

enum class HeaderRule {
  kAuto,  ///< decided by the first record
  kYes,
  kNo,
};

/// How a file is written down. What is not given is found out from its first block.
struct CsvFormat {
  std::optional<char> delimiter;
  HeaderRule header = HeaderRule::kAuto;
  std::vector<std::string> names;  ///< column names where there is no header, or instead of it
  std::size_t skip_lines = 0;      ///< lines to ignore at the start
  std::string comment;             ///< lines starting with this are ignored; empty: none
  /// Fields that stand for no value.
  std::vector<std::string> missing = {"", "?", "NA", "N/A", "NULL", "null", "NaN", "nan"};
};

}  // namespace dpfermi
