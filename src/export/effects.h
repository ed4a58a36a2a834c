#pragma once

/// What the inputs of a softmax regression do to its scores, in the units of the table; which
/// inputs boosted trees ask about.

#include <optional>
#include <string>
#include <vector>

#include "artifact/trained_model.h"
#include "export/export_form.h"

namespace dpfermi {

/// What one input adds to the log-odds of a class: against the other class where there are two,
/// against the (geometric) mean of all classes where there are more.
struct Effect {
  InputName input;
  double weight = 0;           ///< of the encoded input
  std::optional<double> unit;  ///< of a number: how much of it is one of the encoded input

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

/// How much the questions of boosted trees about one input lowered the loss.
struct Gain {
  InputName input;
  double share = 0;  ///< of the gains of all inputs for this class
};

struct ClassGains {
  std::string name;
  std::vector<Gain> gains;  ///< of the inputs that the trees ask about, by falling share
};

/// By class; of two classes the favourable one, as the same trees decide for both. Empty where the
/// model holds no gains.
std::vector<ClassGains> class_gains(const TrainedModel& model);

}  // namespace dpfermi
