#pragma once

/// The flags of training on images, and what they amount to.

#include <cstdint>
#include <optional>
#include <string>

#include "vision/image_prediction.h"
#include "workflow/training_run.h"

namespace dpfermi::cli {

class ImageOptions {
 public:
  void add_to(CLI::App& verb);

  /// Whether the model is one of boosted trees, which has nothing to do with images.
  bool boosted() const { return given_.shape.model == "boosted"; }

  /// What was asked for; nothing where no network was.
  Result<std::optional<ImageChoice>> choice() const;

 private:
  void add_schedule(CLI::App& verb);

  const CLI::App* verb_ = nullptr;
  std::string private_part_ = "last-layer";
  ImageChoice given_;
};

/// Where new images for a model are.
void add_prediction_images(CLI::App& verb, vision::PredictionImages& images);

}  // namespace dpfermi::cli
