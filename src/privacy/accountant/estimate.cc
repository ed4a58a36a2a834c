#include "privacy/accountant/estimate.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "privacy/accountant/closed_form.h"
#include "privacy/accountant/flatten.h"
#include "privacy/accountant/saddle.h"

namespace dpfermi::accountant {

Result<double> estimate_epsilon(const PrivacyEvent& event, double delta) {
  DPFERMI_ASSIGN(const FlatEvent flat, flatten(event));
  if (flat.exact || flat.revealed > delta) return std::numeric_limits<double>::infinity();
  const std::vector<Component> components = flat.in_direction(Direction::kForward);
  if (components.empty()) return 0.0;
  if (const auto form = ClosedForm::of(components, delta)) return form->epsilon(delta).upper;
  double count = 0;
  for (const Component& component : components) count += static_cast<double>(component.count);
  const NodeCumulants cumulants(components, {.left = 1e-7 / count, .right = 1e-5 * delta / count});
  return std::max(0.0, saddle_for_delta(cumulants, delta).epsilon);
}

}  // namespace dpfermi::accountant
