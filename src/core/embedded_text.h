#pragma once

/// Text files that are part of the library, embedded at build time (dpfermi_embed_texts in
/// cmake/module.cmake).

#include <span>
#include <string_view>

namespace dpfermi {

struct EmbeddedText {
  std::string_view name;  ///< of the file, without its ending
  std::string_view text;
};

}  // namespace dpfermi
