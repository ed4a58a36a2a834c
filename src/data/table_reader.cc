#include "data/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/text.h"
#include "data/csv_reader.h"
#include "data/table_builder.h"

namespace dpfermi {
namespace {

/// Column types are settled on this many rows, or this many fields if that comes first.
constexpr std::size_t kSampleRows = 10'000;
constexpr std::size_t kSampleFields = 4'000'000;

struct Sample {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::uint64_t> lines;
  std::size_t bytes = 0;  ///< of the rows, separators included
};

/// How many rows a file holds if the rest is like its start; 0 when its size is unknown.
std::size_t estimated_rows(const CsvReader& reader, const Sample& sample) {
  if (sample.bytes == 0) return 0;
  const double share = static_cast<double>(reader.size_hint()) / static_cast<double>(sample.bytes);
  return static_cast<std::size_t>(1.05 * share * static_cast<double>(sample.rows.size()));
}

/// A sample ends after a number of fields, not of bytes: lengths of values may be protected.
Result<Sample> read_sample(CsvReader& reader) {
  Sample sample;
  const std::size_t rows = std::clamp<std::size_t>(
      kSampleFields / std::max<std::size_t>(reader.names().size(), 1), 1, kSampleRows);
  while (sample.rows.size() < rows) {
    DPFERMI_ASSIGN(const bool more, reader.next());
    if (!more) break;
    sample.rows.emplace_back(reader.fields().begin(), reader.fields().end());
    sample.lines.push_back(reader.line());
    for (const std::string_view field : reader.fields()) sample.bytes += field.size() + 1;
  }
  return sample;
}

Status add_sample(const CsvReader& reader, const Sample& sample, TableBuilder& builder) {
  for (std::size_t i = 0; i < sample.rows.size(); ++i) {
    const std::vector<std::string_view> fields(sample.rows[i].begin(), sample.rows[i].end());
    if (const Status added = builder.add_row(fields); !added) {
      return tl::unexpected(reader.error_at(sample.lines[i], added.error()));
    }
  }
  return {};
}

Status add_rest(CsvReader& reader, TableBuilder& builder) {
  while (true) {
    DPFERMI_ASSIGN(const bool more, reader.next());
    if (!more) return {};
    if (const Status added = builder.add_row(reader.fields()); !added) {
      return tl::unexpected(reader.error_at(reader.position(), added.error()));
    }
  }
}

bool first_is_protected(const std::vector<std::string>& names, const Schema& schema) {
  return !names.empty() &&
         std::ranges::count(schema.sensitive, names.front(), &SensitiveSpec::column) > 0;
}

/// A comment is known by how its line begins, and so would be a value of a protected first column:
/// whether the row counts must not depend on it.
Status check_comments(const CsvReader& reader, const Schema& schema, bool told_by_count) {
  const bool unclear = first_is_protected(reader.names(), schema) && !told_by_count;
  if (schema.format.comment.empty() || !unclear) return {};
  return usage_error(
      fmt::format("{}: begins with the protected column '{}', so that comment lines cannot be told "
                  "from rows; leave out `format.comment`, or name the columns in `format.names`",
                  reader.source_name(), printable(reader.names().front())));
}

Result<JoinedSensitive> read_joined(const Schema& schema, const MissingMarkers& markers,
                                    std::unique_ptr<ByteSource> source) {
  CsvFormat format = schema.format;
  format.names.clear();
  format.header = HeaderRule::kYes;
  format.delimiter.reset();
  if (source == nullptr) {
    DPFERMI_ASSIGN(source, open_source(schema.sensitive_file));
  }
  DPFERMI_ASSIGN(CsvReader reader, CsvReader::open(std::move(source), format));
  DPFERMI_TRY(check_comments(reader, schema, /*told_by_count=*/false));
  const auto field_of = [&](const std::string& name) -> Result<std::size_t> {
    const auto found = std::ranges::find(reader.names(), name);
    if (found != reader.names().end())
      return static_cast<std::size_t>(found - reader.names().begin());
    const auto guess = nearest_name(name, reader.names());
    return failed(fmt::format("{}: has no column '{}'{}", schema.sensitive_file, name,
                              guess ? fmt::format("; did you mean '{}'?", *guess) : ""));
  };
  JoinedSensitive joined;
  std::vector<std::size_t> fields;
  DPFERMI_ASSIGN(const std::size_t key, field_of(schema.join));
  for (const SensitiveSpec& spec : schema.sensitive) {
    DPFERMI_ASSIGN(const std::size_t field, field_of(spec.column));
    fields.push_back(field);
    const auto known = schema.columns.find(spec.column);
    joined.columns.emplace_back(&markers, spec,
                                known == schema.columns.end() ? std::map<std::string, std::string>{}
                                                              : known->second.recode);
  }
  while (true) {
    DPFERMI_ASSIGN(const bool more, reader.next());
    if (!more) return joined;
    const std::size_t before = joined.keys.size();
    joined.keys.insert(reader.fields()[key]);
    if (joined.keys.size() == before) {
      return tl::unexpected(reader.error_here(
          fmt::format("'{}' appears a second time in column '{}'; keep one line for each",
                      printable(reader.fields()[key]), schema.join)));
    }
    for (std::size_t a = 0; a < fields.size(); ++a) {
      joined.columns[a].push(reader.fields()[fields[a]]);
    }
  }
}

/// Refuses a schema that makes no sense, and reads the protected columns' own file, if any.
Result<std::optional<JoinedSensitive>> check_and_join(Schema& schema, const MissingMarkers& markers,
                                                      TableUse use,
                                                      std::unique_ptr<ByteSource> sensitive) {
  DPFERMI_TRY(check_schema(schema));
  if (use != TableUse::kDescribe) DPFERMI_TRY(check_groups_declared(schema));
  if (schema.sensitive_file.empty()) return std::nullopt;
  DPFERMI_ASSIGN(JoinedSensitive joined, read_joined(schema, markers, std::move(sensitive)));
  if (schema.id.empty() && schema.join_names_persons) schema.id = schema.join;
  return joined;
}

}  // namespace

Result<Table> read_table(std::vector<std::unique_ptr<ByteSource>> sources, const Schema& given,
                         TableUse use, std::unique_ptr<ByteSource> sensitive) {
  Schema schema = given;
  const MissingMarkers markers(schema.format.missing);
  DPFERMI_ASSIGN(std::optional<JoinedSensitive> joined,
                 check_and_join(schema, markers, use, std::move(sensitive)));
  TableBuilder builder(schema, use);
  const HeaderHint hint{
      named_columns(schema), !schema.sensitive.empty() && schema.sensitive_file.empty(),
      schema.sensitive_file.empty() && first_is_protected(schema.format.names, schema),
      use == TableUse::kDescribe};
  std::vector<std::string> names;
  CsvFormat format = schema.format;
  for (auto& source : sources) {
    DPFERMI_ASSIGN(CsvReader reader, CsvReader::open(std::move(source), format, hint));
    if (schema.sensitive_file.empty()) {
      DPFERMI_TRY(check_comments(reader, schema, hint.first_is_protected));
    }
    if (names.empty()) {
      names = reader.names();
      format.names = names;
      DPFERMI_ASSIGN(const Sample sample, read_sample(reader));
      DPFERMI_TRY(builder.plan(reader, numeric_columns(sample.rows, names.size(), markers),
                               std::exchange(joined, std::nullopt)));
      if (sources.size() == 1) builder.reserve(estimated_rows(reader, sample));
      DPFERMI_TRY(add_sample(reader, sample, builder));
    } else if (reader.names() != names) {
      return failed(
          fmt::format("{}: its columns differ from those of the first file", reader.source_name()));
    }
    DPFERMI_TRY(add_rest(reader, builder));
  }
  return std::move(builder).finish();
}

Result<Table> read_table(const MemoryTable& memory, const Schema& given, TableUse use,
                         std::unique_ptr<ByteSource> sensitive) {
  DPFERMI_TRY(check_memory_table(memory));
  Schema schema = given;
  if (!contains(schema.format.missing, "")) schema.format.missing.emplace_back();
  const MissingMarkers markers(schema.format.missing);
  DPFERMI_ASSIGN(std::optional<JoinedSensitive> joined,
                 check_and_join(schema, markers, use, std::move(sensitive)));
  TableBuilder builder(schema, use);
  MemoryReader reader(memory);
  DPFERMI_TRY(builder.plan(reader, reader.numeric(), std::move(joined)));
  builder.reserve(memory.rows);
  DPFERMI_ASSIGN(const std::vector<std::size_t> taken, builder.take_columns(reader));
  reader.skip(taken);
  while (true) {
    DPFERMI_ASSIGN(const bool more, reader.next());
    if (!more) return std::move(builder).finish();
    if (const Status added = builder.add_row(reader.fields()); !added) {
      return tl::unexpected(reader.error_at(reader.position(), added.error()));
    }
  }
}

Result<Table> read_table(const TableRequest& request) {
  if (request.memory) return read_table(*request.memory, request.schema, request.use);
  if (std::ranges::count(request.files, "-") + (request.schema.sensitive_file == "-" ? 1 : 0) > 1) {
    return usage_error("standard input can be read once; give one of the files a name");
  }
  std::vector<std::unique_ptr<ByteSource>> sources;
  for (const std::string& file : request.files) {
    DPFERMI_ASSIGN(auto source, open_source(file));
    sources.push_back(std::move(source));
  }
  return read_table(std::move(sources), request.schema, request.use);
}

}  // namespace dpfermi
