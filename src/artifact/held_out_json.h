#pragma once

/// Which rows were kept for testing, in the headers of models and sketches.

#include "artifact/trained_model.h"
#include "privacy/json_fields.h"

namespace dpfermi {

/// Adds the key "held_out" where there is something to say.
inline void add_held_out(const std::optional<HeldOut>& held_out, Json& json) {
  if (held_out) json["held_out"] = {{"fraction", held_out->fraction}, {"seed", held_out->seed}};
}

inline std::optional<HeldOut> held_out_of(const JsonFields& fields) {
  if (!fields.has("held_out")) return std::nullopt;
  const JsonFields split(fields.at("held_out"), "'held_out'", {"fraction", "seed"});
  return HeldOut{split.number("fraction"), split.count("seed")};
}

}  // namespace dpfermi
