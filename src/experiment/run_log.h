#pragma once

/// Lines that say themselves whether they are whole: 16 hexadecimal digits of the SHA-256 of a
/// text, a space, the text.

#include <string>
#include <string_view>
#include <vector>

#include "dpfermi/core/result.h"

namespace dpfermi {

Result<std::string> checked_line(const std::string& text);

struct LogContents {
  std::vector<std::string> texts;  ///< of the lines that are whole, in order
  bool damaged = false;            ///< whether others were left out
};
Result<LogContents> read_log(std::string_view bytes);

}  // namespace dpfermi
