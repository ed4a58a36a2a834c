#pragma once

/// What it means for two data sets to be neighbours. Every privacy statement names one of these;
/// none is ever implied.

#include <string_view>

#include "dpfermi/core/result.h"

namespace dpfermi {

enum class Adjacency {
  kSensitive,        ///< one unit's sensitive attribute differs; features and labels are public
  kReplaceRecord,    ///< one whole unit is replaced by another
  kAddRemoveRecord,  ///< one whole unit is present or absent
};

/// "sensitive", "replace-record" or "add-remove-record", as on the command line and in files.
std::string_view to_string(Adjacency adjacency);

/// The inverse of to_string.
Result<Adjacency> parse_adjacency(std::string_view text);

/// One sentence for privacy statements: what the neighbours differ in.
std::string_view describe(Adjacency adjacency);

/// Whether features and labels are public, so that only terms which touch s need noise.
constexpr bool features_are_public(Adjacency adjacency) {
  return adjacency == Adjacency::kSensitive;
}

/// How far two neighbouring sums of per-unit contributions of norm <= 1 can lie apart: 2 where one
/// contribution is exchanged for another, 1 where it appears or vanishes.
constexpr double neighbour_distance(Adjacency adjacency) {
  return adjacency == Adjacency::kAddRemoveRecord ? 1.0 : 2.0;
}

}  // namespace dpfermi
