#pragma once

/// A trained model at work.

#include <vector>

#include "dpfermi/artifact/trained_model.h"
#include "dpfermi/data/hybrid_matrix.h"
#include "dpfermi/evaluate/metrics.h"

namespace dpfermi::cli {

/// Class probabilities (rows x classes) of every row.
std::vector<float> probabilities(const TrainedModel& model, const HybridMatrix& x);

/// How the model does on data with labels; exact, for the holder of the data.
Result<Metrics> measure(const TrainedModel& model, const Dataset& data);

}  // namespace dpfermi::cli
