#pragma once

/// The program dpfermi-deep, which holds what needs libtorch: half a second and 287 shared objects
/// that a run on a table must not pay for.

#include <string>
#include <vector>

#include "dpfermi/core/observer.h"

namespace dpfermi::vision {

/// The path of dpfermi-deep: $DPFERMI_DEEP, or beside the tool. The message says how to get it.
Result<std::string> find_component();

/// Runs `program` with `words`. What it says about its progress goes to the observer; its last
/// words become the error where it fails.
Status run_component(Observer& observer, const std::string& program,
                     const std::vector<std::string>& words);

}  // namespace dpfermi::vision
