#pragma once

/// A network on images as a model of its log-probabilities: softmax regression that undoes the
/// encoding of the columns log_probability1 ... of a table of features gives back its probabilities
/// (docs/deep.md).

#include <cstddef>
#include <vector>

#include "artifact/trained_model.h"

namespace dpfermi {

/// theta of that regression: each class has its standardised log-probability, and nothing else.
/// Refused where the pipeline lacks one of the columns.
Result<std::vector<double>> network_softmax(const Pipeline& pipeline, std::size_t classes);

/// Whether the model is that of its network, rather than one on features of it.
bool is_network_softmax(const TrainedModel& model);

}  // namespace dpfermi
