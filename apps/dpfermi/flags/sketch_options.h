#pragma once

/// The flags that say what a sketch sums up.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "workflow/sketch_features.h"

namespace dpfermi::cli {

class SketchOptions {
 public:
  void add_to(CLI::App& verb);

  Result<SketchFeatureChoice> choice() const;

 private:
  std::optional<std::string> kind_;
  SketchFeatureChoice given_;
};

}  // namespace dpfermi::cli
