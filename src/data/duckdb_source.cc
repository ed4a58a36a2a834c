#include "data/duckdb_source.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <utility>

#include "core/text.h"
#include "data/block_reader.h"
#include "data/duckdb_api.h"
#include "data/level_table.h"

namespace dpfermi {
namespace duckdb {

std::optional<Api>& Api::place() {
  static std::optional<Api> library;
  return library;
}

const Api& Api::loaded() {
  return *place();
}

Result<const Api*> Api::load() {
  static std::mutex lock;
  const std::scoped_lock guard(lock);
  if (!place()) {
    DPFERMI_ASSIGN(place(), find());
  }
  return &loaded();
}

Result<Api> Api::find() {
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
  DPFERMI_FIND(create_logical_type);
  DPFERMI_FIND(destroy_logical_type);
  DPFERMI_FIND(create_scalar_function);
  DPFERMI_FIND(destroy_scalar_function);
  DPFERMI_FIND(scalar_function_set_name);
  DPFERMI_FIND(scalar_function_add_parameter);
  DPFERMI_FIND(scalar_function_set_return_type);
  DPFERMI_FIND(scalar_function_set_extra_info);
  DPFERMI_FIND(scalar_function_set_function);
  DPFERMI_FIND(scalar_function_get_extra_info);
  DPFERMI_FIND(register_scalar_function);
#undef DPFERMI_FIND
  return api;
}

}  // namespace duckdb

namespace {

/// The name of the function that turns a text of a column into a number. DuckDB calls it once for
/// every entry of a dictionary, not for every row: texts that repeat cost four bytes a row.
constexpr const char* kCodeFunction = "dpfermi_code";

bool is_integer(duckdb::Type type) {
  switch (type) {
    case duckdb::Type::kTinyint:
    case duckdb::Type::kSmallint:
    case duckdb::Type::kInteger:
    case duckdb::Type::kBigint:
    case duckdb::Type::kUtinyint:
    case duckdb::Type::kUsmallint:
    case duckdb::Type::kUinteger:
      return true;
    default:
      return false;
  }
}

/// How a column is fetched: integers as they are, other numbers as doubles, the rest as codes.
duckdb::Type fetched_as(duckdb::Type type) {
  if (is_integer(type)) return type;
  const bool number = type == duckdb::Type::kFloat || type == duckdb::Type::kDouble ||
                      type == duckdb::Type::kDecimal;
  return number ? duckdb::Type::kDouble : duckdb::Type::kVarchar;
}

std::string in_quotes(std::string_view text, char quote) {
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote) result += quote;
    result += c;
  }
  return result + quote;
}

/// A column as it is fetched. A float goes through its decimal text, as it does in a text file:
/// 0.1F is 0.1, not 0.10000000149.
std::string fetch_of(const std::string& name, std::size_t place, duckdb::Type type) {
  const std::string column = in_quotes(name, '"');
  if (is_integer(type)) return column;
  if (type == duckdb::Type::kFloat) return fmt::format("{}::VARCHAR::DOUBLE", column);
  if (fetched_as(type) == duckdb::Type::kDouble) return fmt::format("{}::DOUBLE", column);
  return fmt::format("{}({}::VARCHAR, {}::INTEGER)", kCodeFunction, column, place);
}

/// Texts that need no trimming are the rule.
std::string_view trimmed(std::string_view text) {
  const bool clean = text.empty() || !(is_blank(text.front()) || is_blank(text.back()));
  return clean ? text : trim(text);
}

bool is_valid(const std::uint64_t* validity, std::size_t row) {
  return validity == nullptr || (validity[row / 64] >> (row % 64) & 1) != 0;
}

bool all_valid(const std::uint64_t* validity, std::size_t rows) {
  for (std::size_t row = 0; validity != nullptr && row < rows; ++row) {
    if (row % 64 == 0 && row + 64 <= rows && validity[row / 64] == ~std::uint64_t{0}) {
      row += 63;
    } else if (!is_valid(validity, row)) {
      return false;
    }
  }
  return true;
}

/// The texts of a column by their codes. DuckDB's threads add to it in any order.
class TextPool {
 public:
  /// Stands for a missing text: whether the result of a function is marked as missing depends on
  /// how DuckDB came by it.
  static constexpr std::uint32_t kNone = LevelTable::kAbsent;

  void encode(std::span<const duckdb::Text> texts, const std::uint64_t* validity,
              std::uint32_t* codes) {
    const std::scoped_lock guard(lock_);
    for (std::size_t row = 0; row < texts.size(); ++row) {
      codes[row] = is_valid(validity, row) ? texts_.insert(trimmed(texts[row].view())) : kNone;
    }
  }
  std::string text(std::uint32_t code) {
    const std::scoped_lock guard(lock_);
    return texts_.levels()[code];
  }

 private:
  std::mutex lock_;
  LevelTable texts_;
};

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

  const duckdb::Api& api;
  std::vector<std::unique_ptr<TextPool>> pools;  ///< by column; null: not a column of texts
  duckdb::Handle database = nullptr;
  duckdb::Handle connection = nullptr;

 private:
  bool register_code_function();
};

/// kCodeFunction: codes of the texts in the first column of `chunk`. The second holds the number of
/// the table's column that they belong to, in every row.
void encode_texts(duckdb::Handle info, duckdb::Handle chunk, duckdb::Handle out) {
  const duckdb::Api& api = duckdb::Api::loaded();
  const std::size_t rows = api.data_chunk_get_size(chunk);
  if (rows == 0) return;
  const duckdb::Handle texts = api.data_chunk_get_vector(chunk, 0);
  const auto* const column =
      static_cast<const std::int32_t*>(api.vector_get_data(api.data_chunk_get_vector(chunk, 1)));
  auto& database = *static_cast<Database*>(api.scalar_function_get_extra_info(info));
  database.pools[static_cast<std::size_t>(*column)]->encode(
      {static_cast<const duckdb::Text*>(api.vector_get_data(texts)), rows},
      api.vector_get_validity(texts), static_cast<std::uint32_t*>(api.vector_get_data(out)));
}

bool Database::register_code_function() {
  duckdb::Handle text = api.create_logical_type(duckdb::Type::kVarchar);
  duckdb::Handle column = api.create_logical_type(duckdb::Type::kInteger);
  duckdb::Handle code = api.create_logical_type(duckdb::Type::kUinteger);
  duckdb::Handle function = api.create_scalar_function();
  api.scalar_function_set_name(function, kCodeFunction);
  api.scalar_function_add_parameter(function, text);
  api.scalar_function_add_parameter(function, column);
  api.scalar_function_set_return_type(function, code);
  api.scalar_function_set_extra_info(function, this, nullptr);
  api.scalar_function_set_function(function, encode_texts);
  const bool registered = api.register_scalar_function(connection, function) == 0;
  api.destroy_scalar_function(&function);
  for (duckdb::Handle* type : {&text, &column, &code}) api.destroy_logical_type(type);
  return registered;
}

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
  // Our thread waits for rows in order: it would spin while others decode.
  api.set_config(config, "threads", "1");
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
  if (api.connect(database, &connection) == 0 && register_code_function()) return {};
  return failed("DuckDB could not start: out of memory");
}

struct DuckColumns {
  std::vector<std::string> names;
  std::vector<duckdb::Type> fetched;  ///< see fetched_as
};

/// The values of a column in the current block: copies, or what lies in DuckDB's chunk.
class DuckColumn {
 public:
  DuckColumn(duckdb::Type fetched, TextPool* pool) : fetched_(fetched), pool_(pool) {}

  void clear();
  void append(const void* data, const std::uint64_t* validity, std::size_t rows);
  ColumnBlock block() const;

  /// The same of one chunk, which has to stay as long as the block is used.
  ColumnBlock block_of(const void* data, const std::uint64_t* validity, std::size_t rows);

 private:
  template <class Integer>
  void append_integers(const void* data, const std::uint64_t* validity, std::size_t rows);
  void append_numbers(const double* cells, const std::uint64_t* validity, std::size_t rows);
  void append_codes(const std::uint32_t* codes, const std::uint64_t* validity, std::size_t rows);
  std::int32_t number_of(std::uint32_t code);

  duckdb::Type fetched_;
  TextPool* pool_;  ///< null: numbers
  std::vector<double> numbers_;
  std::vector<std::int64_t> integers_;
  std::vector<std::int32_t> codes_;
  // Two readings must give the same codes: texts are numbered in order of appearance.
  std::vector<std::int32_t> numbering_;  ///< by code of the pool; -1: not met yet
  std::vector<std::string> levels_;
};

void DuckColumn::clear() {
  numbers_.clear();
  integers_.clear();
  codes_.clear();
}

template <class Integer>
void DuckColumn::append_integers(const void* data, const std::uint64_t* validity,
                                 std::size_t rows) {
  const auto* const cells = static_cast<const Integer*>(data);
  const std::size_t first = integers_.size();
  integers_.insert(integers_.end(), cells, cells + rows);
  for (std::size_t row = 0; validity != nullptr && row < rows; ++row) {
    if (!is_valid(validity, row)) integers_[first + row] = ColumnBlock::kMissingInteger;
  }
}

void DuckColumn::append_numbers(const double* cells, const std::uint64_t* validity,
                                std::size_t rows) {
  const std::size_t first = numbers_.size();
  numbers_.insert(numbers_.end(), cells, cells + rows);
  for (std::size_t row = 0; validity != nullptr && row < rows; ++row) {
    if (!is_valid(validity, row)) {
      numbers_[first + row] = std::numeric_limits<double>::quiet_NaN();
    }
  }
}

std::int32_t DuckColumn::number_of(std::uint32_t code) {
  if (code == TextPool::kNone) return -1;
  if (code >= numbering_.size()) numbering_.resize(std::size_t{code} + code / 2 + 1, -1);
  std::int32_t& number = numbering_[code];
  if (number < 0) {
    number = static_cast<std::int32_t>(levels_.size());
    levels_.push_back(pool_->text(code));
  }
  return number;
}

void DuckColumn::append_codes(const std::uint32_t* codes, const std::uint64_t* validity,
                              std::size_t rows) {
  const std::size_t first = codes_.size();
  codes_.resize(first + rows);
  if (validity == nullptr) {
    for (std::size_t row = 0; row < rows; ++row) codes_[first + row] = number_of(codes[row]);
    return;
  }
  for (std::size_t row = 0; row < rows; ++row) {
    codes_[first + row] = is_valid(validity, row) ? number_of(codes[row]) : -1;
  }
}

void DuckColumn::append(const void* data, const std::uint64_t* validity, std::size_t rows) {
  switch (fetched_) {
    case duckdb::Type::kTinyint:
      return append_integers<std::int8_t>(data, validity, rows);
    case duckdb::Type::kSmallint:
      return append_integers<std::int16_t>(data, validity, rows);
    case duckdb::Type::kInteger:
      return append_integers<std::int32_t>(data, validity, rows);
    case duckdb::Type::kUtinyint:
      return append_integers<std::uint8_t>(data, validity, rows);
    case duckdb::Type::kUsmallint:
      return append_integers<std::uint16_t>(data, validity, rows);
    case duckdb::Type::kUinteger:
      return append_integers<std::uint32_t>(data, validity, rows);
    case duckdb::Type::kBigint:
      return append_integers<std::int64_t>(data, validity, rows);
    case duckdb::Type::kDouble:
      return append_numbers(static_cast<const double*>(data), validity, rows);
    default:
      return append_codes(static_cast<const std::uint32_t*>(data), validity, rows);
  }
}

ColumnBlock DuckColumn::block_of(const void* data, const std::uint64_t* validity,
                                 std::size_t rows) {
  if (all_valid(validity, rows)) {
    validity = nullptr;
    if (fetched_ == duckdb::Type::kBigint) {
      return {{}, {static_cast<const std::int64_t*>(data), rows}, {}, nullptr};
    }
    if (fetched_ == duckdb::Type::kDouble) {
      return {{static_cast<const double*>(data), rows}, {}, {}, nullptr};
    }
  }
  clear();
  append(data, validity, rows);
  return block();
}

ColumnBlock DuckColumn::block() const {
  return {numbers_, integers_, codes_, pool_ != nullptr ? &levels_ : nullptr};
}

class DuckReader final : public BlockReader {
 public:
  /// `rows`: how many there are; 0: unknown.
  DuckReader(std::shared_ptr<Database> database, const DuckColumns& columns, std::string title,
             std::size_t rows)
      : database_(std::move(database)),
        columns_(columns),
        title_(std::move(title)),
        estimated_rows_(rows) {
    for (std::size_t c = 0; c < columns.names.size(); ++c) {
      values_.emplace_back(columns.fetched[c], database_->pools[c].get());
    }
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
  std::size_t estimated_rows(std::size_t, std::size_t) const override { return estimated_rows_; }
  Result<const RecordBlock*> next_block() override;
  std::string place(std::uint64_t position) const override {
    return fmt::format("{}, row {}", title_, position + 1);
  }

 private:
  Result<std::size_t> next_chunk();
  void drop_chunk() {
    if (chunk_ != nullptr) database_->api.destroy_data_chunk(&chunk_);
  }
  /// Calls take(column, data, validity) for every column of the chunk.
  template <class Take>
  void for_columns(Take take);

  std::shared_ptr<Database> database_;
  DuckColumns columns_;
  std::string title_;
  std::size_t estimated_rows_;
  duckdb::QueryResult result_{};
  bool running_ = false;
  duckdb::Handle chunk_ = nullptr;
  std::vector<DuckColumn> values_;
  RecordBlock block_;
  bool started_ = false;
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
  for (const duckdb::Type fetched : columns_.fetched) {
    kinds.push_back(fetched == duckdb::Type::kVarchar ? ColumnKind::kOpen : ColumnKind::kNumber);
  }
  return kinds;
}

/// The number of its rows; 0 at the end.
Result<std::size_t> DuckReader::next_chunk() {
  const duckdb::Api& api = database_->api;
  drop_chunk();
  if (ended_) return 0;
  chunk_ = api.fetch_chunk(result_);
  ended_ = chunk_ == nullptr || api.data_chunk_get_size(chunk_) == 0;
  if (!ended_) return api.data_chunk_get_size(chunk_);
  // Both the end and a failure give no chunk.
  const char* const error = api.result_error(&result_);
  if (error != nullptr && *error != '\0') return tl::unexpected(failed_while_reading(title_));
  return 0;
}

template <class Take>
void DuckReader::for_columns(Take take) {
  const duckdb::Api& api = database_->api;
  for (std::size_t c = 0; c < values_.size(); ++c) {
    const duckdb::Handle vector = api.data_chunk_get_vector(chunk_, c);
    take(c, api.vector_get_data(vector), api.vector_get_validity(vector));
  }
}

Result<const RecordBlock*> DuckReader::next_block() {
  block_.columns.resize(values_.size());
  if (std::exchange(started_, true)) {
    DPFERMI_ASSIGN(block_.rows, next_chunk());
    if (block_.rows == 0) return &block_;
    for_columns([&](std::size_t c, const void* data, const std::uint64_t* validity) {
      block_.columns[c] = values_[c].block_of(data, validity, block_.rows);
    });
    return &block_;
  }
  while (!ended_ && block_.rows < kFirstRows) {
    DPFERMI_ASSIGN(const std::size_t rows, next_chunk());
    if (rows == 0) break;
    for_columns([&](std::size_t c, const void* data, const std::uint64_t* validity) {
      values_[c].append(data, validity, rows);
    });
    block_.rows += rows;
  }
  for (std::size_t c = 0; c < values_.size(); ++c) block_.columns[c] = values_[c].block();
  return &block_;
}

class DuckSource final : public RecordSource {
 public:
  DuckSource(std::shared_ptr<Database> database, std::string rows, std::string title)
      : database_(std::move(database)), rows_(std::move(rows)), title_(std::move(title)) {}

  Result<std::unique_ptr<RecordReader>> read() override {
    if (fetched_.empty()) DPFERMI_TRY(settle_columns());
    auto& pools = database_->pools;
    pools.resize(columns_.names.size());
    for (std::size_t c = 0; c < pools.size(); ++c) {
      if (columns_.fetched[c] == duckdb::Type::kVarchar && pools[c] == nullptr) {
        pools[c] = std::make_unique<TextPool>();
      }
    }
    auto reader = std::make_unique<DuckReader>(database_, columns_, title_, count_);
    DPFERMI_TRY(reader->start(fmt::format("SELECT {} FROM {}", fetched_, rows_)));
    return reader;
  }

  void release() override { database_->pools.clear(); }

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
    if (settled && !rows_.starts_with('(')) count_ = count_rows();
    return settled;
  }

  /// Files and tables know how many rows they have; a query would be run for it.
  std::size_t count_rows() {
    const duckdb::Api& api = database_->api;
    duckdb::QueryResult result{};
    const std::string query = fmt::format("SELECT count(*) FROM {}", rows_);
    std::size_t count = 0;
    if (api.query(database_->connection, query.c_str(), &result) == 0) {
      if (duckdb::Handle chunk = api.fetch_chunk(result)) {
        const duckdb::Handle vector = api.data_chunk_get_vector(chunk, 0);
        count = static_cast<std::size_t>(
            *static_cast<const std::int64_t*>(api.vector_get_data(vector)));
        api.destroy_data_chunk(&chunk);
      }
    }
    api.destroy_result(&result);
    return count;
  }

  Status take_columns(duckdb::QueryResult& result) {
    const duckdb::Api& api = database_->api;
    std::set<std::string> seen;
    std::string fetched;
    for (std::uint64_t c = 0; c < api.column_count(&result); ++c) {
      const std::string name = api.column_name(&result, c);
      if (!seen.insert(name).second) {
        return failed(fmt::format("{}: the column name '{}' appears twice; rename one of them",
                                  title_, printable(name)));
      }
      const duckdb::Type type = api.column_type(&result, c);
      fetched += (c == 0 ? "" : ", ") + fetch_of(name, c, type);
      columns_.names.push_back(name);
      columns_.fetched.push_back(fetched_as(type));
    }
    fetched_ = std::move(fetched);
    return {};
  }

  std::shared_ptr<Database> database_;
  std::string rows_;       ///< what stands behind FROM
  std::size_t count_ = 0;  ///< of the rows; 0: unknown
  std::string title_;
  std::string fetched_;  ///< what stands behind SELECT
  DuckColumns columns_;
};

Result<std::shared_ptr<RecordSource>> make_source(const char* path, bool is_file, std::string rows,
                                                  const std::string& title) {
  DPFERMI_ASSIGN(const duckdb::Api* const api, duckdb::Api::load());
  auto database = std::make_shared<Database>(*api);
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
