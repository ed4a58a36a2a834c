#pragma once

/// How a model does on a table, released with noise and charged.

#include <cstdint>
#include <optional>
#include <string>

#include "cli.h"
#include "evaluation_data.h"
#include "spending.h"

namespace dpfermi::cli {

struct PrivateChoice {
  std::optional<double> epsilon;  ///< nothing: exact figures are asked for
  std::optional<double> delta;
  std::optional<std::uint32_t> units;
  std::optional<std::uint64_t> seed;
  SpendingChoice spending;

  void add_to(CLI::App& verb);

  /// Refuses flags that make no sense together, or without --epsilon.
  Status check() const;
};

/// Plans, charges, reads s, prints. Whatever can fail for public causes does so before the charge.
Status evaluate_privately(const Context& context, const TrainedModel& model,
                          const EvaluationData& data, const PrivateChoice& choice);

}  // namespace dpfermi::cli
