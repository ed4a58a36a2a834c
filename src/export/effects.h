#pragma once

/// What the inputs of a softmax regression do to its scores, in the units of the table.

#include <optional>
#include <string>
#include <vector>

#include "artifact/trained_model.h"
#include "dpfermi/core/result.h"

namespace dpfermi {

/// What one input adds to the log-odds of a class: against the other class where there are two,
/// against the (geometric) mean of all classes where there are more.
struct Effect {
  std::string column;
  std::optional<std::string> value;  ///< of a category; nothing: a number, or its absence
  bool absence = false;              ///< of a number that is missing
  double weight = 0;                 ///< of the encoded input
  std::optional<double> unit;        ///< of a number: how much of it is one of the encoded input

  /// For one more of a number; otherwise the weight.
  double per_unit() const { return unit ? weight / *unit : weight; }
};

struct ClassEffects {
  std::string name;
  double constant = 0;          ///< numbers at their centre, categories without weight
  std::vector<Effect> effects;  ///< all inputs, by falling |weight|
};

/// Of one member of a mixture, or of the only one.
struct MemberEffects {
  double share = 1;  ///< of the decisions
  std::vector<ClassEffects> classes;
};

/// Empty where the model has no coefficients that say what it does: networks, boosted trees, and
/// repairs of scores that come with the rows.
std::vector<MemberEffects> member_effects(const TrainedModel& model);

}  // namespace dpfermi
