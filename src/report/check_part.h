#pragma once

/// The recipient's check: the part of a page in which its reader's browser recomputes, with the
/// accountant compiled to WebAssembly, what the releases of a statement cost. It checks the
/// arithmetic, not what was run.

#include <string>
#include <vector>

#include "dpfermi/privacy/statement.h"

namespace dpfermi {

/// What a page needs for it; all empty where this build holds no module, or nothing is stated.
struct CheckPart {
  std::string section;   ///< HTML
  std::string elements;  ///< HTML, for the end of the body: the data, the module and the script
  std::string styles;
  std::string script;    ///< also in `elements`; for the page's policy
  std::string licences;  ///< of the libraries in the module
};

/// Whether this build holds the accountant as WebAssembly.
bool has_check_module();

struct NamedStatement {
  std::string name;  ///< "Statement 1"; not escaped
  PrivacyStatement statement;
};

CheckPart check_part(const std::vector<NamedStatement>& statements);

}  // namespace dpfermi
