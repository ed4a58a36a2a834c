#pragma once

/// Requests of the C interface as JSON (docs/c-api.md). Keys that are absent or null keep their
/// defaults; unknown keys and values of another type are refused, and the message names the key as
/// a field.

#include <string>

#include "dpfermi/core/result.h"
#include "dpfermi/dpfermi.h"

namespace dpfermi::capi {

Result<LoadOptions> parse_load_options(const std::string& json);
Result<TrainingRequest> parse_training_request(const std::string& json);
Result<SketchRequest> parse_sketch_request(const std::string& json);
Result<EvaluationRequest> parse_evaluation_request(const std::string& json);
Result<RunOptions> parse_run_options(const std::string& json);

/// A budget and its cap.
struct CapRequest {
  BudgetKey key;
  BudgetCap cap;
};
Result<CapRequest> parse_cap_request(const std::string& json);

/// The answer to a request of dpfermi_account() or dpfermi_calibrate().
Result<std::string> account(const std::string& json);
Result<std::string> calibrate(const std::string& json);

}  // namespace dpfermi::capi
