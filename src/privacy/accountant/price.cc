#include "dpfermi/privacy/accountant/price.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "dpfermi/privacy/accountant/pld_accountant.h"

namespace dpfermi {
namespace {

Result<PrivacyCost> certified_cost(const PrivacyEvent& whole, double delta,
                                   double total_variation) {
  constexpr double kSetAside = 1e-6;
  constexpr double kTolerance = 1e-4;  // what was calibrated to a budget must fit it
  const double for_sampler = kSetAside * delta;
  DPFERMI_ASSIGN(const CertifiedBound bound,
                 certified_epsilon(whole, (1 - 2 * kSetAside) * delta, {.tolerance = kTolerance}));
  const double epsilon = std::nextafter(bound.upper, std::numeric_limits<double>::infinity());
  // Written so that an infinite epsilon, or a NaN, does not pass for a small surcharge.
  const bool affordable = total_variation == 0 || std::isinf(epsilon) ||
                          (1 + std::exp(epsilon)) * total_variation <= for_sampler;
  if (!affordable) {
    return usage_error(
        fmt::format("delta {} is too small for the precision of the noise at epsilon {:.3g}; use a "
                    "larger delta "
                    "or a smaller epsilon",
                    delta, epsilon));
  }
  return PrivacyCost{epsilon, delta};
}

}  // namespace

Result<Charge> priced_charge(std::string purpose, const PrivacyEvent& event, std::uint64_t count,
                             double delta, double total_variation) {
  DPFERMI_ASSIGN(const PrivacyCost cost,
                 certified_cost(event.times(count), delta, total_variation));
  return Charge{std::move(purpose), event, count, cost};
}

Result<JointPlan> priced_plan(JointPlan plan, double delta, double total_variation) {
  DPFERMI_ASSIGN(const PrivacyEvent whole, whole_event(plan.parts));
  DPFERMI_ASSIGN(plan.cost, certified_cost(whole, delta, total_variation));
  return plan;
}

}  // namespace dpfermi
