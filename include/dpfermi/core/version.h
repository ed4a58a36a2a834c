#pragma once

#include <string_view>

namespace dpfermi {

/// The project's version, "major.minor.patch".
std::string_view version();

}  // namespace dpfermi
