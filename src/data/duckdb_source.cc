#include "data/duckdb_source.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <limits>
#include <optional>
#include <set>

#include "core/text.h"
#include "data/duckdb_api.h"

namespace dpfermi {
namespace duckdb {

Result<Api> Api::load() {
  std::vector<std::string> names = {"libduckdb.so"};
  if (const char* const given = std::getenv("DPFERMI_DUCKDB")) names = {given};
  const auto library = SharedLibrary::open(names);
  if (!library) {
    return failed(fmt::format(
        "Parquet and DuckDB files are read through libduckdb, which cannot be loaded ({}); get "
        "libduckdb.so from duckdb.org, or from npm as @duckdb/node-bindings-linux-x64, and set "
        "DPFERMI_DUCKDB to its path",
        library.error().message));
  }
  Api api{};
#define DPFERMI_FIND(name) DPFERMI_TRY(library->find("duckdb_" #name, api.name))
  DPFERMI_FIND(create_config);
  DPFERMI_FIND(set_config);
  DPFERMI_FIND(destroy_config);
  DPFERMI_FIND(open_ext);
  DPFERMI_FIND(close);
  DPFERMI_FIND(connect);
  DPFERMI_FIND(disconnect);
  DPFERMI_FIND(free);
  DPFERMI_FIND(query);
  DPFERMI_FIND(destroy_result);
  DPFERMI_FIND(column_count);
  DPFERMI_FIND(column_name);
  DPFERMI_FIND(column_type);
  DPFERMI_FIND(result_error);
  DPFERMI_FIND(prepare);
  DPFERMI_FIND(destroy_prepare);
  DPFERMI_FIND(execute_prepared_streaming);
  DPFERMI_FIND(fetch_chunk);
  DPFERMI_FIND(data_chunk_get_size);
  DPFERMI_FIND(data_chunk_get_vector);
  DPFERMI_FIND(destroy_data_chunk);
  DPFERMI_FIND(vector_get_data);
  DPFERMI_FIND(vector_get_validity);
#undef DPFERMI_FIND
  return api;
}

}  // namespace duckdb

namespace {

/// How a column is fetched: three representations hold every type.
enum class Fetched { kInteger, kDouble, kText };

Fetched fetched_as(duckdb::Type type) {
  switch (type) {
    case duckdb::Type::kTinyint:
    case duckdb::Type::kSmallint:
    case duckdb::Type::kInteger:
    case duckdb::Type::kBigint:
    case duckdb::Type::kUtinyint:
    case duckdb::Type::kUsmallint:
    case duckdb::Type::kUinteger:
      return Fetched::kInteger;
    case duckdb::Type::kFloat:
    case duckdb::Type::kDouble:
    case duckdb::Type::kDecimal:
      return Fetched::kDouble;
    default:
      return Fetched::kText;
  }
}

std::string in_quotes(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote) result += quote;
    result += c;
  }
  return result + quote;
}

/// A float goes through its decimal text, as it does in a text file: 0.1F is 0.1, not
/// 0.10000000149.
std::string cast_of(const std::string& name, duckdb::Type type) {
  const std::string column = in_quotes(name, '"');
  if (type == duckdb::Type::kFloat) return fmt::format("{}::VARCHAR::DOUBLE", column);
  switch (fetched_as(type)) {
    case Fetched::kInteger:
      return fmt::format("{}::BIGINT", column);
    case Fetched::kDouble:
      return fmt::format("{}::DOUBLE", column);
    case Fetched::kText:
      break;
  }
  return fmt::format("{}::VARCHAR", column);
}

/// A database that is open to be read, closed when the last reader of it is gone.
struct Database {
  explicit Database(const duckdb::Api& functions) : api(functions) {}
  ~Database() {
    if (connection != nullptr) api.disconnect(&connection);
    if (database != nullptr) api.close(&database);
  }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  Status open(const char* path, bool is_file, const std::string& title);

  duckdb::Api api;
  duckdb::Handle database = nullptr;
  duckdb::Handle connection = nullptr;
};

/// The first line of what DuckDB says before a row is read: it is about names and files.
std::string first_line(const char* message) {
  const std::string_view text = message != nullptr ? message : "unknown failure";
  return printable(text.substr(0, text.find('\n')), 300);
}

Status Database::open(const char* path, bool is_file, const std::string& title) {
  duckdb::Handle config = nullptr;
  if (api.create_config(&config) != 0) return failed("DuckDB could not start: out of memory");
  api.set_config(config, "autoinstall_known_extensions", "false");
  api.set_config(config, "autoload_known_extensions", "false");
  if (is_file) {
    api.set_config(config, "access_mode", "READ_ONLY");
    api.set_config(config, "enable_external_access", "false");
  }
  char* error = nullptr;
  const duckdb::State opened = api.open_ext(path, &database, config, &error);
  api.destroy_config(&config);
  const std::string reason = opened == 0 ? "" : first_line(error);
  if (error != nullptr) api.free(error);
  if (opened != 0) return failed(fmt::format("{}: DuckDB cannot open it: {}", title, reason));
  if (api.connect(database, &connection) == 0) return {};
  return failed("DuckDB could not start: out of memory");
}

struct DuckColumns {
  std::vector<std::string> names;
  std::vector<Fetched> fetched;
};

class DuckReader final : public RecordReader {
 public:
  DuckReader(std::shared_ptr<Database> database, DuckColumns columns, std::string title)
      : database_(std::move(database)),
        columns_(std::move(columns)),
        title_(std::move(title)),
        vectors_(columns_.names.size()),
        texts_(columns_.names.size()),
        fields_(columns_.names.size()),
        numbers_(columns_.names.size(), std::numeric_limits<double>::quiet_NaN()) {
    for (std::size_t c = 0; c < vectors_.size(); ++c) vectors_[c].fetched = columns_.fetched[c];
  }
  ~DuckReader() override {
    drop_chunk();
    if (running_) database_->api.destroy_result(&result_);
  }
  DuckReader(const DuckReader&) = delete;
  DuckReader& operator=(const DuckReader&) = delete;

  Status start(const std::string& query);

  const std::vector<std::string>& names() const override { return columns_.names; }
  const std::string& source_name() const override { return title_; }
  std::vector<ColumnKind> kinds() const override;
  Result<bool> next() override;
  const std::vector<std::string_view>& fields() const override { return fields_; }
  std::span<const double> numbers() const override { return numbers_; }
  void skip_texts(const std::vector<std::size_t>& fields) override;
  std::uint64_t position() const override { return row_; }
  std::string place(std::uint64_t position) const override {
    return fmt::format("{}, row {}", title_, position);
  }

 private:
  /// A column, and where it is in the current chunk.
  struct Vector {
    Fetched fetched = Fetched::kText;
    bool skipped = false;  ///< see skip_texts
    const void* data = nullptr;
    const std::uint64_t* validity = nullptr;  ///< one bit a row; null: nothing is missing
  };

  Result<bool> next_chunk();
  void drop_chunk() {
    if (chunk_ != nullptr) database_->api.destroy_data_chunk(&chunk_);
  }
  void take_cell(std::size_t column, std::size_t row);

  std::shared_ptr<Database> database_;
  DuckColumns columns_;
  std::string title_;
  duckdb::QueryResult result_{};
  bool running_ = false;
  duckdb::Handle chunk_ = nullptr;
  std::size_t chunk_rows_ = 0;
  std::size_t chunk_next_ = 0;
  std::vector<Vector> vectors_;
  std::vector<std::string> texts_;  ///< of numbers
  std::vector<std::string_view> fields_;
  std::vector<double> numbers_;
  std::uint64_t row_ = 0;
  bool ended_ = false;
};

Error failed_while_reading(const std::string& title) {
  return {ErrorKind::kFailed,
          fmt::format("{}: DuckDB failed while it read rows: the file is damaged, or the query "
                      "asks for what a value does not allow (its message may quote the value and "
                      "is not shown); try it with duckdb",
                      title)};
}

Status DuckReader::start(const std::string& query) {
  const duckdb::Api& api = database_->api;
  duckdb::Handle statement = nullptr;
  const bool prepared = api.prepare(database_->connection, query.c_str(), &statement) == 0;
  running_ = prepared;
  const bool started = prepared && api.execute_prepared_streaming(statement, &result_) == 0;
  api.destroy_prepare(&statement);
  if (started) return {};
  return tl::unexpected(failed_while_reading(title_));
}

std::vector<ColumnKind> DuckReader::kinds() const {
  std::vector<ColumnKind> kinds;
  for (const Fetched fetched : columns_.fetched) {
    kinds.push_back(fetched == Fetched::kText ? ColumnKind::kOpen : ColumnKind::kNumber);
  }
  return kinds;
}

void DuckReader::skip_texts(const std::vector<std::size_t>& fields) {
  for (const std::size_t field : fields) {
    vectors_[field].skipped = columns_.fetched[field] != Fetched::kText;
    if (vectors_[field].skipped) fields_[field] = {};
  }
}

Result<bool> DuckReader::next_chunk() {
  const duckdb::Api& api = database_->api;
  drop_chunk();
  chunk_rows_ = chunk_next_ = 0;
  chunk_ = api.fetch_chunk(result_);
  if (chunk_ == nullptr) {
    // Both the end and a failure give no chunk.
    const char* const error = api.result_error(&result_);
    if (error != nullptr && *error != '\0') return tl::unexpected(failed_while_reading(title_));
    return false;
  }
  chunk_rows_ = api.data_chunk_get_size(chunk_);
  for (std::size_t c = 0; c < vectors_.size(); ++c) {
    const duckdb::Handle vector = api.data_chunk_get_vector(chunk_, c);
    vectors_[c].data = api.vector_get_data(vector);
    vectors_[c].validity = api.vector_get_validity(vector);
  }
  return chunk_rows_ > 0;
}

/// Texts that need no trimming are the rule.
std::string_view trimmed(std::string_view text) {
  const bool clean = text.empty() || !(is_blank(text.front()) || is_blank(text.back()));
  return clean ? text : trim(text);
}

inline void DuckReader::take_cell(std::size_t column, std::size_t row) {
  const Vector& vector = vectors_[column];
  if (vector.validity != nullptr && (vector.validity[row / 64] >> (row % 64) & 1) == 0) {
    fields_[column] = {};
    numbers_[column] = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  if (vector.fetched == Fetched::kText) {
    fields_[column] = trimmed(static_cast<const duckdb::Text*>(vector.data)[row].view());
    return;
  }
  std::string& text = texts_[column];
  text.clear();
  if (vector.fetched == Fetched::kInteger) {
    const auto cell = static_cast<const std::int64_t*>(vector.data)[row];
    numbers_[column] = static_cast<double>(cell);
    if (vector.skipped) return;
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), cell);
  } else {
    const double cell = static_cast<const double*>(vector.data)[row];
    numbers_[column] = cell;
    if (vector.skipped) return;
    fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), cell);
  }
  fields_[column] = text;
}

Result<bool> DuckReader::next() {
  if (ended_) return false;
  if (chunk_next_ == chunk_rows_) {
    DPFERMI_ASSIGN(const bool more, next_chunk());
    ended_ = !more;
    if (ended_) return false;
  }
  for (std::size_t c = 0; c < fields_.size(); ++c) take_cell(c, chunk_next_);
  ++chunk_next_;
  ++row_;
  return true;
}

class DuckSource final : public RecordSource {
 public:
  DuckSource(std::shared_ptr<Database> database, std::string rows, std::string title)
      : database_(std::move(database)), rows_(std::move(rows)), title_(std::move(title)) {}

  Result<std::unique_ptr<RecordReader>> read() override {
    if (casts_.empty()) DPFERMI_TRY(settle_columns());
    auto reader = std::make_unique<DuckReader>(database_, columns_, title_);
    DPFERMI_TRY(reader->start(fmt::format("SELECT {} FROM {}", casts_, rows_)));
    return reader;
  }

 private:
  Status settle_columns() {
    const duckdb::Api& api = database_->api;
    duckdb::QueryResult none{};
    const std::string query = fmt::format("SELECT * FROM {} LIMIT 0", rows_);
    const bool answered = api.query(database_->connection, query.c_str(), &none) == 0;
    const Status settled =
        answered ? take_columns(none)
                 : failed(fmt::format("{}: {}", title_, first_line(api.result_error(&none))));
    api.destroy_result(&none);
    return settled;
  }

  Status take_columns(duckdb::QueryResult& result) {
    const duckdb::Api& api = database_->api;
    std::set<std::string> seen;
    std::string casts;
    for (std::uint64_t c = 0; c < api.column_count(&result); ++c) {
      const std::string name = api.column_name(&result, c);
      if (!seen.insert(name).second) {
        return failed(fmt::format("{}: the column name '{}' appears twice; rename one of them",
                                  title_, printable(name)));
      }
      const duckdb::Type type = api.column_type(&result, c);
      casts += (c == 0 ? "" : ", ") + cast_of(name, type);
      columns_.names.push_back(name);
      columns_.fetched.push_back(fetched_as(type));
    }
    casts_ = std::move(casts);
    return {};
  }

  std::shared_ptr<Database> database_;
  std::string rows_;  ///< what stands behind FROM
  std::string title_;
  std::string casts_;
  DuckColumns columns_;
};

Result<std::shared_ptr<RecordSource>> make_source(const char* path, bool is_file, std::string rows,
                                                  const std::string& title) {
  DPFERMI_ASSIGN(const duckdb::Api api, duckdb::Api::load());
  auto database = std::make_shared<Database>(api);
  DPFERMI_TRY(database->open(path, is_file, title));
  return std::make_shared<DuckSource>(std::move(database), std::move(rows), title);
}

}  // namespace

Result<std::shared_ptr<RecordSource>> open_parquet(const std::vector<std::string>& files,
                                                   const std::string& title) {
  std::vector<std::string> names;
  for (const std::string& file : files) names.push_back(in_quotes(file, '\''));
  return make_source(
      ":memory:", false,
      fmt::format("read_parquet([{}], hive_partitioning = false)", fmt::join(names, ", ")), title);
}

Result<std::shared_ptr<RecordSource>> open_duckdb(const TableAddress& address,
                                                  const std::string& title) {
  if (std::error_code ignored; !std::filesystem::is_regular_file(address.place, ignored)) {
    return failed(fmt::format("{}: no such file", address.place));
  }
  if (!address.query.empty()) {
    DPFERMI_TRY(check_ordered(address.query));
    return make_source(address.place.c_str(), true, fmt::format("({}\n)", address.query), title);
  }
  if (address.table.empty()) {
    return usage_error(
        "the address of the DuckDB file names no table; add '?table=NAME', or '?query=SELECT ... "
        "ORDER BY ...'");
  }
  std::vector<std::string> parts;
  for (const std::string& part : name_parts(address.table)) parts.push_back(in_quotes(part, '"'));
  return make_source(address.place.c_str(), true, fmt::format("{}", fmt::join(parts, ".")), title);
}

}  // namespace dpfermi
