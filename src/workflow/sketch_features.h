#pragma once

/// What a sketch sums up, as a user chooses it.

#include <optional>
#include <string>

#include "sketch/feature_map.h"

namespace dpfermi {

struct SketchFeatureChoice {
  std::optional<FeatureKind> kind;  ///< nothing: encoded inputs
  FeatureMapSpec details;           ///< beside the kind
  std::string model_file;           ///< of FeatureKind::kModel

  /// Has labels summed up as well, unless a kind was chosen.
  void prefer_label() { kind = kind.value_or(FeatureKind::kLabel); }

  /// The map as it was chosen, the model that it needs included.
  Result<FeatureMapSpec> spec() const;

  /// The model in `model_file`, if one is named. Refuses one that was trained on s without noise:
  /// sums of its features over all rows are taken for public and would tell about s.
  Result<std::optional<FeatureModel>> model() const;

  /// The features of these rows.
  Result<SketchFeatures> features(const Dataset& data) const;
};

}  // namespace dpfermi
