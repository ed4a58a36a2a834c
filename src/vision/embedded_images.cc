#include "vision/embedded_images.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

#include "core/text.h"
#include "optimize/deep_problem.h"
#include "preprocess/picture.h"
#include "vision/image_network_files.h"
#include "vision/kept_files.h"

namespace dpfermi::vision {
namespace fs = std::filesystem;
namespace {

/// The range that is declared for log F where nothing may be computed from it, or nothing is yet.
constexpr double kLeastLogProbability = -30;

}  // namespace

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

Status EmbeddedImages::make(Observer& observer) {
  DPFERMI_TRY(make_private_folder(plan_.work));
  if (pixels_.empty()) {
    DPFERMI_ASSIGN(pixels_,
                   pack_image_set(observer, {images_.images, set_.names, plan_.shape.side}, origin_,
                                  kept_path(plan_.work, "images", origin_, ".pack")));
  }
  DPFERMI_TRY(write_numbers(labels_, training_labels(set_)));
  if (!is_public()) return list();
  DPFERMI_ASSIGN(const fs::path network,
                 trained(observer, plan_.shape.model, plan_.training, {}, {}));
  DPFERMI_TRY(adopt(network, plan_.features));
  return describe(observer);
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

TableChoice EmbeddedImages::table_at(const fs::path& file) const {
  TableChoice choice = images_;
  Schema& schema = choice.request.schema;
  take_groups_from(images_.request.files.front(), schema.image, schema);
  schema.drop.clear();
  if (schema.join != schema.image) schema.drop = {schema.image};
  schema.image.clear();
  std::erase_if(schema.columns, [&](const auto& column) {
    return std::ranges::find(schema.sensitive, column.first, &SensitiveSpec::column) ==
           schema.sensitive.end();
  });
  if (features_.declared) {
    for (std::size_t j = 0; j < set_.classes.size(); ++j) {
      schema.columns[fmt::format("log_probability{}", j + 1)] = {
          .type = ColumnType::kNumeric, .bounds = std::pair(kLeastLogProbability, 0.0)};
    }
  }
  schema.format = {};
  schema.target = {.column = schema.target.column,
                   .positive = schema.target.positive,
                   .bins = {},
                   .values = set_.classes};
  choice.request.files = {file.string()};
  choice.images.clear();
  // Rows are distinct: they are dealt one by one, as they were to the network.
  choice.split = {.by_person = false, .by_duplicate = false};
  if (!digest_.empty()) {
    choice.note += fmt::format("{}features of a network, sha256 {}, in {}",
                               choice.note.empty() ? "" : "; ", digest_, file.filename().string());
  }
  return choice;
}

Result<std::string> EmbeddedImages::digest() const {
  return stamp_of({pixels_, labels_.filename().string(), digest_, network_.settings});
}

Result<EmbeddedImages::KeptNetwork> EmbeddedImages::kept_network(
    const std::string& kind, const NetworkSchedule& schedule,
    const std::vector<std::string>& made_of) const {
  const NetworkShape& shape = plan_.shape;
  std::vector<std::string> parts = {pixels_, dealt_, shape.model, shape.precision,
                                    fmt::format("{} {} {} {} {}", schedule.epochs, schedule.batch,
                                                schedule.rate, schedule.decay, schedule.seed)};
  parts.insert(parts.end(), made_of.begin(), made_of.end());
  DPFERMI_ASSIGN(std::string stamp, stamp_of(parts));
  fs::path path = kept_path(plan_.work, kind, stamp, ".network");
  return KeptNetwork{std::move(stamp), std::move(path)};
}

Result<fs::path> EmbeddedImages::trained(Observer& observer, const std::string& kind,
                                         const NetworkSchedule& schedule,
                                         const std::vector<std::string>& more,
                                         const std::vector<std::string>& made_of) const {
  DPFERMI_ASSIGN(KeptNetwork network, kept_network(kind, schedule, made_of));
  std::vector<std::string> words = {"--stamp", network.stamp};
  words.insert(words.end(), more.begin(), more.end());
  DPFERMI_TRY(workshop_.train(observer, labels_, schedule, network.path, words));
  return std::move(network.path);
}

Status EmbeddedImages::adopt(const fs::path& path, FeatureChoice features) {
  const NetworkShape& shape = plan_.shape;
  start_.file = path;
  features_ = features;
  DPFERMI_ASSIGN(network_, read_image_network(path, shape.model, shape.side));
  network_.target_bins = set_.bins;
  network_.pictures = features.pictures > 0;
  DPFERMI_ASSIGN(std::string theta, digest_of(network_.theta));
  DPFERMI_ASSIGN(digest_, stamp_of({network_.settings, std::move(theta)}));
  DPFERMI_ASSIGN(std::string rows, digest_of(set_.train));
  const std::string choice = fmt::format("{} {}", features.components, features.pictures);
  std::vector<std::string> parts = {digest_, pixels_, shape.precision, choice, std::move(rows)};
  for (const TextColumn& column : columns_of(set_, images_.request.schema)) {
    parts.push_back(column.name);
    DPFERMI_ASSIGN(std::string values, stamp_of(column.values));
    parts.push_back(std::move(values));
  }
  DPFERMI_ASSIGN(stamp_, stamp_of(parts));
  // A model names its table: the name may tell of nothing but the model.
  DPFERMI_ASSIGN(const std::string name, stamp_of({digest_, shape.precision, choice}));
  table_ = table_at(kept_path(plan_.work, kFeatureTable, name, ".csv"));
  network_.table = fs::path(table_.request.files.front()).filename().string();
  return {};
}

std::vector<fs::path> EmbeddedImages::table_files() const {
  const std::string& table = table_.request.files.front();
  return {table, table + ".components"};
}

Status EmbeddedImages::describe(Observer& observer) {
  const std::vector<fs::path> files = table_files();
  if (is_sealed(stamp_, files)) {
    DPFERMI_ASSIGN(network_.components, read_numbers(files.back()));
    return {};
  }
  DPFERMI_ASSIGN(network_.components, write_table(observer, files.front()));
  DPFERMI_TRY(write_numbers(files.back(), network_.components));
  return seal(stamp_, files);
}

Result<std::vector<float>> EmbeddedImages::write_table(Observer& observer,
                                                       const fs::path& table) const {
  DPFERMI_ASSIGN(const std::vector<float> features,
                 workshop_.features(observer, start_.file, network_.pictures));
  const std::size_t width = features.size() / set_.names.size();
  const std::size_t picture = network_.pictures ? picture_size(network_.side) : 0;
  const std::size_t channels = width - workshop_.classes() - picture;
  PrincipalComponents found = side_by_side(
      principal_components(features, width, channels, set_.train, features_.components),
      principal_components(std::span(features).subspan(channels), width, picture, set_.train,
                           features_.pictures));
  DPFERMI_TRY(
      write_feature_table(columns_of(set_, images_.request.schema), features, found, table));
  return std::move(found.map);
}

Result<std::vector<std::uint16_t>> EmbeddedImages::decisions(Observer& observer) const {
  DPFERMI_ASSIGN(const std::vector<float> said, workshop_.features(observer, start_.file, false));
  const std::size_t width = said.size() / set_.names.size();
  std::vector<std::uint16_t> decisions;
  for (const std::uint32_t row : set_.train) {
    const auto log_f = std::span(said).subspan(row * width, width).last(workshop_.classes());
    decisions.push_back(
        static_cast<std::uint16_t>(std::ranges::max_element(log_f) - log_f.begin()));
  }
  return decisions;
}

Result<EmbeddedImages> EmbeddedImages::tuned(Observer& observer,
                                             const ImageProxies& proxies) const {
  const std::size_t k = proxies.groups;
  const bool fits =
      proxies.proxy.size() == set_.train.size() * k &&
      std::ranges::equal(proxies.y, set_.train, {}, {}, [&](auto row) { return set_.y[row]; });
  if (!fits) return failed("the proxies are not those of the training images; train again");
  // Images that are not trained on have no part in it.
  std::vector<float> all(set_.y.size() * k);
  std::vector<std::uint16_t> conditions(set_.y.size());
  for (std::size_t i = 0; i < set_.y.size(); ++i) {
    conditions[i] = static_cast<std::uint16_t>(proxies.condition_by_label[set_.y[i]]);
  }
  for (std::size_t i = 0; i < set_.train.size(); ++i) {
    std::copy_n(proxies.proxy.begin() + static_cast<std::ptrdiff_t>(i * k), k,
                all.begin() + static_cast<std::ptrdiff_t>(set_.train[i] * k));
  }
  DPFERMI_ASSIGN(std::string shown, digest_of(all));
  DPFERMI_ASSIGN(std::string by_condition, digest_of(conditions));
  const fs::path groups = kept_path(plan_.work, "proxies", shown, ".f32");
  const fs::path by = kept_path(plan_.work, "conditions", by_condition, ".u16");
  DPFERMI_TRY(write_numbers(groups, all));
  DPFERMI_TRY(write_numbers(by, conditions));
  const std::string numbers =
      fmt::format("{} {} {} {}", k, proxies.lambda, proxies.tau, proxies.condition_count);
  DPFERMI_ASSIGN(
      const fs::path network,
      trained(observer, "tuned", plan_.tuning,
              {"--from", start_.file.string(), "--proxies", groups.string(), "--groups",
               std::to_string(k), "--lambda", fmt::format("{}", proxies.lambda), "--sharpness",
               fmt::format("{}", proxies.tau), "--conditions", by.string(), "--condition-count",
               std::to_string(proxies.condition_count)},
              {digest_, std::move(shown), std::move(by_condition), numbers}));
  EmbeddedImages result = *this;
  DPFERMI_TRY(result.adopt(network, {.components = 0, .declared = true}));
  return result;
}

Result<EmbeddedImages> EmbeddedImages::with_parameters(std::span<const double> theta,
                                                       const std::string& how) const {
  ImageNetwork network = network_;
  network.settings = how;
  network.theta.assign(theta.begin(), theta.end());
  DPFERMI_ASSIGN(std::string shown, digest_of(network.theta));
  DPFERMI_ASSIGN(const std::string stamp, stamp_of({digest_, std::move(shown), how}));
  const fs::path path = kept_path(plan_.work, "trained", stamp, ".network");
  DPFERMI_TRY(write_image_network(network, path));
  EmbeddedImages result = *this;
  DPFERMI_TRY(result.adopt(path, {.components = 0, .declared = true}));
  return result;
}

}  // namespace dpfermi::vision
