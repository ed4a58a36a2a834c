#pragma once

/// What a model says about the rows of a table. The target is not needed; the protected columns
/// only by models that decide by them as well.

#include <cstdint>
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

/// Numbers of a column that a model reads otherwise than they stand there.
struct NumberCount {
  /// Standard deviations of training from its mean; values further out are counted.
  static constexpr double kFar = 10;

  std::string column;
  std::uint64_t missing = 0;  ///< read as the mean, or the middle of the declared range
  std::uint64_t outside = 0;  ///< of the declared range: read as its nearer end
  std::uint64_t far = 0;      ///< where no range was declared: read as they are
};

struct PredictedRows {
  Table table;
  std::vector<UnseenCount> unseen;   ///< values that training did not see
  std::vector<NumberCount> numbers;  ///< columns with something to count
  Predictions predictions;
};

Result<PredictedRows> predict_rows(Observer& observer, const TrainedModel& model,
                                   const PredictionChoice& choice);

}  // namespace dpfermi
