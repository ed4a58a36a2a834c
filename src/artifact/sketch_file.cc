#include "artifact/sketch_file.h"

#include <fmt/compile.h>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "artifact/framed_file.h"
#include "artifact/sketch_header.h"
#include "core/file.h"
#include "core/text.h"
#include "data/checksum.h"

namespace dpfermi {
namespace {

constexpr FileKind kSketch = {"dpfermi-sketch", "sketch file", "dpfermi sketch --out"};

/// Whether a map of this kind can have so many coordinates beside the columns.
bool possible(const FeatureMapSpec& spec, std::size_t classes) {
  if (spec.kind == FeatureKind::kEncoded) return spec.extra == 0;
  if (spec.kind == FeatureKind::kLabel) return spec.extra == classes - 1;
  return spec.extra <= SketchFeatures::kMostExtra;
}

/// Refuses a sketch whose parts do not fit each other.
Status check_sketch(const StoredSketch& stored) {
  const Sketch& sketch = stored.sketch;
  const std::string remedy = "; make the sketch again";
  if (stored.classes.size() < 2 || stored.groups.size() < 2 ||
      sketch.setting.favourable >= stored.classes.size() ||
      sketch.setting.notion == FairnessNotion::kNone) {
    return failed("has no use: it needs a fairness notion, two classes and two groups" + remedy);
  }
  if (!possible(sketch.features, stored.classes.size())) {
    return failed(fmt::format("features of kind '{}' with {} coordinates do not exist here{}",
                              to_string(sketch.features.kind), sketch.features.extra, remedy));
  }
  if (sketch.sums.conditions != sketch.setting.conditions() ||
      sketch.sums.size != stored.columns.size() + sketch.features.extra + 1) {
    return failed("its sums have another shape than its columns" + remedy);
  }
  const bool sound = sketch.features.clip_norm > 0 && sketch.features.kappa > 0 &&
                     sketch.sums.noise >= 0 && std::isfinite(sketch.features.clip_norm) &&
                     std::isfinite(sketch.features.kappa) && std::isfinite(sketch.sums.noise);
  if (!sound) return failed("its bounds or its noise are no numbers to work with" + remedy);
  if (sketch.statement.adjacency != Adjacency::kSensitive) {
    return failed("its statement is about another adjacency than sensitive" + remedy);
  }
  if (stored.encoding.has_value() == stored.parts.empty()) {
    return failed("its encoding and its list of parts belong together" + remedy);
  }
  return {};
}

/// The digest that the rows from `first` to `last` would have as a table of their own: units are
/// numbered in the order of their first rows.
Result<std::string> rows_fingerprint(const Dataset& data, const std::vector<std::string>& columns,
                                     std::size_t first, std::size_t last) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  constexpr std::uint32_t kUnseen = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> number(data.unit_count, kUnseen);
  std::uint32_t units = 0;
  for (std::size_t i = first; i < last; ++i) {
    std::uint32_t& unit = number[data.units[i]];
    if (unit == kUnseen) unit = units++;
  }
  Sha256 sum;
  for (const std::string& column : columns) sum.add(fmt::format("{}:{}", column.size(), column));
  sum.add(fmt::format(";{};{};{};", last - first, data.classes, units));
  std::string bytes;
  for (std::size_t i = first; i < last; ++i) {
    const HybridMatrix::Row row = data.x.row(i);
    for (const float value : row.numbers) append_float(bytes, value);
    bytes.append(reinterpret_cast<const char*>(row.ones.data()), row.ones.size_bytes());
    fmt::format_to(std::back_inserter(bytes), FMT_COMPILE("{},{};"), data.y[i],
                   number[data.units[i]]);
    if (bytes.size() < kPiece) continue;
    sum.add(bytes);
    bytes.clear();
  }
  sum.add(bytes);
  return sum.finish();
}

/// Whether the merged statement covers what people in several parts have spent: it does not where
/// the parts were declared to share nobody. Asked where an id column tells who is who.
Status check_overlap(const StoredSketch& stored, const Dataset& data) {
  const PrivacyCost whole = stored.sketch.statement.cost.value_or(PrivacyCost{});
  constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
  std::vector<std::size_t> latest(data.unit_count, kNone);
  std::vector<PrivacyCost> spent(data.unit_count, PrivacyCost{0, 0});
  std::size_t row = 0;
  for (std::size_t p = 0; p < stored.parts.size(); ++p) {
    const SketchPart& part = stored.parts[p];
    for (const std::size_t last = row + static_cast<std::size_t>(part.rows); row < last; ++row) {
      const std::uint32_t unit = data.units[row];
      const std::size_t before = std::exchange(latest[unit], p);
      if (before == p) continue;
      spent[unit].epsilon += part.cost.epsilon;
      spent[unit].delta += part.cost.delta;
      const bool covered = spent[unit].epsilon <= whole.epsilon && spent[unit].delta <= whole.delta;
      if (before == kNone || covered) continue;
      return usage_error(fmt::format(
          "{} and {} share a person, but were merged as parts that share none; merge them again "
          "without `disjoint`",
          printable(stored.parts[before].data), printable(part.data)));
    }
  }
  return {};
}

/// Every part's rows, in the order of the parts.
Status check_parts(const StoredSketch& stored, const Dataset& data,
                   const std::vector<std::string>& columns) {
  std::vector<std::string> titles;
  std::uint64_t rows = 0;
  for (const SketchPart& part : stored.parts) {
    titles.push_back(printable(part.data));
    rows += part.rows;
  }
  const std::string remedy = fmt::format("; put the rows of {} one after the other, in this order",
                                         fmt::join(titles, ", "));
  if (rows != data.rows()) {
    return usage_error(fmt::format("the sketch was made of {} rows, the table has {}{}",
                                   with_thousands(rows), with_thousands(data.rows()), remedy));
  }
  std::size_t first = 0;
  for (const SketchPart& part : stored.parts) {
    const std::size_t last = first + static_cast<std::size_t>(part.rows);
    DPFERMI_ASSIGN(const std::string found, rows_fingerprint(data, columns, first, last));
    if (found != part.fingerprint) {
      return usage_error(fmt::format("rows {} to {} are not those of {}{}",
                                     with_thousands(first + 1), with_thousands(last),
                                     printable(part.data), remedy));
    }
    first = last;
  }
  return data.persons ? check_overlap(stored, data) : Status();
}

Result<StoredSketch> decode_sketch_parts(std::string_view bytes) {
  DPFERMI_ASSIGN(const FramedParts parts, unframe(kSketch, bytes));
  DPFERMI_ASSIGN(StoredSketch stored, sketch_from_json(std::string(parts.header)));
  DPFERMI_TRY(check_sketch(stored));
  GroupSums& sums = stored.sketch.sums;
  // Divided, not multiplied: a header has room for names so many that the product would wrap.
  const std::size_t held = parts.numbers.size();
  const std::size_t vectors = sums.conditions * sums.groups;
  if (held % (8 * vectors) != 0 || held / (8 * vectors) != sums.size) {
    return failed(
        fmt::format("holds {} bytes of sums, its header says {} x {} numbers; make it again", held,
                    vectors, sums.size));
  }
  sums.sums.reserve(held / 8);
  for (std::size_t i = 0; i < held / 8; ++i) {
    sums.sums.push_back(double_at(parts.numbers, i));
    if (!std::isfinite(sums.sums.back())) {
      return failed("holds a sum that is not finite; make the sketch again");
    }
  }
  return stored;
}

}  // namespace

Result<std::string> public_fingerprint(const Dataset& data,
                                       const std::vector<std::string>& columns) {
  return rows_fingerprint(data, columns, 0, data.rows());
}

Schema protected_part(const Table& table) {
  const Schema whole = model_schema(table);
  Schema part;
  part.sensitive = whole.sensitive;
  for (const SensitiveSpec& spec : part.sensitive) {
    const auto found = whole.columns.find(spec.column);
    if (found != whole.columns.end()) part.columns.insert(*found);
  }
  return part;
}

void set_protected_part(const Schema& part, Schema& schema) {
  schema.sensitive = part.sensitive;
  for (const auto& [name, spec] : part.columns) schema.columns.insert_or_assign(name, spec);
}

Status check_same_data(const StoredSketch& stored, const Dataset& data,
                       const std::vector<std::string>& columns,
                       const std::vector<std::string>& classes) {
  const auto missing = [](const std::vector<std::string>& some,
                          const std::vector<std::string>& others) {
    return std::ranges::find_if(some,
                                [&](const std::string& name) { return !contains(others, name); });
  };
  if (const auto extra = missing(columns, stored.columns); extra != columns.end()) {
    return usage_error(fmt::format(
        "the sketch knows no input '{}'; read the table as it was read for the sketch (`drop` "
        "leaves a column out)",
        printable(*extra)));
  }
  if (const auto lost = missing(stored.columns, columns); lost != stored.columns.end()) {
    return usage_error(
        fmt::format("the sketch has an input '{}' that these data lack; read the table as it was "
                    "read for the sketch",
                    printable(*lost)));
  }
  if (classes != stored.classes) {
    return usage_error(
        fmt::format("the sketch is about '{}' with the classes {}; give the same target",
                    printable(stored.target), fmt::join(stored.classes, ", ")));
  }
  if (!stored.parts.empty()) return check_parts(stored, data, columns);
  DPFERMI_ASSIGN(const std::string fingerprint, public_fingerprint(data, columns));
  if (fingerprint == stored.fingerprint) return {};
  return usage_error(
      fmt::format("the sketch was made of other rows (or in another order) than these {}; give the "
                  "table that it was made of",
                  with_thousands(data.rows())));
}

Result<std::string> encode_sketch(const StoredSketch& stored) {
  DPFERMI_TRY(check_sketch(stored));
  DPFERMI_ASSIGN(const std::string header, header_to_json(stored));
  std::string numbers;
  numbers.reserve(8 * stored.sketch.sums.sums.size());
  for (const double value : stored.sketch.sums.sums) append_double(numbers, value);
  return frame(kSketch, header, numbers);
}

Result<StoredSketch> decode_sketch(std::string_view bytes, const std::string& origin) {
  auto stored = decode_sketch_parts(bytes);
  if (!stored) return tl::unexpected(in_file(origin, stored.error()));
  return stored;
}

Status write_sketch(const StoredSketch& stored, const std::filesystem::path& path) {
  DPFERMI_ASSIGN(const std::string bytes, encode_sketch(stored));
  DPFERMI_TRY(decode_sketch(bytes, path.string()));
  return write_file_atomically(path, bytes);
}

Result<StoredSketch> read_sketch(const std::filesystem::path& path) {
  DPFERMI_ASSIGN(const std::string bytes, read_framed(kSketch, path));
  return decode_sketch(bytes, path.string());
}

bool looks_like_sketch(const std::filesystem::path& path) {
  return begins_as(kSketch, path);
}

}  // namespace dpfermi
