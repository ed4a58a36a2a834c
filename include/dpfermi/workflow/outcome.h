#pragma once

/// What the front door (dpfermi/dpfermi.h) reports beside a model.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dpfermi/evaluate/private_metrics.h"
#include "dpfermi/privacy/ledger/budget.h"
#include "dpfermi/privacy/statement.h"

namespace dpfermi {

/// Where the charge of a run is recorded.
struct ChargeRecord {
  bool research = false;             ///< nowhere, as was asked
  std::string ledger;                ///< the file; empty: nothing was charged
  std::optional<LedgerPlace> place;  ///< of the run in it
};

/// What a model must beat: always to predict the class that is commonest in training.
struct ConstantModel {
  std::size_t label = 0;
  double error = 0;  ///< on the test rows, or the training rows where there are none
};

/// What a model says about rows.
struct Predictions {
  /// Rows x classes; of the decisions, where the model mixes them or decides by the group.
  std::vector<float> probabilities;
  std::vector<std::uint16_t> decisions;  ///< the class of each row
};

struct PrivateEvaluation {
  PrivateMetrics metrics;
  PrivacyStatement statement;
  ChargeRecord charge;
};

}  // namespace dpfermi
