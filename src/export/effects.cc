#include "export/effects.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "export/export_form.h"

namespace dpfermi {
namespace {

/// The weight of an input for a class less what it is compared with.
double contrast(const LinearMap& map, std::size_t input, std::size_t own) {
  const auto width = static_cast<double>(map.width);
  double others = 0;
  for (std::size_t j = 0; j < map.width; ++j) others += map.at(input, j);
  if (map.width == 2) return 2 * map.at(input, own) - others;
  return map.at(input, own) - others / width;
}

/// How much of a number is one of the encoded input; nothing for the others.
std::optional<double> unit_of(const ExportForm& form, std::size_t input) {
  if (input >= form.numbers.size()) return std::nullopt;
  return form.numbers[input].standardizer.scale;
}

ClassEffects class_effects(const ExportForm& form, const LinearMap& map, std::size_t own) {
  ClassEffects effects{form.classes[own], contrast(map, map.inputs, own), {}};
  const std::vector<InputName> names = input_names(form);
  for (std::size_t i = 0; i < names.size(); ++i) {
    effects.effects.push_back({names[i], contrast(map, i, own), unit_of(form, i)});
  }
  std::ranges::stable_sort(effects.effects, std::ranges::greater{},
                           [](const Effect& effect) { return std::abs(effect.weight); });
  return effects;
}

ClassGains gains_of(const std::string& name, const std::vector<InputName>& inputs,
                    std::span<const double> gains) {
  ClassGains found{name, {}};
  const double all = std::accumulate(gains.begin(), gains.end(), 0.0);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (gains[i] > 0) found.gains.push_back({inputs[i], gains[i] / all});
  }
  std::ranges::stable_sort(found.gains, std::ranges::greater{}, &Gain::share);
  return found;
}

}  // namespace

std::vector<MemberEffects> member_effects(const TrainedModel& model) {
  std::vector<MemberEffects> members;
  if (model.network || model.spec.boosted || !model.spec.hidden.empty()) return members;
  const ExportForm form = scoring_form(model);
  for (std::size_t m = 0; m < form.members.size(); ++m) {
    // Members of a repair are tables of costs: its scores are always those of one model.
    const bool drawn = form.mixture() && !form.repair;
    MemberEffects member{drawn ? form.weights[m] : 1, {}};
    for (std::size_t j = 0; j < form.classes.size(); ++j) {
      member.classes.push_back(class_effects(form, form.members[m].front(), j));
    }
    members.push_back(std::move(member));
  }
  return members;
}

std::vector<ClassGains> class_gains(const TrainedModel& model) {
  std::vector<ClassGains> all;
  if (model.gains.empty()) return all;
  const std::vector<InputName> inputs = input_names(scoring_form(model));
  const std::size_t d = model.spec.inputs;
  if (model.classes.size() == 2) {
    return {gains_of(model.classes[model.favourable], inputs, model.gains)};
  }
  for (std::size_t j = 0; j < model.classes.size(); ++j) {
    all.push_back(gains_of(model.classes[j], inputs, std::span(model.gains).subspan(j * d, d)));
  }
  return all;
}

}  // namespace dpfermi
