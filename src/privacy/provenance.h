#pragma once

/// Where a number that shapes the model comes from. Every statistic fitted in preprocessing carries
/// one, so that a privacy statement can list what was read and on what terms.

#include <string_view>

namespace dpfermi {

enum class Provenance {
  kPublic,    ///< computed from columns that the adjacency treats as public
  kGiven,     ///< declared by the user, independent of the data
  kReleased,  ///< computed from protected data, with noise, and charged to the ledger
};

/// "public", "given" or "released".
std::string_view to_string(Provenance provenance);

}  // namespace dpfermi
