#include "export/effects.h"

#include <algorithm>
#include <cmath>

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

ClassEffects class_effects(const ExportForm& form, const LinearMap& map, std::size_t own) {
  ClassEffects effects{form.classes[own], contrast(map, map.inputs, own), {}};
  for (std::size_t f = 0; f < form.numbers.size(); ++f) {
    const NumberInput& input = form.numbers[f];
    effects.effects.push_back(
        {input.column, std::nullopt, false, contrast(map, f, own), input.standardizer.scale});
    if (!input.absence) continue;
    effects.effects.push_back(
        {input.column, std::nullopt, true, contrast(map, *input.absence, own), std::nullopt});
  }
  for (const CategoryInput& input : form.categories) {
    for (std::size_t i = 0; i < input.values.size(); ++i) {
      effects.effects.push_back({input.column, input.values[i], false,
                                 contrast(map, input.first + i, own), std::nullopt});
    }
  }
  std::ranges::stable_sort(effects.effects, std::ranges::greater{},
                           [](const Effect& effect) { return std::abs(effect.weight); });
  return effects;
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

}  // namespace dpfermi
