#include "sketch_options.h"

#include <fmt/format.h>

#include "cli.h"
#include "dpfermi/artifact/model_file.h"
#include "dpfermi/data/checksum.h"

namespace dpfermi::cli {

void SketchOptions::add_to(CLI::App& verb) {
  const std::string where = "Sketch";
  verb.add_option("--features", kind_,
                  "What is summed up: encoded, or beside it label, interactions, fourier, model "
                  "(default encoded; where train reads images, for dp, label)")
      ->group(where);
  verb.add_option("--feature-count", given_.extra, "Interactions or Fourier features (default 256)")
      ->check(whole_number())
      ->group(where);
  verb.add_option("--feature-seed", given_.seed, "Of the Fourier features; public")
      ->check(whole_number())
      ->capture_default_str()
      ->group(where);
  verb.add_option("--feature-model", model_,
                  "Model file whose hidden layer, or scores, are summed up (--features model)")
      ->group(where);
  verb.add_option("--feature-norm", given_.clip_norm,
                  "Longest vector of features (default: their root mean square)")
      ->group(where);
}

void SketchOptions::prefer_label() {
  if (!kind_) kind_ = to_string(FeatureKind::kLabel);
}

Result<FeatureMapSpec> SketchOptions::spec() const {
  FeatureMapSpec spec = given_;
  DPFERMI_ASSIGN(spec.kind, parse_feature_kind(kind_.value_or("encoded")));
  if ((spec.kind == FeatureKind::kModel) == model_.empty()) {
    return usage_error("--features model and --feature-model belong together; give both");
  }
  return spec;
}

Result<std::optional<FeatureModel>> SketchOptions::model() const {
  if (model_.empty()) return std::nullopt;
  DPFERMI_ASSIGN(const TrainedModel model, read_model(model_));
  // Sums of features over all rows are taken for public. Those of a model that was trained on s
  // without noise would tell about it.
  if (!model.privacy.releases.empty() && !is_private(model.privacy)) {
    return usage_error(fmt::format(
        "{} promises no privacy, and its features would tell about the protected attribute; use a "
        "model trained without it (--method erm) or with privacy",
        model_));
  }
  FeatureModel features{model.spec, {model.theta.begin(), model.theta.end()}, ""};
  DPFERMI_ASSIGN(features.digest, sha256_of_file(model_));
  return features;
}

Result<SketchFeatures> SketchOptions::features(const Dataset& data) const {
  DPFERMI_ASSIGN(FeatureMapSpec wanted, spec());
  DPFERMI_ASSIGN(const std::optional<FeatureModel> from, model());
  return SketchFeatures::create(data, std::move(wanted), from ? &*from : nullptr);
}

}  // namespace dpfermi::cli
