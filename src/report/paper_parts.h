#pragma once

/// The template and the styles of pages that are read and printed, embedded from report/paper.

#include "core/embedded_text.h"

namespace dpfermi {

/// dossier (the template) and paper (the styles).
std::span<const EmbeddedText> paper_parts();

}  // namespace dpfermi
