#pragma once

#include <string>

#include "artifact/trained_model.h"

namespace dpfermi {

/// The model card, plain text of several lines: what was trained, on which columns, the privacy
/// statement in plain words, figures that were released with noise, limits. Exact figures about
/// groups are not in it because they are not in the model.
std::string describe_card(const TrainedModel& model);

}  // namespace dpfermi
