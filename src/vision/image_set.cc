#include "vision/image_set.h"

#include <fmt/format.h>

#include <numeric>
#include <string_view>
#include <unordered_set>

#include "core/file.h"
#include "core/text.h"
#include "data/table_reader.h"
#include "vision/distinct.h"

namespace dpfermi::vision {
namespace {

constexpr std::uint16_t kHeldOut = 65535;

/// The schema of the same file without its protected columns: they are not even read.
Schema without_groups(Schema schema) {
  for (const SensitiveSpec& spec : schema.sensitive) {
    if (schema.sensitive_file.empty()) schema.drop.push_back(spec.column);
  }
  schema.sensitive.clear();
  schema.sensitive_file.clear();
  schema.join.clear();
  return schema;
}

/// Where images are public: one row per original, by the id or by the bytes of the files.
Result<std::vector<std::uint32_t>> rows_of_originals(const TableChoice& choice,
                                                     const Table& table) {
  std::vector<std::uint32_t> originals = table.units;
  if (originals.empty()) {
    DPFERMI_ASSIGN(const ImageSource source, ImageSource::open(choice.images));
    DPFERMI_ASSIGN(originals, identical_files(source, table.images));
  }
  return distinct_images(originals, table.labels.y);
}

/// Where records are protected: one row per unit.
Result<std::vector<std::uint32_t>> rows_of_units(const Table& table) {
  DPFERMI_TRY(check_complete(table));
  std::vector<std::uint32_t> units = table.units;
  if (units.empty()) {
    units.resize(table.rows);
    std::iota(units.begin(), units.end(), 0U);
  }
  std::vector<std::uint32_t> rows = first_images(units);
  std::unordered_set<std::string_view> names;
  for (const std::uint32_t row : rows) {
    if (names.insert(table.images[row]).second) continue;
    return failed(fmt::format("{}: is the image of two units; give each its own file",
                              printable(table.images[row])));
  }
  return rows;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

}  // namespace

Status check_images(const TableChoice& choice, const SplitChoice& split, bool whole_network) {
  const Schema& schema = choice.request.schema;
  if (schema.image.empty()) {
    return usage_error(
        "`shape.model` is for images: name the column of their files with `image`, or leave it "
        "out");
  }
  if (!features_are_public(schema.adjacency) && !whole_network) {
    return usage_error(fmt::format("under {} the network needs noise too; add `whole_network`",
                                   to_string(schema.adjacency)));
  }
  if (!schema.sensitive_features.empty()) {
    return usage_error("a network sees images alone; leave out `sensitive_features`");
  }
  DPFERMI_TRY(check_split(split, schema.adjacency));
  if (schema.target.column.empty()) {
    return usage_error("name the column to predict with `target`");
  }
  if (choice.request.files.size() != 1 || choice.request.files.front() == "-") {
    return usage_error("labels of images are read more than once; keep them in one file");
  }
  if (choice.images.empty()) return usage_error("name the folder or zip file with `images`");
  return {};
}

Result<ImageSet> read_image_set(const TableChoice& choice, const SplitChoice& split) {
  TableRequest request = choice.request;
  request.schema = without_groups(request.schema);
  DPFERMI_ASSIGN(const Table table, read_table(request));
  DPFERMI_ASSIGN(const std::vector<std::uint32_t> kept,
                 features_are_public(request.schema.adjacency) ? rows_of_originals(choice, table)
                                                               : rows_of_units(table));
  ImageSet images;
  images.source = choice.images;
  images.classes = table.labels.classes;
  images.bins = table.schema.target.bins;
  if (table.labels.threshold) images.bins = {*table.labels.threshold};
  for (const std::uint32_t row : kept) {
    images.names.push_back(table.images[row]);
    if (!table.units.empty()) images.persons.push_back(table.unit_names[table.units[row]]);
    images.y.push_back(table.labels.y[row]);
  }
  if (images.names.empty()) {
    return failed(
        fmt::format("{}: no image is left, since all are copies that disagree about '{}'; check "
                    "the labels",
                    choice.request.files.front(), table.schema.target.column));
  }
  std::vector<std::uint32_t> all(images.y.size());
  std::iota(all.begin(), all.end(), 0U);
  images.train = all;
  if (const double fraction = split.fraction(request.schema.adjacency); fraction > 0) {
    DPFERMI_ASSIGN(Split parts, split_rows(all, fraction, split.seed));
    images.train = std::move(parts.train);
  }
  return images;
}

std::string pixels_of_pack(const std::filesystem::path& path, const std::string& origin) {
  if (!std::filesystem::exists(path)) return "";
  const auto pack = ImagePack::open(path);
  return pack && pack->origin() == origin ? pack->checksum() : "";
}

Result<std::string> pack_image_set(Observer& observer, const ImagePackRequest& images,
                                   const std::string& origin, const std::filesystem::path& path) {
  constexpr unsigned kThreads = 2;
  ObservedTask task(observer, {"packing images"});
  Workers workers(kThreads);
  return pack_images(images, origin, path, &workers, [&](std::size_t done, std::size_t count) {
    task.advance(static_cast<double>(done), static_cast<double>(count));
  });
}

std::vector<std::uint16_t> training_labels(const ImageSet& images) {
  std::vector<std::uint16_t> labels(images.y.size(), kHeldOut);
  for (const std::uint32_t row : images.train) labels[row] = images.y[row];
  return labels;
}

void take_groups_from(const std::string& labels, const std::string& image_column, Schema& schema) {
  if (!schema.sensitive_file.empty() || schema.sensitive.empty()) return;
  schema.sensitive_file = labels;
  schema.join = image_column;
  schema.join_names_persons = false;
}

std::vector<TextColumn> columns_of(const ImageSet& images, const Schema& schema) {
  std::vector<TextColumn> columns = {{schema.image, images.names}};
  if (!schema.id.empty()) columns.push_back({schema.id, images.persons});
  if (!schema.target.column.empty()) {
    TextColumn target{schema.target.column, {}};
    for (const std::uint16_t y : images.y) target.values.push_back(images.classes[y]);
    columns.push_back(std::move(target));
  }
  return columns;
}

Status write_feature_table(const std::vector<TextColumn>& columns, std::span<const float> features,
                           const PrincipalComponents& components,
                           const std::filesystem::path& path) {
  const std::size_t rows = columns.front().values.size();
  const std::size_t width = features.size() / rows;
  const std::size_t classes = width - components.inputs;
  return write_file_atomically(path, [&](std::ostream& out) -> Status {
    std::string line;
    for (const TextColumn& column : columns) line += quoted(column.name) + ',';
    for (std::size_t j = 0; j < components.count(); ++j) line += fmt::format("component{},", j + 1);
    for (std::size_t j = 0; j < classes; ++j) line += fmt::format("log_probability{},", j + 1);
    line.back() = '\n';
    out << line;
    std::vector<float> values;
    for (std::size_t i = 0; i < rows; ++i) {
      const std::span<const float> said = features.subspan(i * width, width);
      values.clear();
      components.append(said, values);
      values.insert(values.end(), said.end() - static_cast<std::ptrdiff_t>(classes), said.end());
      line.clear();
      for (const TextColumn& column : columns) line += quoted(column.values[i]) + ',';
      for (const float value : values) fmt::format_to(std::back_inserter(line), "{:.7g},", value);
      line.back() = '\n';
      out << line;
    }
    return {};
  });
}

}  // namespace dpfermi::vision
