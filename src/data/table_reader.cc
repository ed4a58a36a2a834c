#include "data/table_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "core/text.h"
#include "data/table_builder.h"

namespace dpfermi {
namespace {

/// Column types are settled on this many rows, or this many fields if that comes first.
constexpr std::size_t kSampleRows = BlockReader::kFirstRows;
constexpr std::size_t kSampleFields = 4'000'000;

std::size_t sample_rows(std::size_t columns) {
  return std::clamp<std::size_t>(kSampleFields / std::max<std::size_t>(columns, 1), 1, kSampleRows);
}

struct Sample {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::uint64_t> positions;
  std::size_t bytes = 0;  ///< of the rows, separators included
};

/// A sample ends after a number of fields, not of bytes: lengths of values may be protected.
Result<Sample> read_sample(RecordReader& reader) {
  Sample sample;
  const std::vector<ColumnKind> kinds = reader.kinds();
  if (std::ranges::count(kinds, ColumnKind::kOpen) == 0) return sample;
  const std::size_t rows = sample_rows(kinds.size());
  while (sample.rows.size() < rows) {
    DPFERMI_ASSIGN(const bool more, reader.next());
    if (!more) break;
    sample.rows.emplace_back(reader.fields().begin(), reader.fields().end());
    sample.positions.push_back(reader.position());
    for (const std::string_view field : reader.fields()) sample.bytes += field.size() + 1;
  }
  return sample;
}

Status add_sample(const RecordReader& reader, const Sample& sample, TableBuilder& builder) {
  for (std::size_t i = 0; i < sample.rows.size(); ++i) {
    const std::vector<std::string_view> fields(sample.rows[i].begin(), sample.rows[i].end());
    const Status added = builder.add_row(fields);
    if (!added) return tl::unexpected(reader.error_at(sample.positions[i], added.error()));
  }
  return {};
}

/// `block`: the one that was read already; null: none was.
Status add_blocks(BlockReader& reader, const RecordBlock* block, TableBuilder& builder) {
  std::uint64_t position = 0;
  while (true) {
    if (block == nullptr) {
      DPFERMI_ASSIGN(block, reader.next_block());
    }
    if (block->rows == 0) return {};
    DPFERMI_TRY(builder.add_block(*block, reader, position));
    position += block->rows;
    block = nullptr;
  }
}

Status add_rest(RecordReader& reader, TableBuilder& builder) {
  if (BlockReader* const blocks = reader.blocks()) return add_blocks(*blocks, nullptr, builder);
  while (true) {
    DPFERMI_ASSIGN(const bool more, reader.next());
    if (!more) return {};
    if (const Status added = builder.add_row(reader.fields()); !added) {
      return tl::unexpected(reader.error_at(reader.position(), added.error()));
    }
  }
}

/// Which columns hold numbers: by what is known of them or, where that is open, as `found` on the
/// first rows.
std::vector<bool> settle_numeric(const std::vector<ColumnKind>& kinds, std::vector<bool> found) {
  for (std::size_t c = 0; c < kinds.size(); ++c) {
    if (kinds[c] != ColumnKind::kOpen) found[c] = kinds[c] == ColumnKind::kNumber;
  }
  return found;
}

/// The first of the sources settles what the columns are. `alone`: it is the only one.
Status read_first(BlockReader& reader, const MissingMarkers& markers, bool alone,
                  std::optional<JoinedSensitive> joined, TableBuilder& builder) {
  const std::vector<ColumnKind> kinds = reader.kinds();
  DPFERMI_ASSIGN(const RecordBlock* const first, reader.next_block());
  const std::size_t rows = sample_rows(kinds.size());
  DPFERMI_TRY(builder.plan(reader, settle_numeric(kinds, numeric_columns(*first, rows, markers)),
                           std::move(joined)));
  if (alone) builder.reserve(reader.estimated_rows(0, 0));
  return add_blocks(reader, first, builder);
}

Status read_first(RecordReader& reader, const MissingMarkers& markers, bool alone,
                  std::optional<JoinedSensitive> joined, TableBuilder& builder) {
  if (BlockReader* const blocks = reader.blocks()) {
    return read_first(*blocks, markers, alone, std::move(joined), builder);
  }
  const std::vector<ColumnKind> kinds = reader.kinds();
  DPFERMI_ASSIGN(const Sample sample, read_sample(reader));
  std::vector<bool> found = numeric_columns(sample.rows, kinds.size(), markers);
  DPFERMI_TRY(builder.plan(reader, settle_numeric(kinds, std::move(found)), std::move(joined)));
  if (alone) builder.reserve(reader.estimated_rows(sample.rows.size(), sample.bytes));
  DPFERMI_TRY(add_sample(reader, sample, builder));
  return add_rest(reader, builder);
}

bool first_is_protected(const std::vector<std::string>& names, const Schema& schema) {
  return !names.empty() &&
         std::ranges::count(schema.sensitive, names.front(), &SensitiveSpec::column) > 0;
}

/// The order of rows is public: one that a reader makes may not follow from a protected column.
Status check_order(const RecordReader& reader, const Schema& schema) {
  for (const std::string& column : reader.ordered_by()) {
    if (std::ranges::count(schema.sensitive, column, &SensitiveSpec::column) == 0) continue;
    return usage_error(
        fmt::format("{}: its primary key contains the protected column '{}', so that the order of "
                    "its rows would tell about it; give a query with another ORDER BY",
                    reader.source_name(), printable(column)));
  }
  return {};
}

/// A comment is known by how its line begins, and so would be a value of a protected first column:
/// whether the row counts must not depend on it.
Status check_comments(const RecordReader& reader, const Schema& schema, bool told_by_count) {
  const bool unclear = first_is_protected(reader.names(), schema) && !told_by_count;
  if (schema.format.comment.empty() || !unclear) return {};
  return usage_error(
      fmt::format("{}: begins with the protected column '{}', so that comment lines cannot be told "
                  "from rows; leave out `format.comment`, or name the columns in `format.names`",
                  reader.source_name(), printable(reader.names().front())));
}

Result<JoinedSensitive> read_joined(const Schema& schema, const MissingMarkers& markers,
                                    TableSource source) {
  CsvFormat format = schema.format;
  format.names.clear();
  format.header = HeaderRule::kYes;
  format.delimiter.reset();
  const bool text = source.is_text();
  DPFERMI_ASSIGN(const auto opened, std::move(source).open(format, {}));
  RecordReader& reader = *opened;
  if (text) DPFERMI_TRY(check_comments(reader, schema, /*told_by_count=*/false));
  DPFERMI_TRY(check_order(reader, schema));
  const auto field_of = [&](const std::string& name) -> Result<std::size_t> {
    const auto found = std::ranges::find(reader.names(), name);
    if (found != reader.names().end())
      return static_cast<std::size_t>(found - reader.names().begin());
    const auto guess = nearest_name(name, reader.names());
    return failed(fmt::format("{}: has no column '{}'{}", reader.source_name(), name,
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

/// Refuses a schema that makes no sense, and reads the protected columns' own table, if any.
Result<std::optional<JoinedSensitive>> check_and_join(Schema& schema, const MissingMarkers& markers,
                                                      TableUse use,
                                                      std::optional<TableSource> sensitive,
                                                      Observer* observer) {
  DPFERMI_TRY(check_schema(schema));
  // Where records are protected, TableBuilder lists open groups with whatever else is open.
  const bool all_at_once = !features_are_public(schema.adjacency) && !schema.groups_from_data &&
                           schema.sensitive_file.empty();
  if (use != TableUse::kDescribe && !all_at_once) DPFERMI_TRY(check_groups_declared(schema));
  if (schema.sensitive_file.empty()) return std::nullopt;
  if (!sensitive) {
    DPFERMI_ASSIGN(sensitive, open_table(schema.sensitive_file, observer));
  }
  DPFERMI_ASSIGN(JoinedSensitive joined, read_joined(schema, markers, *std::move(sensitive)));
  if (schema.id.empty() && schema.join_names_persons) schema.id = schema.join;
  return joined;
}

HeaderHint header_hint(const Schema& schema, TableUse use) {
  return {named_columns(schema), !schema.sensitive.empty() && schema.sensitive_file.empty(),
          schema.sensitive_file.empty() && first_is_protected(schema.format.names, schema),
          use != TableUse::kFit};
}

}  // namespace

std::vector<std::string> named_columns(const Schema& schema) {
  std::vector<std::string> names = schema.drop;
  const auto add = [&](const std::string& name) {
    if (!name.empty()) names.push_back(name);
  };
  add(schema.target.column);
  add(schema.id);
  add(schema.image);
  add(schema.join);
  add(schema.weight);
  for (const std::string& name : schema.scores) add(name);
  for (const auto& [name, spec] : schema.columns) add(name);
  for (const SensitiveSpec& spec : schema.sensitive) {
    if (schema.sensitive_file.empty()) add(spec.column);
  }
  return names;
}

Result<Table> read_table(std::vector<TableSource> sources, const Schema& given, TableUse use,
                         std::optional<TableSource> sensitive, Observer* observer) {
  Schema schema = given;
  const bool all_text = std::ranges::all_of(sources, &TableSource::is_text);
  if (!all_text && !contains(schema.format.missing, "")) schema.format.missing.emplace_back();
  const MissingMarkers markers(schema.format.missing);
  DPFERMI_ASSIGN(std::optional<JoinedSensitive> joined,
                 check_and_join(schema, markers, use, std::move(sensitive), observer));
  TableBuilder builder(schema, use);
  const HeaderHint hint = header_hint(schema, use);
  std::vector<std::string> names;
  CsvFormat format = schema.format;
  for (TableSource& source : sources) {
    const bool text = source.is_text();
    DPFERMI_ASSIGN(const auto reader, std::move(source).open(format, hint));
    if (schema.sensitive_file.empty()) {
      if (text) DPFERMI_TRY(check_comments(*reader, schema, hint.first_is_protected));
      DPFERMI_TRY(check_order(*reader, schema));
    }
    if (names.empty()) {
      names = reader->names();
      format.names = names;
      DPFERMI_TRY(read_first(*reader, markers, sources.size() == 1,
                             std::exchange(joined, std::nullopt), builder));
      continue;
    }
    if (reader->names() != names) {
      return failed(fmt::format("{}: its columns differ from those of the first file",
                                reader->source_name()));
    }
    builder.start_source();
    DPFERMI_TRY(add_rest(*reader, builder));
  }
  return std::move(builder).finish();
}

Result<Table> read_table(std::vector<std::unique_ptr<ByteSource>> texts, const Schema& schema,
                         TableUse use) {
  return read_table(std::vector<TableSource>(std::make_move_iterator(texts.begin()),
                                             std::make_move_iterator(texts.end())),
                    schema, use);
}

Result<Table> read_table(const MemoryTable& memory, const Schema& schema, TableUse use,
                         std::optional<TableSource> sensitive) {
  DPFERMI_TRY(check_memory_table(memory));
  std::vector<TableSource> sources;
  sources.emplace_back(std::make_unique<MemoryReader>(memory));
  return read_table(std::move(sources), schema, use, std::move(sensitive));
}

Result<Table> read_table(const TableRequest& request) {
  if (request.memory) return read_table(*request.memory, request.schema, request.use);
  if (std::ranges::count(request.files, "-") + (request.schema.sensitive_file == "-" ? 1 : 0) > 1) {
    return usage_error("standard input can be read once; give one of the files a name");
  }
  std::vector<TableSource> sources;
  for (const std::string& file : request.files) {
    DPFERMI_ASSIGN(auto source, open_table(file, request.observer));
    sources.push_back(std::move(source));
  }
  return read_table(std::move(sources), request.schema, request.use, std::nullopt,
                    request.observer);
}

Result<std::vector<std::string>> read_column_names(const TableRequest& request) {
  if (request.memory) return MemoryReader(*request.memory).names();
  DPFERMI_ASSIGN(TableSource source, open_table(request.files.front(), request.observer));
  DPFERMI_ASSIGN(
      const auto reader,
      std::move(source).open(request.schema.format, header_hint(request.schema, request.use)));
  return reader->names();
}

}  // namespace dpfermi
