#include "report/page_parts.h"

#include <algorithm>
#include <cassert>

namespace dpfermi {

std::string page_part(std::string_view name) {
  const auto parts = page_parts();
  const auto found = std::ranges::find(parts, name, &EmbeddedText::name);
  assert(found != parts.end());
  return std::string(found->text);
}

}  // namespace dpfermi
