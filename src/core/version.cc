#include "dpfermi/core/version.h"

namespace dpfermi {

std::string_view version() {
  return DPFERMI_VERSION;
}

}  // namespace dpfermi
