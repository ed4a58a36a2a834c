#pragma once

/// What `dpfermi verify` found in order.

#include <string>

#include "workflow/verification.h"

namespace dpfermi::cli {

std::string to_text(const Verified& found, const VerificationRequest& request);
std::string to_json(const Verified& found, const VerificationRequest& request);

}  // namespace dpfermi::cli
