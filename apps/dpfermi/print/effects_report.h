#pragma once

/// What a model does, for people and as JSON.

#include <string>

#include "artifact/trained_model.h"
#include "workflow/importance.h"

namespace dpfermi::cli {

/// The section "What it does" of a card: for every class the `most` inputs that matter most.
std::string effects_text(const TrainedModel& model, std::size_t most);

/// {"compared_with", "members": [{"share", "classes": [{"class", "constant", "effects": [...]}]}]}
/// and of boosted trees, which have no members, "gains": [{"class", "gains": [...]}].
std::string effects_json(const TrainedModel& model);

/// `exact`: the rows are protected, which the title says.
std::string importance_text(const Importance& importance, bool exact);
std::string importance_json(const Importance& importance, bool exact);

}  // namespace dpfermi::cli
