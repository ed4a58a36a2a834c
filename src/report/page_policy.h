#pragma once

/// The content security policy of a page: what it holds, named by checksum, and nothing else.

#include <string>
#include <vector>

#include "dpfermi/core/result.h"

namespace dpfermi {

struct PagePolicy {
  /// In full, as they stand between the tags; empty ones are left out. They may compile
  /// WebAssembly, never text.
  std::vector<std::string> scripts;
  std::vector<std::string> styles;  ///< likewise; empty: whatever stands in the page may style it
  std::string images;               ///< where images may come from; empty: there are none
};

/// The value of the meta element.
Result<std::string> policy_text(const PagePolicy& policy);

}  // namespace dpfermi
