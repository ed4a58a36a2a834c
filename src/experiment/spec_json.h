#pragma once

/// Pieces of JSON that grids, records and summaries share.

#include "experiment/run_store.h"
#include "privacy/json_fields.h"

namespace dpfermi {

Json json_of(const Grid& grid);
Json json_of(const SweepDescription& description);
Json json_of(const RunSpec& spec);
RunSpec spec_from_json(const Json& json);  ///< throws BadJson

}  // namespace dpfermi
