#pragma once

/// A quick estimate of epsilon(delta) by the saddle-point formula, for searches to start from.

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/event.h"

namespace dpfermi::accountant {

/// Within a per cent or so where many steps contribute; +infinity without noise. No bound.
Result<double> estimate_epsilon(const PrivacyEvent& event, double delta);

}  // namespace dpfermi::accountant
