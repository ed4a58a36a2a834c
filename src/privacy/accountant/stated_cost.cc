#include "privacy/accountant/stated_cost.h"

#include "dpfermi/privacy/accountant/pld_accountant.h"

namespace dpfermi {

Result<StatedCost> check_stated_cost(const PrivacyEvent& releases, double stated_epsilon,
                                     double delta) {
  constexpr double kTolerance = 1e-4;  // as prices are computed
  DPFERMI_ASSIGN(const CertifiedBound bound,
                 certified_epsilon(releases, delta, {.tolerance = kTolerance, .relative = true}));
  return StatedCost{bound.upper, stated_epsilon >= (1 - 2 * kTolerance) * bound.upper};
}

}  // namespace dpfermi
