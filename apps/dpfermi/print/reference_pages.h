#pragma once

/// The reference of the tool, from its option tree: pages of the documentation and man pages.

#include <string>
#include <string_view>
#include <vector>

#include "print/command_page.h"

namespace dpfermi::cli {

struct ReferencePage {
  std::string file;  ///< "train.md", "dpfermi-train.1"
  std::string text;
};

/// One page per command of the tool, with its own commands as sections, and README.md for the tool.
std::vector<ReferencePage> markdown_reference(const CommandPage& tool);

/// The same for man, in section 1.
std::vector<ReferencePage> man_reference(const CommandPage& tool, std::string_view version);

}  // namespace dpfermi::cli
