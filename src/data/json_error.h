#pragma once

#include <string>

namespace dpfermi {

/// What a JSON library's exception says, without the library's name and number in front.
inline std::string json_error_text(const std::string& what) {
  const std::size_t tag_end = what.find("] ");
  return what.starts_with('[') && tag_end != std::string::npos ? what.substr(tag_end + 2) : what;
}

}  // namespace dpfermi
