#pragma once

/// What a run reports beside a model, as JSON objects.

#include "dpfermi/objective/violation_interval.h"
#include "dpfermi/workflow/outcome.h"
#include "privacy/json_fields.h"

namespace dpfermi {

/// {"ledger", "run", "head"}, or that it is research; null where nothing was charged.
Json json_of(const ChargeRecord& record);

/// {"low", "high", "confidence", "by": "sketch" or "query"}
Json json_of(const ViolationInterval& interval);

}  // namespace dpfermi
