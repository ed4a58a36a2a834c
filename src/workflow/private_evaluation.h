#pragma once

/// How a model does on a table, released with noise and charged.

#include <cstdint>
#include <optional>

#include "core/team.h"
#include "workflow/evaluation_data.h"
#include "workflow/run_outcome.h"
#include "workflow/spending.h"

namespace dpfermi {

struct PrivateEvaluationChoice {
  double epsilon = 1;
  std::optional<double> delta;         ///< 1/n^2
  std::optional<std::uint32_t> units;  ///< declared, under add-remove-record
  std::optional<std::uint64_t> seed;   ///< reproducible noise; nothing: secret
  SpendingChoice spending;
  Team* team = &Team::alone();  ///< the processes that evaluate together
};

/// Plans, charges, reads s. Whatever can fail for public causes does so before the charge.
Result<PrivateEvaluation> evaluate_privately(const TrainedModel& model, const EvaluationData& data,
                                             const PrivateEvaluationChoice& choice);

}  // namespace dpfermi
