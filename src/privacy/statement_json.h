#pragma once

/// Events and statements as JSON objects: their to_json texts are these, written out.

#include "dpfermi/privacy/event.h"
#include "dpfermi/privacy/statement.h"
#include "privacy/json_fields.h"

namespace dpfermi {

Json json_of(const PrivacyEvent& event);
Json json_of(const PrivacyStatement& statement);

}  // namespace dpfermi
