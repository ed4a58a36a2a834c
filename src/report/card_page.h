#pragma once

/// The card of a model or a sketch as a page, in which its reader's browser recomputes what the
/// listed releases cost (report/check_part.h).

#include <string>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/statement.h"

namespace dpfermi {

struct CardMaterial {
  std::string card;            ///< its text: blocks with a blank line between them
  PrivacyStatement statement;  ///< of the file
  std::string file;            ///< its name
  std::string digest;          ///< SHA-256 of the whole file
};

Result<std::string> card_page(const CardMaterial& material);

}  // namespace dpfermi
