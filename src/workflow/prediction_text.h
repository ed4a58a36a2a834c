#pragma once

/// Predictions as text: CSV and JSON.

#include <cstdint>
#include <iosfwd>
#include <span>
#include <string>

#include "privacy/json_fields.h"
#include "workflow/prediction.h"

namespace dpfermi {

/// One line a row, in the order of the table, with the probability of every class; its id first,
/// where one is asked for. Fields are in quotes where RFC 4180 wants them.
void write_csv(const TrainedModel& model, const PredictedRows& predicted, std::ostream& out);

/// The same as one object: {"rows": [{"id", "label", "probabilities"}, ...]}.
Json json_of(const TrainedModel& model, const PredictedRows& predicted);

/// How many rows got each label: {"rows", "labels"}.
Json label_counts(const TrainedModel& model, std::span<const std::uint16_t> decisions);

}  // namespace dpfermi
