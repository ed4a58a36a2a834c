#pragma once

#include <string>

#include "artifact/trained_model.h"

namespace dpfermi {

/// The model card, plain text of several lines: what was trained, on which columns, the privacy
/// statement in plain words, figures that were released with noise, limits. Exact figures about
/// groups are not in it because they are not in the model.
std::string describe_card(const TrainedModel& model);

/// Which groups were merged because they are small; one phrase. Requires that merging was asked
/// for.
std::string describe_merging(const TrainedModel& model);

/// Which groups noise hides; one phrase. Requires that there are any.
std::string describe_hidden(const TrainedModel& model);

/// The figures about groups that were released with noise, one a line; empty where there are none.
std::string describe_released(const TrainedModel& model);

}  // namespace dpfermi
