#include <fmt/format.h>

#include <algorithm>

#include "artifact/framed_file.h"
#include "artifact/sketch_file.h"
#include "core/text.h"

namespace dpfermi {
namespace {

std::string features_text(const FeatureMapSpec& spec, std::size_t inputs) {
  std::string text = fmt::format("{} encoded inputs", inputs);
  switch (spec.kind) {
    case FeatureKind::kEncoded:
      break;
    case FeatureKind::kLabel:
      text += fmt::format(" and the label, in {} more", spec.extra);
      break;
    case FeatureKind::kInteractions:
      text += fmt::format(" and {} products of two of them", spec.extra);
      break;
    case FeatureKind::kFourier:
      text += fmt::format(" and {} random Fourier features (seed {})", spec.extra, spec.seed);
      break;
    case FeatureKind::kModel:
      text += fmt::format(" and {} outputs of the model with sha256 {}", spec.extra,
                          printable(spec.model_digest));
      break;
  }
  return fmt::format("{}, cut to a length of {:.4g}", text, spec.clip_norm);
}

std::string serves_text(const FairnessSetting& setting, const StoredSketch& stored) {
  if (setting.unconditional()) return std::string(to_string(setting.notion));
  std::vector<FairnessSetting> served;
  for (const FairnessNotion notion : fairness_notions()) {
    const FairnessSetting other{notion, setting.groups, setting.classes, setting.favourable};
    if (setting.refines(other)) served.push_back(other);
  }
  if (served.size() == 1) {
    return fmt::format("{} for {}", notion_title(setting.notion),
                       printable(stored.classes[setting.favourable]));
  }
  std::ranges::stable_sort(served, {}, [](const FairnessSetting& other) {
    return other.labels_of(0).size();  // narrow conditions first
  });
  std::vector<std::string> titles;
  for (const FairnessSetting& other : served) titles.push_back(notion_title(other.notion));
  return listed(titles, " and ");
}

/// One line a part; empty where there is one holder.
std::string parts_text(const StoredSketch& stored) {
  if (stored.parts.size() < 2) return "";
  std::string text;
  for (const SketchPart& part : stored.parts) {
    text += fmt::format(
        "  part       {}: {}, {}, epsilon {:.6g}, delta {:.6g}\n", printable(part.data, kCardText),
        counted(part.units, stored.sketch.statement.id_column.empty() ? "record" : "person"),
        counted(part.rows, "row"), part.cost.epsilon, part.cost.delta);
  }
  return text;
}

}  // namespace

std::string describe_card(const StoredSketch& stored) {
  const Sketch& sketch = stored.sketch;
  std::string text = fmt::format(
      "Fairness sketch{}\n  data       {}\n  target     {}: {}\n  groups     {}\n  rows of    {} "
      "{}\n  sums of    {}\n  serves     {}\n  noise      standard deviation {:.4g} on every "
      "sum\n{}\n",
      headline_reservation(sketch.statement), printable(stored.data, kCardText),
      printable(stored.target), printable_list(stored.classes), printable_list(stored.groups),
      with_thousands(sketch.units), sketch.statement.id_column.empty() ? "records" : "persons",
      features_text(sketch.features, stored.columns.size()), serves_text(sketch.setting, stored),
      sketch.sums.noise, parts_text(stored));
  text += describe(sketch.statement) + describe_record(sketch.statement);
  text +=
      "\nWhat it permits: any number of models, for any weight of fairness, at no further cost; "
      "and guessing\na person's group from their features as well as any good model of the "
      "population would.\n";
  return text;
}

}  // namespace dpfermi
