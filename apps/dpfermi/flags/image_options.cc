#include "flags/image_options.h"

#include <fmt/format.h>

#include "cli.h"
#include "flags/field_names.h"

namespace dpfermi::cli {
namespace {

constexpr const char* kWhere = "Images (with the optional component dpfermi-deep; docs/deep.md)";

void add_device(CLI::App& verb, std::string& device, std::string& precision, unsigned& workers) {
  verb.add_option("--device", device, "cpu or gpu")->capture_default_str()->group(kWhere);
  verb.add_option("--precision", precision, "float32, tf32 or bf16")
      ->capture_default_str()
      ->group(kWhere);
  verb.add_option(
          "--workers", workers,
          "Threads that share the images on a CPU; 0: one a processor. No result depends on it")
      ->check(whole_number())
      ->capture_default_str()
      ->group(kWhere);
}

}  // namespace

void ImageOptions::add_to(CLI::App& verb) {
  verb_ = &verb;
  verb.add_option("--model", given_.shape.model,
                  "boosted: gradient-boosted trees on a table; vgg9 or small: a network that turns "
                  "images into features")
      ->group("Model");
  verb.add_option("--images", given_.images,
                  "Folder or zip file of JPEGs (default: the data set's)")
      ->group(kWhere);
  verb.add_option("--image-column", given_.column, "The column of their names")->group(kWhere);
  verb.add_option("--side", given_.shape.side, "Pixels a side: images are reduced to it by eighths")
      ->check(whole_from_one(4096))
      ->capture_default_str()
      ->group(kWhere);
  add_device(verb, given_.shape.device, given_.shape.precision, given_.shape.workers);
  verb.add_option("--work", given_.work,
                  "Folder of the pack, the network and the features (default: OUT.work)")
      ->group(kWhere);
  verb.add_option("--components", given_.components,
                  "Principal components of its last channels that become features (default 64; 32 "
                  "for a sketch or a repair)")
      ->check(whole_number())
      ->group(kWhere);
  verb.add_option("--picture-components", given_.pictures,
                  "Principal components of the images themselves (default none; 96 for a sketch or "
                  "a repair)")
      ->check(whole_number())
      ->group(kWhere);
  verb.add_option("--private-part", private_part_,
                  "What is trained fairly: last-layer, on the network's features, or network, all "
                  "of its parameters")
      ->capture_default_str()
      ->group(kWhere);
  add_schedule(verb);
}

void ImageOptions::add_schedule(CLI::App& verb) {
  const std::string where = "Training of the network";
  verb.add_option("--network-epochs", given_.schedule.epochs, "Passes over the training images")
      ->check(whole_from_one(100'000))
      ->capture_default_str()
      ->group(where);
  verb.add_option("--network-batch", given_.schedule.batch, "Images a step")
      ->check(whole_from_one(65'535))
      ->capture_default_str()
      ->group(where);
  verb.add_option("--network-rate", given_.schedule.rate, "Step size of Adam at the start")
      ->capture_default_str()
      ->group(where);
  verb.add_option("--network-decay", given_.schedule.decay,
                  "Of its parameters, times the step size")
      ->capture_default_str()
      ->group(where);
  verb.add_option("--network-seed", given_.schedule.seed,
                  "Of its start and the order of images; public")
      ->check(whole_number())
      ->capture_default_str()
      ->group(where);
  verb.add_option("--tuning-epochs", given_.tuning_epochs,
                  "Passes with the fairness term, after --method sketch; 0: a last layer alone")
      ->check(whole_number())
      ->capture_default_str()
      ->group(where);
  verb.add_option("--tuning-rate", given_.tuning_rate, "Step size of Adam at their start")
      ->capture_default_str()
      ->group(where);
}

Result<std::optional<ImageChoice>> ImageOptions::choice() const {
  const bool given = !given_.shape.model.empty() && !boosted();
  if (private_part_ != "last-layer" && private_part_ != "network") {
    return usage_error(
        fmt::format("unknown --private-part '{}': use last-layer or network", private_part_));
  }
  ImageChoice choice = given_;
  choice.whole_network = private_part_ == "network";
  if (choice.whole_network && !given) {
    return usage_error("--private-part is for images; name a network with --model");
  }
  if (!given) return std::nullopt;
  for (const char* field : {"components", "pictures", "schedule.epochs", "schedule.batch",
                            "schedule.rate", "schedule.decay", "tuning_epochs", "tuning_rate"}) {
    if (verb_->count(*flag_of(field)) > 0) choice.of_public_network.emplace_back(field);
  }
  return choice;
}

void add_prediction_images(CLI::App& verb, vision::PredictionImages& images) {
  verb.add_option("--images", images.images, "Folder or zip file of JPEGs, for a model of images")
      ->group(kWhere);
  verb.add_option("--image-column", images.column, "The column of their names")
      ->capture_default_str()
      ->group(kWhere);
  add_device(verb, images.device, images.precision, images.workers);
}

}  // namespace dpfermi::cli
