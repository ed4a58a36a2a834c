#pragma once

/// The parts of the page that are the same in every report, embedded at build time from web/ and
/// the charting library.

#include "core/embedded_text.h"

namespace dpfermi {

/// page and public (the templates), styles, script, library, licences.
std::span<const EmbeddedText> page_parts();

}  // namespace dpfermi
