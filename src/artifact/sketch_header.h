#pragma once

#include <string>

#include "artifact/sketch_file.h"

namespace dpfermi {

/// Ensures: every key is known and every value has its type. The sums themselves are left empty.
Result<StoredSketch> sketch_from_json(const std::string& json);

}  // namespace dpfermi
