#include "image_set.h"

#include <fmt/format.h>

#include <numeric>

#include "dpfermi/core/file.h"
#include "dpfermi/data/table_reader.h"
#include "dpfermi/image/distinct.h"
#include "dpfermi/image/image_pack.h"
#include "progress.h"

namespace dpfermi::cli {
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

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + '"';
}

}  // namespace

Status check_images(const TableChoice& choice) {
  const Schema& schema = choice.request.schema;
  if (schema.image.empty()) {
    return usage_error(
        "--model is for images: name the column of their files with --image-column, or leave it "
        "out");
  }
  if (!features_are_public(schema.adjacency)) {
    return usage_error(fmt::format(
        "under {} the network would need noise too; networks are trained under adjacency "
        "'sensitive'",
        to_string(schema.adjacency)));
  }
  if (schema.target.column.empty()) {
    return usage_error("name the column to predict with --target");
  }
  if (choice.request.files.size() != 1 || choice.request.files.front() == "-") {
    return usage_error("labels of images are read more than once; keep them in one file");
  }
  if (choice.images.empty()) return usage_error("name the folder or zip file with --images");
  return {};
}

Result<ImageSet> read_image_set(const TableChoice& choice, const SplitChoice& split) {
  TableRequest request = choice.request;
  request.schema = without_groups(request.schema);
  DPFERMI_ASSIGN(const Table table, read_table(request));
  std::vector<std::uint32_t> originals = table.units;
  if (originals.empty()) {
    DPFERMI_ASSIGN(const ImageSource source, ImageSource::open(choice.images));
    DPFERMI_ASSIGN(originals, identical_files(source, table.images));
  }
  ImageSet images;
  images.source = choice.images;
  images.classes = table.labels.classes;
  for (const std::uint32_t row : distinct_images(originals, table.labels.y)) {
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

Result<std::string> pack_image_set(const Context& context, const std::filesystem::path& source,
                                   const std::vector<std::string>& names, std::uint32_t side,
                                   unsigned threads, const std::filesystem::path& path) {
  const ImagePackRequest request{source, names, side};
  DPFERMI_ASSIGN(const std::string origin, pack_origin(request));
  if (std::filesystem::exists(path)) {
    const auto before = ImagePack::open(path);
    if (before && before->origin() == origin) return before->checksum();
  }
  Progress progress(context, "packing images");
  Workers workers(threads);
  return pack_images(request, path, &workers, [&](std::size_t done, std::size_t count) {
    progress.update(static_cast<double>(done), static_cast<double>(count));
  });
}

std::vector<std::uint16_t> training_labels(const ImageSet& images) {
  std::vector<std::uint16_t> labels(images.y.size(), kHeldOut);
  for (const std::uint32_t row : images.train) labels[row] = images.y[row];
  return labels;
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

}  // namespace dpfermi::cli
