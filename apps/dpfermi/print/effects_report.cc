#include "print/effects_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "dpfermi/privacy/protected.h"
#include "export/effects.h"
#include "print/text_table.h"
#include "privacy/json_fields.h"

namespace dpfermi::cli {
namespace {

std::string input_name(const Effect& effect) {
  if (effect.absence) return printable(effect.column) + " is missing";
  if (effect.value) return printable(effect.column) + " = " + printable(*effect.value);
  return printable(effect.column);
}

std::string amount(const Effect& effect) {
  if (!effect.unit) return fmt::format("{:+.4g}", effect.weight);
  return fmt::format("{:+.4g} for each 1 more ({:+.4g} for {:.4g})", effect.per_unit(),
                     effect.weight, *effect.unit);
}

std::string_view compared_with(const TrainedModel& model) {
  return model.classes.size() == 2 ? "the other class" : "the mean of all classes";
}

std::string class_text(const ClassEffects& of, std::size_t most) {
  std::string text = fmt::format("  {} (constant {:+.4g})\n", printable(of.name), of.constant);
  std::size_t width = 0;
  const std::size_t shown = std::min(most, of.effects.size());
  for (std::size_t i = 0; i < shown; ++i) {
    width = std::max(width, input_name(of.effects[i]).size());
  }
  for (std::size_t i = 0; i < shown; ++i) {
    text +=
        fmt::format("    {:<{}}  {}\n", input_name(of.effects[i]), width, amount(of.effects[i]));
  }
  if (shown < of.effects.size()) {
    text += fmt::format("    and {} more inputs\n", with_thousands(of.effects.size() - shown));
  }
  return text;
}

}  // namespace

std::string effects_text(const TrainedModel& model, std::size_t most) {
  const std::vector<MemberEffects> members = member_effects(model);
  std::string text = "\nWhat it does\n";
  if (members.empty()) {
    return text +
           "  The model has no coefficients that say so; dpfermi inspect MODEL TABLE measures "
           "which\n"
           "  columns matter.\n";
  }
  text += fmt::format(
      "  What each input adds to the log-odds of a class against {}, in the units of\n"
      "  the table, largest first by a change of one standard deviation or half a declared "
      "range.\n",
      compared_with(model));
  if (model.rule.repair)
    text += "  These are the scores; the repair decides by them and by a proxy of the group.\n";
  for (std::size_t m = 0; m < members.size(); ++m) {
    if (members.size() > 1) {
      text += fmt::format("  Model {} of {}, {:.4g} of the decisions\n", m + 1, members.size(),
                          members[m].share);
    }
    for (const ClassEffects& of : members[m].classes) {
      // Of two classes each is the other's opposite.
      const bool mirrored = model.classes.size() == 2 && of.name != model.classes[model.favourable];
      if (!mirrored) text += class_text(of, most);
    }
  }
  return text;
}

std::string effects_json(const TrainedModel& model) {
  Json json = {{"compared_with", compared_with(model)}, {"members", Json::array()}};
  for (const MemberEffects& member : member_effects(model)) {
    Json classes = Json::array();
    for (const ClassEffects& of : member.classes) {
      Json effects = Json::array();
      for (const Effect& effect : of.effects) {
        Json entry = {{"column", effect.column}};
        if (effect.value) entry["value"] = *effect.value;
        if (effect.absence) entry["missing"] = true;
        entry["per_unit"] = effect.per_unit();
        if (effect.unit) entry["scale"] = *effect.unit;
        entry["per_scale"] = effect.weight;
        effects.push_back(std::move(entry));
      }
      classes.push_back(
          {{"class", of.name}, {"constant", of.constant}, {"effects", std::move(effects)}});
    }
    json["members"].push_back({{"share", member.share}, {"classes", std::move(classes)}});
  }
  return json_text(json) + "\n";
}

std::string importance_text(const Importance& importance, bool exact) {
  TextTable text({exact ? fmt::format("column ({})", ExactForHolder::kLabel) : "column",
                  "error when shuffled", "increase", "s.d. over shuffles"});
  for (const ColumnImportance& column : importance.columns) {
    text.add({column.column, fmt::format("{:.4f}", importance.error + column.increase),
              fmt::format("{:+.4f}", column.increase),
              fmt::format("{:.4f}", column.standard_deviation)});
  }
  return fmt::format("error of the rows as they are: {:.4f}\n\n{}", importance.error,
                     text.to_string());
}

std::string importance_json(const Importance& importance, bool exact) {
  Json json = {
      {"exact_not_private", exact}, {"error", importance.error}, {"columns", Json::array()}};
  for (const ColumnImportance& column : importance.columns) {
    json["columns"].push_back({{"column", column.column},
                               {"increase", column.increase},
                               {"standard_deviation", column.standard_deviation}});
  }
  return json_text(json) + "\n";
}

}  // namespace dpfermi::cli
