#pragma once

/// The check that comes before any JSON a user wrote is read.

#include <string>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// Ensures: `text` is one JSON value, nested so little that it can be read and written recursively,
/// and no object has a key twice. The message gives the line and the column, both from 1.
Status check_json(const std::string& text);

}  // namespace dpfermi
