#include "workflow/sketch_features.h"

#include <fmt/format.h>

#include "artifact/model_file.h"
#include "data/checksum.h"

namespace dpfermi {

Result<FeatureMapSpec> SketchFeatureChoice::spec() const {
  FeatureMapSpec spec = details;
  spec.kind = kind.value_or(FeatureKind::kEncoded);
  if ((spec.kind == FeatureKind::kModel) == model_file.empty()) {
    return usage_error(
        "`features.kind` model and `features.model_file` belong together; give both");
  }
  return spec;
}

Result<std::optional<FeatureModel>> SketchFeatureChoice::model() const {
  if (model_file.empty()) return std::nullopt;
  DPFERMI_ASSIGN(const TrainedModel model, read_model(model_file));
  if (!model.privacy.releases.empty() && !is_private(model.privacy)) {
    return usage_error(fmt::format(
        "{} promises no privacy, and its features would tell about the protected attribute; use a "
        "model trained without it (`method` erm) or with privacy",
        model_file));
  }
  if (model.theta.empty()) {
    return usage_error(fmt::format(
        "{} repairs the scores of another model and has no features; use that model", model_file));
  }
  if (model.spec.boosted) {
    return usage_error(fmt::format(
        "{} holds boosted trees, which have no features for a sketch; use a model with layers",
        model_file));
  }
  FeatureModel features{model.spec, {model.theta.begin(), model.theta.end()}, ""};
  DPFERMI_ASSIGN(features.digest, sha256_of_file(model_file));
  return features;
}

Result<SketchFeatures> SketchFeatureChoice::features(const Dataset& data) const {
  DPFERMI_ASSIGN(FeatureMapSpec wanted, spec());
  DPFERMI_ASSIGN(const std::optional<FeatureModel> from, model());
  return SketchFeatures::create(data, std::move(wanted), from ? &*from : nullptr);
}

}  // namespace dpfermi
