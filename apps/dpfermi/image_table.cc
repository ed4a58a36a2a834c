#include "image_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "deep_files.h"
#include "dpfermi/image/picture.h"
#include "kept_files.h"

namespace dpfermi::cli {
namespace fs = std::filesystem;
namespace {

/// The range that is declared for log F where nothing may be computed from it, or nothing is yet.
constexpr double kLeastLogProbability = -30;

}  // namespace

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

Result<fs::path> EmbeddedImages::trained(const Context& context, const std::string& kind,
                                         const NetworkSchedule& schedule,
                                         const std::vector<std::string>& more,
                                         const std::vector<std::string>& made_of) const {
  DPFERMI_ASSIGN(KeptNetwork network, kept_network(kind, schedule, made_of));
  std::vector<std::string> words = {"--stamp", network.stamp};
  words.insert(words.end(), more.begin(), more.end());
  DPFERMI_TRY(workshop_.train(context, labels_, schedule, network.path, words));
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

Status EmbeddedImages::describe(const Context& context) {
  const std::vector<fs::path> files = table_files();
  if (is_sealed(stamp_, files)) {
    DPFERMI_ASSIGN(network_.components, read_numbers(files.back()));
    return {};
  }
  DPFERMI_ASSIGN(network_.components, write_table(context, files.front()));
  DPFERMI_TRY(write_numbers(files.back(), network_.components));
  return seal(stamp_, files);
}

Result<std::vector<float>> EmbeddedImages::write_table(const Context& context,
                                                       const fs::path& table) const {
  DPFERMI_ASSIGN(const std::vector<float> features,
                 workshop_.features(context, start_.file, network_.pictures));
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

Result<std::vector<std::uint16_t>> EmbeddedImages::decisions(const Context& context) const {
  DPFERMI_ASSIGN(const std::vector<float> said, workshop_.features(context, start_.file, false));
  const std::size_t width = said.size() / set_.names.size();
  std::vector<std::uint16_t> decisions;
  for (const std::uint32_t row : set_.train) {
    const auto log_f = std::span(said).subspan(row * width, width).last(workshop_.classes());
    decisions.push_back(
        static_cast<std::uint16_t>(std::ranges::max_element(log_f) - log_f.begin()));
  }
  return decisions;
}

Result<EmbeddedImages> EmbeddedImages::tuned(const Context& context,
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
      trained(context, "tuned", plan_.tuning,
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

}  // namespace dpfermi::cli
