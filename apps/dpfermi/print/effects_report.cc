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

std::string input_name(const InputName& input) {
  if (input.absence) return printable(input.column) + " is missing";
  if (input.value) return printable(input.column) + " = " + printable(*input.value);
  return printable(input.column);
}

std::string amount(const Effect& effect) {
  if (!effect.unit) return fmt::format("{:+.4g}", effect.weight);
  return fmt::format("{:+.4g} for each 1 more ({:+.4g} for {:.4g})", effect.per_unit(),
                     effect.weight, *effect.unit);
}

constexpr const char* kRepairRemark =
    "  These are the scores; the repair decides by them and by a proxy of the group.\n";

std::string_view compared_with(const TrainedModel& model) {
  return model.classes.size() == 2 ? "the other class" : "the mean of all classes";
}

/// The first `most` of the inputs, one line each.
template <class Entry, class Amount>
std::string lines_of(const std::vector<Entry>& entries, std::size_t most, const Amount& amount) {
  std::string text;
  std::size_t width = 0;
  const std::size_t shown = std::min(most, entries.size());
  for (std::size_t i = 0; i < shown; ++i) {
    width = std::max(width, input_name(entries[i].input).size());
  }
  for (std::size_t i = 0; i < shown; ++i) {
    text +=
        fmt::format("    {:<{}}  {}\n", input_name(entries[i].input), width, amount(entries[i]));
  }
  if (shown < entries.size()) {
    text += fmt::format("    and {} more inputs\n", with_thousands(entries.size() - shown));
  }
  return text;
}

std::string class_text(const ClassEffects& of, std::size_t most) {
  return fmt::format("  {} (constant {:+.4g})\n{}", printable(of.name), of.constant,
                     lines_of(of.effects, most, amount));
}

std::string gains_text(const TrainedModel& model, const std::vector<ClassGains>& classes,
                       std::size_t most) {
  std::string text =
      "  Which inputs the trees ask about: the share of the gain, by how much all questions about\n"
      "  an input lowered the loss on the training rows. It does not say in which direction.\n";
  if (model.rule.repair) text += kRepairRemark;
  for (const ClassGains& of : classes) {
    text += fmt::format("  {}\n{}", printable(of.name), lines_of(of.gains, most, [](const Gain& g) {
                          return fmt::format("{:.4g} %", 100 * g.share);
                        }));
  }
  return text;
}

Json input_json(const InputName& input) {
  Json json = {{"column", input.column}};
  if (input.value) json["value"] = *input.value;
  if (input.absence) json["missing"] = true;
  return json;
}

Json gains_json(const std::vector<ClassGains>& classes) {
  Json json = Json::array();
  for (const ClassGains& of : classes) {
    Json gains = Json::array();
    for (const Gain& gain : of.gains) {
      gains.push_back(input_json(gain.input));
      gains.back()["share"] = gain.share;
    }
    json.push_back({{"class", of.name}, {"gains", std::move(gains)}});
  }
  return json;
}

}  // namespace

std::string effects_text(const TrainedModel& model, std::size_t most) {
  const std::vector<MemberEffects> members = member_effects(model);
  std::string text = "\nWhat it does\n";
  if (const std::vector<ClassGains> gains = class_gains(model); !gains.empty()) {
    return text + gains_text(model, gains, most);
  }
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
  if (model.rule.repair) text += kRepairRemark;
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
        Json entry = input_json(effect.input);
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
  if (const std::vector<ClassGains> gains = class_gains(model); !gains.empty()) {
    json["gains"] = gains_json(gains);
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
