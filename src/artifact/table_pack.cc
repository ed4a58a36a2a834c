#include "artifact/table_pack.h"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <ostream>

#include "artifact/framed_file.h"
#include "core/file.h"
#include "core/mapped_file.h"
#include "data/column_builder.h"
#include "data/schema_json.h"
#include "preprocess/pipeline_json.h"

namespace dpfermi {
namespace {

constexpr FileKind kPack = {"dpfermi-pack", "pack", "dpfermi pack"};
constexpr std::size_t kAlignment = 64;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// What the arrays of one side hold.
struct SideShape {
  std::size_t rows = 0;
  std::size_t units = 0;
  bool persons = false;
  bool weights = false;
};

SideShape shape_of(const Dataset& data) {
  return {data.rows(), data.unit_count, data.persons, !data.weights.empty()};
}

Json json_of(const SideShape& side) {
  return {{"rows", side.rows},
          {"units", side.units},
          {"persons", side.persons},
          {"weights", side.weights}};
}

SideShape side_from_json(const Json& json) {
  const JsonFields fields(json, "a side of the pack", {"rows", "units", "persons", "weights"});
  return {fields.count("rows"), fields.count("units"), fields.flag("persons"),
          fields.flag("weights")};
}

/// How many columns of the matrix each category has, as the pipeline orders them.
std::vector<std::size_t> category_sizes(const Pipeline& pipeline) {
  std::vector<std::size_t> sizes;
  for (const NumericFeature& feature : pipeline.numeric()) {
    if (feature.missing_indicator) sizes.push_back(1);
  }
  for (const CategoryFeature& feature : pipeline.categories()) {
    sizes.push_back(feature.categories.values.size());
  }
  return sizes;
}

template <class Values>
std::string_view bytes_of(const Values& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(values[0])};
}

/// The arrays of one side, in the order of the file; empty ones are not there.
std::vector<std::string_view> arrays_of(const Dataset& data) {
  std::vector<std::string_view> arrays = {bytes_of(data.x.row_bytes()), bytes_of(data.y)};
  // A pack is for the holder of the data, as the table is.
  if (data.groups > 0) arrays.push_back(bytes_of(ExactForHolder::read(data.s)));
  if (data.persons) arrays.push_back(bytes_of(data.units));
  if (!data.weights.empty()) arrays.push_back(bytes_of(data.weights));
  return arrays;
}

Json json_of(const Labels& labels) {
  Json json = {{"classes", labels.classes},
               {"favourable", labels.positive},
               {"provenance", to_string(labels.classes_provenance)}};
  if (labels.threshold) json["threshold"] = *labels.threshold;
  return json;
}

Labels labels_from_json(const Json& json) {
  const JsonFields fields(json, "'labels'", {"classes", "favourable", "provenance", "threshold"});
  Labels labels;
  labels.classes = fields.texts("classes");
  labels.positive = fields.count("favourable");
  labels.threshold = fields.maybe_number("threshold");
  if (labels.classes.size() < 2 || labels.positive >= labels.classes.size()) {
    throw BadJson("the classes of the target are damaged; pack the table again");
  }
  for (const Provenance known : {Provenance::kPublic, Provenance::kGiven, Provenance::kReleased}) {
    if (fields.text("provenance") == to_string(known)) labels.classes_provenance = known;
  }
  return labels;
}

Json json_of(const TablePack& pack) {
  Json json = {{"title", pack.title},
               {"schema", json_of(pack.table.schema)},
               {"pipeline", json_of(pack.pipeline)},
               {"labels", json_of(pack.table.labels)},
               {"rows_dropped", pack.table.rows_dropped},
               {"split_seed", pack.split.seed},
               {"digests", pack.digests},
               {"train", json_of(shape_of(pack.train))}};
  if (pack.split.test_fraction) json["test_fraction"] = *pack.split.test_fraction;
  if (pack.test) json["test"] = json_of(shape_of(*pack.test));
  return json;
}

/// A pack without its rows, and what they are.
struct PackHeader {
  TablePack pack;
  SideShape train;
  std::optional<SideShape> test;
};

PackHeader header_from_json(const Json& json) {
  const JsonFields fields(json, "the pack",
                          {"title", "schema", "pipeline", "labels", "rows_dropped", "split_seed",
                           "test_fraction", "digests", "train", "test"});
  PackHeader header;
  TablePack& pack = header.pack;
  pack.title = fields.text("title");
  pack.table.schema = value_or_throw(parse_schema(fields.at("schema").dump(), "'schema'"));
  pack.table.labels = labels_from_json(fields.at("labels"));
  pack.table.rows_dropped = fields.count("rows_dropped");
  pack.table.domain = value_or_throw(declared_domain(pack.table.schema));
  pack.pipeline = value_or_throw(parse_pipeline(fields.at("pipeline").dump()));
  for (const NumericFeature& feature : pack.pipeline.numeric()) {
    pack.table.features.push_back({feature.column, NumericColumn{}});
  }
  for (const CategoryFeature& feature : pack.pipeline.categories()) {
    pack.table.features.push_back({feature.column, CategoryColumn{}});
  }
  pack.split = {fields.maybe_number("test_fraction"), fields.count("split_seed")};
  pack.digests = fields.texts("digests");
  header.train = side_from_json(fields.at("train"));
  if (fields.has("test")) header.test = side_from_json(fields.at("test"));
  pack.table.rows = header.train.rows + (header.test ? header.test->rows : 0);
  pack.table.unit_count = header.train.units + (header.test ? header.test->units : 0);
  return header;
}

/// Takes arrays one after the other from the numbers of a pack.
class ArrayReader {
 public:
  ArrayReader(const MappedFile& file, std::string_view numbers) : file_(file), numbers_(numbers) {}

  /// `count` entries of `size` bytes: where they begin in the file.
  Result<std::size_t> take(std::size_t count, std::size_t size) {
    if (count > numbers_.size() / std::max<std::size_t>(size, 1) ||
        aligned(count * size) > numbers_.size() - next_) {
      return failed("holds fewer rows than it says; pack the table again");
    }
    const std::size_t start = static_cast<std::size_t>(numbers_.data() - file_.bytes().data());
    const std::size_t place = start + next_;
    next_ += aligned(count * size);
    return place;
  }

  template <class Value>
  Result<std::vector<Value>> copy(std::size_t count) {
    DPFERMI_ASSIGN(const std::size_t place, take(count, sizeof(Value)));
    std::vector<Value> values(count);
    if (count > 0) std::memcpy(values.data(), file_.bytes().data() + place, count * sizeof(Value));
    return values;
  }

  bool ended() const { return next_ == numbers_.size(); }

 private:
  const MappedFile& file_;
  std::string_view numbers_;
  std::size_t next_ = 0;
};

template <class Value>
bool all_below(const std::vector<Value>& values, std::size_t limit) {
  return std::ranges::all_of(values, [&](Value value) { return value < limit; });
}

/// Whether a row keeps to its columns: what reads it later does not look.
bool fits(const HybridMatrix::Row& row, const HybridMatrix& x) {
  for (const float number : row.numbers) {
    if (!std::isfinite(number)) return false;
  }
  std::size_t first = x.number_count();
  for (std::size_t c = 0; c < row.ones.size(); ++c) {
    const std::size_t size = x.category_sizes()[c];
    const bool own = row.ones[c] >= first && row.ones[c] < first + size;
    if (!own && row.ones[c] != x.columns()) return false;
    first += size;
  }
  return true;
}

Status check_side(const Dataset& data) {
  bool whole = all_below(data.y, data.classes) && all_below(data.units, data.unit_count);
  whole = whole && (data.groups == 0 || all_below(ExactForHolder::read(data.s), data.groups));
  for (const float weight : data.weights) whole = whole && weight >= 0 && std::isfinite(weight);
  const HybridMatrix& x = data.x;
  for (std::size_t i = 0; whole && i < x.rows(); ++i) whole = fits(x.row(i), x);
  if (whole) return {};
  return failed("holds rows that do not fit its columns; pack the table again");
}

Result<Dataset> read_side(const SideShape& shape, const TablePack& pack, const MappedFile& file,
                          ArrayReader& arrays) {
  Dataset data;
  data.classes = pack.table.labels.classes.size();
  data.groups = pack.table.domain.size();
  data.persons = shape.persons;
  data.unit_count = shape.units;
  const std::size_t numbers = pack.pipeline.numeric().size();
  std::vector<std::size_t> sizes = category_sizes(pack.pipeline);
  const std::size_t stride = HybridMatrix(1, numbers, sizes).bytes();
  DPFERMI_ASSIGN(const std::size_t place, arrays.take(shape.rows, stride));
  data.x = HybridMatrix(shape.rows, numbers, std::move(sizes), file.share(place));
  DPFERMI_ASSIGN(data.y, arrays.copy<std::uint16_t>(shape.rows));
  if (data.groups > 0) {
    DPFERMI_ASSIGN(std::vector<std::uint16_t> groups, arrays.copy<std::uint16_t>(shape.rows));
    data.s = Protected(std::move(groups));
  }
  if (shape.persons) {
    DPFERMI_ASSIGN(data.units, arrays.copy<std::uint32_t>(shape.rows));
  } else {
    data.units.resize(shape.rows);
    std::iota(data.units.begin(), data.units.end(), 0U);
  }
  if (shape.weights) {
    DPFERMI_ASSIGN(data.weights, arrays.copy<float>(shape.rows));
  }
  DPFERMI_TRY(check_side(data));
  return data;
}

Result<TablePack> read_parts(const MappedFile& file) {
  DPFERMI_ASSIGN(const FramedParts parts, unframe(kPack, file.bytes()));
  DPFERMI_ASSIGN(PackHeader header, read_json(std::string(parts.header), header_from_json));
  if ((parts.numbers.data() - file.bytes().data()) % kAlignment != 0) {
    return failed("its rows do not begin where they should; pack the table again");
  }
  TablePack pack = std::move(header.pack);
  ArrayReader arrays(file, parts.numbers);
  DPFERMI_ASSIGN(pack.train, read_side(header.train, pack, file, arrays));
  if (header.test) {
    DPFERMI_ASSIGN(pack.test, read_side(*header.test, pack, file, arrays));
  }
  if (arrays.ended()) return pack;
  return failed("holds more rows than it says; pack the table again");
}

}  // namespace

Status write_pack(const TablePack& pack, const std::filesystem::path& path) {
  if (!pack.table.domain.declared()) {
    return usage_error(
        "a pack needs declared groups; leave out `groups_from_data` and declare them");
  }
  std::vector<std::string_view> arrays = arrays_of(pack.train);
  if (pack.test) {
    const std::vector<std::string_view> more = arrays_of(*pack.test);
    arrays.insert(arrays.end(), more.begin(), more.end());
  }
  return write_file_atomically(
      path,
      [&](std::ostream& out) {
        return write_framed(kPack, json_text(json_of(pack)), arrays, kAlignment, out);
      },
      FileAccess::kOwnerOnly);
}

Result<TablePack> open_pack(const std::filesystem::path& path) {
  DPFERMI_ASSIGN(const MappedFile file, MappedFile::open(path));
  Result<TablePack> pack = read_parts(file);
  if (!pack) return tl::unexpected(in_file(path.string(), pack.error()));
  return pack;
}

}  // namespace dpfermi
