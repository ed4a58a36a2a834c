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

/// Units at both ends, in the rarest group, with extreme features; every other group for each;
/// replaced or missing records under the record adjacencies, with numbers that are huge, tiny,
/// infinite or no numbers. `few`: one of each kind.
std::vector<Neighbours> neighbours_of(const AuditCase& audited, bool few);

/// A pair whose group counts agree: two units of different groups exchange them. For methods that
/// take the shares of groups for public. `unit` is the first of the two.
struct Exchange {
  Neighbours pair;
  std::uint32_t other = 0;
};
std::vector<Exchange> exchanges_of(const AuditCase& audited);

}  // namespace dpfermi
