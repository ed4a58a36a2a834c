#pragma once

/// The formats of export. Each refuses what it cannot express, with the reason.

#include <string>

#include "artifact/trained_model.h"
#include "dpfermi/core/result.h"
#include "export/export_form.h"

namespace dpfermi {

/// The bytes of an ONNX file (opset 15, ai.onnx.ml 2): one input of shape rows x 1 per column,
/// double or string; outputs `label` and `probabilities`, which are 0 and 1 for repaired models.
Result<std::string> export_onnx(const TrainedModel& model);

/// A SELECT statement for PostgreSQL and DuckDB: all columns of `table`, then label and one
/// expression per class. Softmax regression, and repairs of it or of given scores.
Result<std::string> export_sql(const TrainedModel& model, const std::string& table);

/// Coefficients by name, or trees, and everything else that a decision needs.
Result<std::string> export_json(const TrainedModel& model);

}  // namespace dpfermi
