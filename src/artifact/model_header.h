#pragma once

/// Reading the JSON header of a model file.

#include <string>

#include "artifact/trained_model.h"

namespace dpfermi {

/// Ensures: every key is known and every value has its type; whether the parts fit each other is
/// for check_model to say. Parameters are left empty; their numbers are
/// what the header promises.
struct ModelHeader {
  TrainedModel model;
  std::uint64_t parameters = 0;
  std::uint64_t network_parameters = 0;
  std::uint64_t components = 0;
};
Result<ModelHeader> header_from_json(const std::string& json);

}  // namespace dpfermi
