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
/// request whatever only one of the methods can do decides first. `checkpoints`: the run is to have
/// some.
MethodChoice choose_method(const TrainingRequest& request, const Dataset& data,
                           bool checkpoints = false);

/// The method itself, or what `auto` stands for on images, where it is asked before there is a
/// table.
Method chosen_for_images(Method method);

}  // namespace dpfermi
