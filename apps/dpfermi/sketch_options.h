#pragma once

/// The flags that say what a sketch sums up.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "dpfermi/sketch/feature_map.h"

namespace dpfermi::cli {

class SketchOptions {
 public:
  void add_to(CLI::App& verb);

  /// Has labels summed up as well, unless the flags say what is.
  void prefer_label();

  /// The map as the flags have it, the model that it needs included.
  Result<FeatureMapSpec> spec() const;

  /// The file named with --feature-model; empty: none.
  const std::string& model_file() const { return model_; }

  /// The model named with --feature-model, if any.
  Result<std::optional<FeatureModel>> model() const;

  /// The features of these rows.
  Result<SketchFeatures> features(const Dataset& data) const;

 private:
  std::optional<std::string> kind_;  ///< nothing: encoded
  std::string model_;
  FeatureMapSpec given_;
};

}  // namespace dpfermi::cli
