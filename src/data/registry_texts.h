#pragma once

#include "core/embedded_text.h"

namespace dpfermi {

std::span<const EmbeddedText> registry_texts();  ///< data/registry/*.json

}  // namespace dpfermi
