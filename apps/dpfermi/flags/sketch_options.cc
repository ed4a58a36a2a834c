#include "flags/sketch_options.h"

#include "cli.h"

namespace dpfermi::cli {

void SketchOptions::add_to(CLI::App& verb) {
  const std::string where = "Sketch";
  verb.add_option("--features", kind_,
                  "What is summed up: encoded, or beside it label, interactions, fourier, model "
                  "(default encoded; where train reads images, for dp, label)")
      ->group(where);
  verb.add_option("--feature-count", given_.details.extra,
                  "Interactions or Fourier features (default 256)")
      ->check(whole_number())
      ->group(where);
  verb.add_option("--feature-seed", given_.details.seed, "Of the Fourier features; public")
      ->check(whole_number())
      ->capture_default_str()
      ->group(where);
  verb.add_option("--feature-model", given_.model_file,
                  "Model file whose hidden layer, or scores, are summed up (--features model)")
      ->group(where);
  verb.add_option("--feature-norm", given_.details.clip_norm,
                  "Longest vector of features (default: their root mean square)")
      ->group(where);
}

Result<SketchFeatureChoice> SketchOptions::choice() const {
  SketchFeatureChoice choice = given_;
  if (kind_) {
    DPFERMI_ASSIGN(choice.kind, parse_feature_kind(*kind_));
  }
  return choice;
}

}  // namespace dpfermi::cli
