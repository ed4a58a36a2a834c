#include "image_options.h"

#include <fmt/format.h>

#include "component.h"
#include "dpfermi/core/text.h"

namespace dpfermi::cli {

void ImageOptions::add_to(CLI::App& verb) {
  verb_ = &verb;
  const std::string where = "Images (with the optional component dpfermi-deep; docs/deep.md)";
  verb.add_option("--model", shape_.model,
                  "A network that turns images into features: vgg9 or small")
      ->group(where);
  verb.add_option("--images", images_, "Folder or zip file of JPEGs (default: the data set's)")
      ->group(where);
  verb.add_option("--image-column", column_, "The column of their names")->group(where);
  verb.add_option("--side", shape_.side, "Pixels a side: images are reduced to it by eighths")
      ->check(whole_from_one(4096))
      ->capture_default_str()
      ->group(where);
  verb.add_option("--device", shape_.device, "cpu or gpu")->capture_default_str()->group(where);
  verb.add_option("--precision", shape_.precision, "float32, tf32 or bf16")
      ->capture_default_str()
      ->group(where);
  add_workers(verb, shape_.workers, where);
  verb.add_option("--work", work_,
                  "Folder of the pack, the network and the features (default: OUT.work)")
      ->group(where);
  verb.add_option("--components", components_,
                  "Principal components of its last channels that become features (default 64; 32 "
                  "for a sketch)")
      ->check(whole_number())
      ->group(where);
  verb.add_option("--picture-components", pictures_,
                  "Principal components of the images themselves (default none; 96 for a sketch)")
      ->check(whole_number())
      ->group(where);
  verb.add_option("--private-part", private_part_,
                  "What is trained fairly: last-layer, on the network's features, or network, all "
                  "of its parameters")
      ->capture_default_str()
      ->group(where);
  add_schedule(verb);
}

Result<bool> ImageOptions::whole_network() const {
  if (private_part_ != "last-layer" && private_part_ != "network") {
    return usage_error(
        fmt::format("unknown --private-part '{}': use last-layer or network", private_part_));
  }
  if (private_part_ == "network" && !given()) {
    return usage_error("--private-part is for images; name a network with --model");
  }
  return private_part_ == "network";
}

void ImageOptions::add_schedule(CLI::App& verb) {
  const std::string where = "Training of the network";
  verb.add_option("--network-epochs", schedule_.epochs, "Passes over the training images")
      ->check(whole_from_one(100'000))
      ->capture_default_str()
      ->group(where);
  verb.add_option("--network-batch", schedule_.batch, "Images a step")
      ->check(whole_from_one(65'535))
      ->capture_default_str()
      ->group(where);
  verb.add_option("--network-rate", schedule_.rate, "Step size of Adam at the start")
      ->capture_default_str()
      ->group(where);
  verb.add_option("--network-decay", schedule_.decay, "Of its parameters, times the step size")
      ->capture_default_str()
      ->group(where);
  verb.add_option("--network-seed", schedule_.seed, "Of its start and the order of images; public")
      ->check(whole_number())
      ->capture_default_str()
      ->group(where);
  verb.add_option("--tuning-epochs", tuning_epochs_,
                  "Passes with the fairness term, after --method sketch; 0: a last layer alone")
      ->check(whole_number())
      ->capture_default_str()
      ->group(where);
  verb.add_option("--tuning-rate", tuning_rate_, "Step size of Adam at their start")
      ->capture_default_str()
      ->group(where);
}

// A last layer pays noise for every feature and needs those that tell classes apart; a sketch needs
// those that tell groups apart, of which a network for classes knows less than a glance at the
// face.
FeatureChoice ImageOptions::features(Method method) const {
  const bool sketch = method == Method::kSketch;
  return {.components = components_.value_or(sketch ? 32 : 64),
          .pictures = pictures_.value_or(sketch ? 96 : 0)};
}

Status ImageOptions::check_rates() const {
  for (const auto& [flag, value] :
       {std::pair("--network-rate", schedule_.rate), std::pair("--network-decay", schedule_.decay),
        std::pair("--tuning-rate", tuning_rate_)}) {
    if (value >= 0 && value <= 1e6) continue;
    return usage_error(fmt::format("{} takes a number from 0 to 1e6, not {:g}", flag, value));
  }
  return {};
}

Status ImageOptions::check_unused(Adjacency adjacency) const {
  if (features_are_public(adjacency)) return {};
  for (const char* flag :
       {"--components", "--picture-components", "--network-epochs", "--network-batch",
        "--network-rate", "--network-decay", "--tuning-epochs", "--tuning-rate"}) {
    if (verb_->count(flag) == 0) continue;
    return usage_error(fmt::format("under {} there is no public network; leave out {}",
                                   to_string(adjacency), flag));
  }
  return {};
}

Result<EmbeddedImages> ImageOptions::gather(const Context& context, const TableChoice& given,
                                            const SplitChoice& split, const std::string& otherwise,
                                            Method method) const {
  TableChoice choice = given;
  if (!column_.empty()) choice.request.schema.image = column_;
  if (!images_.empty()) choice.images = images_;
  DPFERMI_ASSIGN(const bool whole, whole_network());
  DPFERMI_TRY(check_images(choice, split, whole));
  DPFERMI_TRY(check_rates());
  DPFERMI_TRY(check_unused(choice.request.schema.adjacency));
  DPFERMI_ASSIGN(const std::string program, find_component());
  DPFERMI_ASSIGN(ImageSet set, read_image_set(choice, split));
  if (features_are_public(choice.request.schema.adjacency)) {
    context.note(fmt::format("{} distinct images, {} of them for training",
                             with_thousands(set.names.size()), with_thousands(set.train.size())));
  }
  ImagePlan plan{work_.empty() ? otherwise : work_,
                 shape_,
                 schedule_,
                 {tuning_epochs_, schedule_.batch, tuning_rate_, schedule_.decay, schedule_.seed},
                 features(method)};
  return EmbeddedImages::create(std::move(choice), std::move(set), std::move(plan), program);
}

}  // namespace dpfermi::cli
