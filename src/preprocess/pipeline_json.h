#pragma once

#include "preprocess/pipeline.h"
#include "privacy/json_fields.h"

namespace dpfermi {

/// The pipeline as a JSON object: to_json is its text.
Json json_of(const Pipeline& pipeline);

}  // namespace dpfermi
