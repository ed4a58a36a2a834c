#pragma once

/// Plans and headers as JSON objects: their to_json texts are these, written out.

#include "artifact/plan_json.h"
#include "artifact/sketch_file.h"
#include "artifact/trained_model.h"
#include "privacy/json_fields.h"

namespace dpfermi {

Json json_of(const TrainingPlan& plan);

Json json_of(const SharedEncoding& encoding);

/// Refuse names that are not UTF-8.
Result<Json> json_of(const StoredSketch& stored);
Result<Json> json_of(const TrainedModel& model);

/// Whether every text in `json`, which is made of a schema, is UTF-8.
Status check_names(const Json& json);

}  // namespace dpfermi
