#pragma once

/// Pieces of JSON that grids and records share.

#include "experiment/run_spec.h"
#include "privacy/json_fields.h"

namespace dpfermi {

Json to_json(const RunSpec& spec);
RunSpec spec_from_json(const Json& json);  ///< throws BadJson

}  // namespace dpfermi
