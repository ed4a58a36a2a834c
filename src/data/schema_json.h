#pragma once

#include "dpfermi/data/schema.h"
#include "privacy/json_fields.h"

namespace dpfermi {

/// The schema as a JSON object: to_json is its text.
Json json_of(const Schema& schema);

}  // namespace dpfermi
