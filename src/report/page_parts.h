#pragma once

/// The parts of the page that are the same in every report, embedded at build time from web/ and
/// the charting library.

#include <string>

#include "core/embedded_text.h"

namespace dpfermi {

/// page and public (the templates), styles, script, library, licences; check_styles, check_script,
/// check_module (the accountant as WebAssembly, gzip in base64; empty where none was built) and
/// check_licences.
std::span<const EmbeddedText> page_parts();

/// One of them, by its name.
std::string page_part(std::string_view name);

}  // namespace dpfermi
