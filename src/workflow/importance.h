#pragma once

/// Permutation importance: how much worse a model decides where one column is shuffled among rows.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "artifact/trained_model.h"
#include "data/dataset.h"
#include "dpfermi/core/result.h"

namespace dpfermi {

/// One column.
struct ColumnImportance {
  std::string column;
  double increase = 0;            ///< of the error, mean over shuffles
  double standard_deviation = 0;  ///< of the increase, over shuffles
};

struct Importance {
  double error = 0;                       ///< of the rows as they are
  std::vector<ColumnImportance> columns;  ///< by falling increase
};

/// Reads inputs and labels, never s: public under adjacency `sensitive`, exact figures of protected
/// data otherwise. Refuses models that decide by the group. Scores of another model, where the
/// model repairs some, are shuffled together. The same seed gives the same figures.
Result<Importance> permutation_importance(const TrainedModel& model, const Dataset& data,
                                          std::size_t shuffles, std::uint64_t seed);

}  // namespace dpfermi
