#pragma once

/// What a model says about the rows of a table. The target is not needed; the protected columns
/// only by models that decide by them as well.

#include <string>
#include <vector>

#include "artifact/trained_model.h"
#include "data/table_choice.h"
#include "dpfermi/core/observer.h"
#include "dpfermi/workflow/outcome.h"
#include "vision/image_prediction.h"

namespace dpfermi {

struct PredictionChoice {
  TableChoice table;
  vision::PredictionImages images;  ///< that the table names, where the model is one of images
  std::string id;                   ///< a column to keep beside the predictions; empty: none

  /// Refuses what does not fit the model, before the table is looked at.
  Status check(const TrainedModel& model) const;
};

struct PredictedRows {
  Table table;
  std::vector<UnseenCount> unseen;  ///< values that training did not see
  Predictions predictions;
};

Result<PredictedRows> predict_rows(Observer& observer, const TrainedModel& model,
                                   const PredictionChoice& choice);

}  // namespace dpfermi
