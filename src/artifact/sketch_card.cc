#include <fmt/format.h>

#include "artifact/framed_file.h"
#include "dpfermi/artifact/sketch_file.h"
#include "dpfermi/core/text.h"

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
  switch (setting.notion) {
    case FairnessNotion::kEqualizedOdds:
      return "equalized odds, equal opportunity and demographic parity";
    case FairnessNotion::kEqualOpportunity:
      return fmt::format("equal opportunity for {}", printable(stored.classes[setting.favourable]));
    default:
      return std::string(to_string(setting.notion));
  }
}

}  // namespace

std::string describe_card(const StoredSketch& stored) {
  const Sketch& sketch = stored.sketch;
  std::string text = fmt::format(
      "Fairness sketch\n  data       {}\n  target     {}: {}\n  groups     {}\n  rows of    {} "
      "{}\n  sums of    {}\n  serves     {}\n  noise      standard deviation {:.4g} on every "
      "sum\n\n",
      printable(stored.data, kCardText), printable(stored.target), printable_list(stored.classes),
      printable_list(stored.groups), with_thousands(sketch.units),
      sketch.statement.id_column.empty() ? "records" : "persons",
      features_text(sketch.features, stored.columns.size()), serves_text(sketch.setting, stored),
      sketch.sums.noise);
  text += describe(sketch.statement);
  text +=
      "\nWhat it permits: any number of models, for any weight of fairness, at no further cost; "
      "and guessing\na person's group from their features as well as any good model of the "
      "population would.\n";
  return text;
}

}  // namespace dpfermi
