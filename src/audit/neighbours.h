#pragma once

/// Pairs of neighbouring data sets, chosen to hurt.

#include <cstdint>
#include <string>
#include <vector>

#include "audit/audit_case.h"

namespace dpfermi {

struct Neighbours {
  std::string what;        ///< for people: "unit 3, group 0 -> 1"
  Dataset first, second;   ///< all units but one agree
  std::uint32_t unit = 0;  ///< the one that differs; under add/remove it is missing in `second`
  /// Whether what is public of them is that of the case: then all three have one plan.
  bool as_planned = true;
};

/// The first unit, the last, one of the rarest group and others that `seed` draws, so that no place
/// is safe; every other group for each; replaced or missing records under the record adjacencies,
/// with numbers that are huge, tiny, infinite or no numbers. `few`: one unit is drawn, and extreme
/// numbers are few.
std::vector<Neighbours> neighbours_of(const AuditCase& audited, bool few, std::uint64_t seed);

/// A pair whose group counts agree: two units of different groups exchange them. For methods that
/// take the shares of groups for public. `unit` is the first of the two.
struct Exchange {
  Neighbours pair;
  std::uint32_t other = 0;
};
std::vector<Exchange> exchanges_of(const AuditCase& audited);

}  // namespace dpfermi
