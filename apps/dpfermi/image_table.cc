#include "image_table.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <span>

#include "component.h"
#include "dpfermi/core/file.h"
#include "dpfermi/core/text.h"
#include "dpfermi/data/checksum.h"
#include "dpfermi/data/table_reader.h"
#include "dpfermi/image/distinct.h"
#include "dpfermi/image/image_pack.h"
#include "progress.h"

namespace dpfermi::cli {
namespace fs = std::filesystem;
namespace {

constexpr std::uint16_t kHeldOut = 65535;

/// The images that are kept, and what is public about each.
struct Images {
  std::vector<std::string> names, persons;
  std::vector<std::uint16_t> y;
  std::vector<std::string> classes;
  std::vector<std::uint32_t> train;
};

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

Result<Images> read_images(const TableChoice& choice, const SplitChoice& split) {
  TableRequest request = choice.request;
  request.schema = without_groups(request.schema);
  DPFERMI_ASSIGN(const Table table, read_table(request));
  std::vector<std::uint32_t> originals = table.units;
  if (originals.empty()) {
    DPFERMI_ASSIGN(const ImageSource source, ImageSource::open(choice.images));
    DPFERMI_ASSIGN(originals, identical_files(source, table.images));
  }
  Images images;
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

Status pack(const Context& context, const Images& images, const fs::path& source,
            std::uint32_t side, unsigned threads, const fs::path& path) {
  const ImagePackRequest request{source, images.names, side};
  DPFERMI_ASSIGN(const std::string origin, pack_origin(request));
  if (fs::exists(path)) {
    const auto before = ImagePack::open(path);
    if (before && before->origin() == origin) return {};
  }
  Progress progress(context, "packing images");
  Workers workers(threads);
  return pack_images(request, path, &workers, [&](std::size_t done, std::size_t count) {
    progress.update(static_cast<double>(done), static_cast<double>(count));
  });
}

Status write_labels(const Images& images, const fs::path& path) {
  std::vector<std::uint16_t> labels(images.y.size(), kHeldOut);
  for (const std::uint32_t row : images.train) labels[row] = images.y[row];
  return write_file_atomically(
      path, std::string_view(reinterpret_cast<const char*>(labels.data()), 2 * labels.size()));
}

/// One line per image: file, person, class, features.
Status write_table(const Images& images, const Schema& schema, const std::string& features,
                   const fs::path& path) {
  const std::size_t rows = images.names.size();
  const std::size_t width = features.size() / sizeof(float) / rows;
  const auto* values = reinterpret_cast<const float*>(features.data());
  const auto quoted = [](const std::string& text) {
    std::string out = "\"";
    for (const char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
    return out + '"';
  };
  return write_file_atomically(path, [&](std::ostream& out) -> Status {
    out << quoted(schema.image);
    if (!schema.id.empty()) out << ',' << quoted(schema.id);
    out << ',' << quoted(schema.target.column);
    for (std::size_t j = 0; j < width; ++j) out << ",feature" << j + 1;
    out << '\n';
    for (std::size_t i = 0; i < rows; ++i) {
      std::string line = quoted(images.names[i]);
      if (!schema.id.empty()) line += ',' + quoted(images.persons[i]);
      line += ',' + quoted(images.classes[images.y[i]]);
      for (std::size_t j = 0; j < width; ++j) line += fmt::format(",{:.7g}", values[i * width + j]);
      out << line << '\n';
    }
    return {};
  });
}

/// The table of features: protected columns come from the file of the labels.
TableChoice table_of(const TableChoice& images, const Images& kept, const fs::path& table,
                     const std::string& network) {
  TableChoice choice = images;
  Schema& schema = choice.request.schema;
  if (schema.sensitive_file.empty() && !schema.sensitive.empty()) {
    schema.sensitive_file = images.request.files.front();
    schema.join = schema.image;
  }
  schema.drop.clear();
  if (schema.join != schema.image) schema.drop = {schema.image};
  schema.image.clear();
  schema.columns.clear();
  schema.format = {};
  schema.target = {.column = schema.target.column,
                   .positive = schema.target.positive,
                   .bins = {},
                   .values = kept.classes};
  choice.request.files = {table.string()};
  choice.images.clear();
  // Rows are distinct: they are dealt one by one, as they were to the network.
  choice.split = {.by_person = false, .by_duplicate = false};
  choice.note += fmt::format("{}features of a public network, sha256 {}",
                             choice.note.empty() ? "" : "; ", network);
  return choice;
}

}  // namespace

void ImageOptions::add_to(CLI::App& verb) {
  const std::string where = "Images (with the optional component dpfermi-deep; docs/deep.md)";
  verb.add_option("--model", model_, "A network that turns images into features: vgg9 or small")
      ->group(where);
  verb.add_option("--images", images_, "Folder or zip file of JPEGs (default: the data set's)")
      ->group(where);
  verb.add_option("--image-column", column_, "The column of their names")->group(where);
  verb.add_option("--side", side_, "Pixels a side: images are reduced to it by eighths")
      ->check(whole_from_one(4096))
      ->capture_default_str()
      ->group(where);
  verb.add_option("--network-epochs", epochs_, "Passes over the training images")
      ->check(whole_from_one(100'000))
      ->capture_default_str()
      ->group(where);
  verb.add_option("--network-batch", batch_, "Images a step")
      ->check(whole_from_one(65'535))
      ->capture_default_str()
      ->group(where);
  verb.add_option("--network-rate", rate_, "Step size of Adam at the start")
      ->capture_default_str()
      ->group(where);
  verb.add_option("--network-seed", seed_, "Of its start and the order of images; public")
      ->check(whole_number())
      ->capture_default_str()
      ->group(where);
  verb.add_option("--device", device_, "cpu or gpu")->capture_default_str()->group(where);
  verb.add_option("--precision", precision_, "float32, tf32 or bf16")
      ->capture_default_str()
      ->group(where);
  verb.add_option("--work", work_,
                  "Folder of the pack, the network and the features (default: OUT.work)")
      ->group(where);
}

Result<TableChoice> ImageOptions::embed(const Context& context, const TableChoice& images,
                                        const SplitChoice& split,
                                        const std::string& otherwise) const {
  TableChoice choice = images;
  if (!column_.empty()) choice.request.schema.image = column_;
  if (!images_.empty()) choice.images = images_;
  const Schema& schema = choice.request.schema;
  DPFERMI_TRY(check_images(choice));
  DPFERMI_ASSIGN(const std::string program, find_component());
  DPFERMI_ASSIGN(const Images kept, read_images(choice, split));
  context.note(fmt::format("{} distinct images, {} of them for training",
                           with_thousands(kept.names.size()), with_thousands(kept.train.size())));

  const fs::path work = work_.empty() ? otherwise : work_;
  std::error_code wrong;
  fs::create_directories(work, wrong);
  if (wrong) return failed(fmt::format("{}: cannot be made; choose another --work", work.string()));
  const fs::path packed = work / fmt::format("images-{}.pack", side_);
  DPFERMI_TRY(pack(context, kept, choice.images, side_, threads_, packed));
  const fs::path labels = work / fmt::format("labels-{}.u16", split.seed);
  DPFERMI_TRY(write_labels(kept, labels));

  const std::vector<std::string> common = {"--images",    packed.string(),
                                           "--model",     model_,
                                           "--side",      std::to_string(side_),
                                           "--classes",   std::to_string(kept.classes.size()),
                                           "--device",    device_,
                                           "--precision", precision_};
  const auto run = [&](const std::string& verb, std::vector<std::string> words) {
    words.insert(words.begin(), verb);
    words.insert(words.end(), common.begin(), common.end());
    return run_component(context, program, words);
  };
  DPFERMI_ASSIGN(const std::string shown, sha256_of_file(labels));
  const fs::path network =
      work / fmt::format("{}-{}-{}-{}.network", model_, side_, seed_, shown.substr(0, 8));
  DPFERMI_TRY(run("train", {"--labels", labels.string(), "--epochs", std::to_string(epochs_),
                            "--batch", std::to_string(batch_), "--rate", fmt::format("{}", rate_),
                            "--seed", std::to_string(seed_), "--out", network.string()}));
  DPFERMI_ASSIGN(const std::string digest, sha256_of_file(network));
  const fs::path table = work / fmt::format("features-{}.csv", digest.substr(0, 16));
  if (!fs::exists(table)) {
    const fs::path raw = work / "features.f32";
    DPFERMI_TRY(run("features", {"--network", network.string(), "--out", raw.string()}));
    DPFERMI_ASSIGN(const std::string features, read_text_file(raw));
    fs::remove(raw, wrong);
    DPFERMI_TRY(write_table(kept, schema, features, table));
  }
  return table_of(choice, kept, table, digest);
}

}  // namespace dpfermi::cli
