#pragma once

/// The rows that a model is judged on.

#include <optional>
#include <string>

#include "artifact/trained_model.h"
#include "core/scratch_folder.h"
#include "core/team.h"
#include "data/table_choice.h"
#include "dpfermi/core/observer.h"
#include "vision/image_prediction.h"
#include "workflow/table_identity.h"

namespace dpfermi {

struct EvaluationChoice {
  TableChoice table;
  vision::PredictionImages images;  ///< that the table names, where the model is one of images
  bool held_out = false;            ///< only the rows that training kept for testing
  std::string id;                   ///< column of persons; empty: as in training
};

struct EvaluationData {
  std::string title;  ///< of the table, for people
  RereadableFiles files;
  Table table;
  EncodedDataset rows;
  std::optional<ScratchFolder> folder;  ///< of `files`, where they were made of images
};

/// Reads and encodes a table as the model's training did; images that it names become one of
/// features first. Where rows are held out, they are found
/// again by the model's own split, and a table that this split does not fit is refused.
/// `team`: the processes that each do this.
Result<EvaluationData> read_evaluation_data(Observer& observer, const TrainedModel& model,
                                            const EvaluationChoice& choice,
                                            Team& team = Team::alone());

}  // namespace dpfermi
