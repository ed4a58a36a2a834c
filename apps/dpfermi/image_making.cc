// EmbeddedImages before and until there is a network: what lies in --work, what has to be made.

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "deep_files.h"
#include "dpfermi/core/text.h"
#include "dpfermi/image/picture.h"
#include "dpfermi/optimize/deep_problem.h"
#include "image_table.h"
#include "kept_files.h"

namespace dpfermi::cli {
namespace fs = std::filesystem;

Result<EmbeddedImages> EmbeddedImages::create(TableChoice images, ImageSet set, ImagePlan plan,
                                              const std::string& program) {
  DPFERMI_ASSIGN(std::string origin, pack_origin({images.images, set.names, plan.shape.side}));
  DPFERMI_ASSIGN(std::string dealt, digest_of(training_labels(set)));
  const fs::path pack = kept_path(plan.work, "images", origin, ".pack");
  NetworkWorkshop workshop(plan.shape, set.classes.size(), pack, program);
  EmbeddedImages made(std::move(images), std::move(set), std::move(plan), std::move(workshop));
  made.pixels_ = pixels_of_pack(pack, origin);
  made.origin_ = std::move(origin);
  made.labels_ = kept_path(made.plan_.work, "labels", dealt, ".u16");
  made.dealt_ = std::move(dealt);
  made.start_.seed = made.plan_.training.seed;
  return made;
}

Result<bool> EmbeddedImages::awaits_network() const {
  if (!is_public()) return false;
  if (pixels_.empty()) return true;
  DPFERMI_ASSIGN(const KeptNetwork kept, kept_network(plan_.shape.model, plan_.training, {}));
  const auto network = read_image_network(kept.path, plan_.shape.model, plan_.shape.side);
  if (!network || network->epochs < plan_.training.epochs) return true;
  EmbeddedImages found = *this;
  DPFERMI_TRY(found.adopt(kept.path, plan_.features));
  return !is_sealed(found.stamp_, found.table_files());
}

Status EmbeddedImages::make(const Context& context) {
  DPFERMI_TRY(make_private_folder(plan_.work));
  if (pixels_.empty()) {
    DPFERMI_ASSIGN(pixels_,
                   pack_image_set(context, {images_.images, set_.names, plan_.shape.side}, origin_,
                                  kept_path(plan_.work, "images", origin_, ".pack")));
  }
  DPFERMI_TRY(write_numbers(labels_, training_labels(set_)));
  if (!is_public()) return list();
  DPFERMI_ASSIGN(const fs::path network,
                 trained(context, plan_.shape.model, plan_.training, {}, {}));
  DPFERMI_TRY(adopt(network, plan_.features));
  return describe(context);
}

Status EmbeddedImages::list() {
  network_ = {.architecture = plan_.shape.model,
              .side = plan_.shape.side,
              .settings = fmt::format("random start, seed {}", start_.seed),
              .target_bins = set_.bins};
  DPFERMI_ASSIGN(const std::string stamp, stamp_of({pixels_, labels_.filename().string()}));
  const fs::path table = kept_path(plan_.work, "images", stamp, ".csv");
  DPFERMI_TRY(write_feature_table(columns_of(set_, images_.request.schema), {}, {}, table));
  table_ = table_at(table);
  return {};
}

std::string EmbeddedImages::to_train() const {
  if (!is_public()) return "";
  return fmt::format("the public network ({}, {} passes over {} images of {} x {} pixels)",
                     plan_.shape.model, plan_.training.epochs, with_thousands(set_.train.size()),
                     plan_.shape.side, plan_.shape.side);
}

Result<TableChoice> EmbeddedImages::stand_in(const fs::path& folder) const {
  const std::size_t width = plan_.features.components +
                            std::min(plan_.features.pictures, picture_size(plan_.shape.side)) +
                            set_.classes.size();
  std::vector<float> features(is_public() ? set_.names.size() * width : 0);
  std::mt19937_64 random(1);
  for (float& value : features) value = (random() >> 63) == 0 ? -1.0F : 1.0F;
  const fs::path table = folder / "features.csv";
  DPFERMI_TRY(write_feature_table(columns_of(set_, images_.request.schema), features, {}, table));
  return table_at(table);
}

Result<NetworkScale> EmbeddedImages::scale(deep::ComponentNetwork& network) const {
  if (!is_public()) return workshop_.measure_start(start_.seed);
  std::vector<std::uint16_t> y;
  for (const std::uint32_t row : set_.train) y.push_back(set_.y[row]);
  return measure_network(network, y);
}

Result<NetworkScale> EmbeddedImages::planned_scale() const {
  if (start_.file.empty()) return workshop_.measure_start(start_.seed);
  DPFERMI_ASSIGN(deep::ComponentNetwork network, serve());
  return scale(network);
}

}  // namespace dpfermi::cli
