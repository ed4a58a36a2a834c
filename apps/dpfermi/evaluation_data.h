#pragma once

/// The rows that a model is judged on.

#include <string>

#include "dpfermi/artifact/trained_model.h"
#include "fingerprint.h"
#include "table_options.h"

namespace dpfermi::cli {

struct EvaluationChoice {
  TableOptions table;
  bool held_out = false;  ///< only the rows that training kept for testing
  bool persons = false;   ///< whether it matters whose rows they are
  std::string id;         ///< column of persons; empty: as in training
};

struct EvaluationData {
  std::string title;  ///< of the table, for people
  RereadableFiles files;
  Table table;
  EncodedDataset rows;
};

/// Reads and encodes a table as the model's training did. Where rows are held out, they are found
/// again by the model's own split, and a table that this split does not fit is refused.
Result<EvaluationData> read_evaluation_data(const TrainedModel& model,
                                            const EvaluationChoice& choice);

}  // namespace dpfermi::cli
