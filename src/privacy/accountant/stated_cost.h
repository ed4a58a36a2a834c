#pragma once

/// A stated epsilon against the releases behind it, as verifiers compare them: dpfermi verify, and
/// the browser of whoever reads a page.

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/event.h"

namespace dpfermi {

struct StatedCost {
  double epsilon;  ///< certified, of the releases
  bool covers;     ///< whether the stated one is at least that, up to 0.02 % of it
};

/// Requires: `releases` holds everything that the statement lists; delta as for certified_epsilon.
Result<StatedCost> check_stated_cost(const PrivacyEvent& releases, double stated_epsilon,
                                     double delta);

}  // namespace dpfermi
