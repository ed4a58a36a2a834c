#pragma once

#include "core/embedded_text.h"

namespace dpfermi {

std::span<const EmbeddedText> figure_texts();     ///< experiment/figures/*.json
std::span<const EmbeddedText> published_texts();  ///< experiment/published/*.json

}  // namespace dpfermi
