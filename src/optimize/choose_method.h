#pragma once

/// `auto`: which method trains if none is named. docs/defaults.md has the measurements behind the
/// rule.

#include <string>

#include "data/dataset.h"
#include "dpfermi/optimize/training_request.h"

namespace dpfermi {

struct MethodChoice {
  Method method;
  std::string why;  ///< one phrase: "sketch: 6 groups ..."
};

/// The rule of `auto`. Reads of `data` shapes alone, which are public under every adjacency; of a
/// request whatever only one of the methods can do decides first.
MethodChoice choose_method(const TrainingRequest& request, const Dataset& data);

}  // namespace dpfermi
