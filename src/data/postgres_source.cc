#include "data/postgres_source.h"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "core/shared_library.h"
#include "core/text.h"

namespace dpfermi {
namespace {

/// The functions of libpq that are used.
struct Libpq {
  decltype(::PQconninfoParse)* PQconninfoParse;
  decltype(::PQconninfoFree)* PQconninfoFree;
  decltype(::PQconnectStartParams)* PQconnectStartParams;
  decltype(::PQconnectPoll)* PQconnectPoll;
  decltype(::PQstatus)* PQstatus;
  decltype(::PQsocket)* PQsocket;
  decltype(::PQerrorMessage)* PQerrorMessage;
  decltype(::PQfinish)* PQfinish;
  decltype(::PQsetNoticeReceiver)* PQsetNoticeReceiver;
  decltype(::PQsendQueryParams)* PQsendQueryParams;
  decltype(::PQsendPrepare)* PQsendPrepare;
  decltype(::PQsendDescribePrepared)* PQsendDescribePrepared;
  decltype(::PQconsumeInput)* PQconsumeInput;
  decltype(::PQisBusy)* PQisBusy;
  decltype(::PQgetResult)* PQgetResult;
  decltype(::PQresultStatus)* PQresultStatus;
  decltype(::PQresultErrorField)* PQresultErrorField;
  decltype(::PQclear)* PQclear;
  decltype(::PQntuples)* PQntuples;
  decltype(::PQnfields)* PQnfields;
  decltype(::PQfname)* PQfname;
  decltype(::PQftype)* PQftype;
  decltype(::PQgetvalue)* PQgetvalue;
  decltype(::PQgetisnull)* PQgetisnull;
  decltype(::PQgetCopyData)* PQgetCopyData;
  decltype(::PQfreemem)* PQfreemem;
  decltype(::PQgetCancel)* PQgetCancel;
  decltype(::PQcancel)* PQcancel;
  decltype(::PQfreeCancel)* PQfreeCancel;

  static Result<Libpq> load();
};

Result<Libpq> Libpq::load() {
  const auto library = SharedLibrary::open({"libpq.so.5"});
  if (!library) {
    return failed(fmt::format(
        "PostgreSQL is read through libpq, which cannot be loaded ({}); install it, for example "
        "with apt-get install libpq5",
        library.error().message));
  }
  Libpq pq{};
#define DPFERMI_FIND(name) DPFERMI_TRY(library->find(#name, pq.name))
  DPFERMI_FIND(PQconninfoParse);
  DPFERMI_FIND(PQconninfoFree);
  DPFERMI_FIND(PQconnectStartParams);
  DPFERMI_FIND(PQconnectPoll);
  DPFERMI_FIND(PQstatus);
  DPFERMI_FIND(PQsocket);
  DPFERMI_FIND(PQerrorMessage);
  DPFERMI_FIND(PQfinish);
  DPFERMI_FIND(PQsetNoticeReceiver);
  DPFERMI_FIND(PQsendQueryParams);
  DPFERMI_FIND(PQsendPrepare);
  DPFERMI_FIND(PQsendDescribePrepared);
  DPFERMI_FIND(PQconsumeInput);
  DPFERMI_FIND(PQisBusy);
  DPFERMI_FIND(PQgetResult);
  DPFERMI_FIND(PQresultStatus);
  DPFERMI_FIND(PQresultErrorField);
  DPFERMI_FIND(PQclear);
  DPFERMI_FIND(PQntuples);
  DPFERMI_FIND(PQnfields);
  DPFERMI_FIND(PQfname);
  DPFERMI_FIND(PQftype);
  DPFERMI_FIND(PQgetvalue);
  DPFERMI_FIND(PQgetisnull);
  DPFERMI_FIND(PQgetCopyData);
  DPFERMI_FIND(PQfreemem);
  DPFERMI_FIND(PQgetCancel);
  DPFERMI_FIND(PQcancel);
  DPFERMI_FIND(PQfreeCancel);
#undef DPFERMI_FIND
  return pq;
}

constexpr const char* kBegin = "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// Texts that do not depend on how the server or the user is set up. Floats are written so that
/// they read back exactly.
constexpr const char* kSettings =
    "SELECT set_config('extra_float_digits', '1', true), set_config('DateStyle', 'ISO, YMD', true),"
    " set_config('IntervalStyle', 'postgres', true), set_config('TimeZone', 'UTC', true),"
    " set_config('bytea_output', 'hex', true)";

constexpr const char* kPrimaryKey =
    "SELECT a.attname, quote_ident(a.attname) FROM pg_index i"
    " CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(attnum, place)"
    " JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = k.attnum"
    " WHERE i.indrelid = to_regclass($1) AND i.indisprimary ORDER BY k.place";

/// What a failure means, by its SQLSTATE; the server's own words may quote a cell.
std::string meaning_of(std::string_view state) {
  static const std::map<std::string_view, std::string_view> exact = {
      {"42501", "the user may not read it; ask its owner for GRANT SELECT"},
      {"42P01", "a table that it names does not exist"},
      {"42703", "a column that it names does not exist"},
      {"57014",
       "the query was cancelled, by a time limit or by an administrator of the server; ask again"},
      {"25P03", "the server ended the session, which took too long; ask again"},
  };
  static const std::map<std::string_view, std::string_view> classes = {
      {"08", "the connection was lost; ask again"},
      {"22",
       "a value cannot be computed or converted as the query asks; correct the query (the "
       "server's message may quote the value and is not shown)"},
      {"42", "the query is not one that the server understands; try it with psql"},
      {"53", "the server has not enough memory, disk space or connections; ask again later"},
      {"57", "the server was shut down; ask again when it runs"},
      {"58", "the server cannot read its own files; see its log"},
      {"XX", "the server failed; see its log"},
  };
  if (const auto found = exact.find(state); found != exact.end()) return std::string(found->second);
  const auto found = classes.find(state.substr(0, 2));
  if (found != classes.end()) return std::string(found->second);
  return "the server refused it; see its log (its message may quote a value and is not shown)";
}

/// Several lines of libpq as one.
std::string one_line(std::string_view message) {
  std::string line;
  for (const std::string& piece : split_list(message, '\n')) {
    if (!piece.empty()) line += (line.empty() ? "" : "; ") + piece;
  }
  return printable(line, 400);
}

/// A connection in a transaction that reads one snapshot.
class Snapshot {
 public:
  using Answer = std::unique_ptr<PGresult, decltype(::PQclear)*>;

  Snapshot(const Libpq& pq, std::string title, Observer* observer)
      : pq_(&pq), title_(std::move(title)), observer_(observer) {}
  ~Snapshot() { close(); }
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

  Status connect(const std::string& place);

  /// Starts the transaction: in the snapshot that another one exported, or in a new one where
  /// `exported` is empty.
  Status begin(const std::string& exported);

  /// The name by which others join this snapshot as long as it is open.
  Result<std::string> exported();

  /// Runs one statement to its end.
  Result<Answer> run(const char* statement, const std::vector<std::string>& values = {});

  /// The columns of a statement, which is not run.
  Result<Answer> describe(const std::string& statement);

  /// Starts a COPY; next_row() hands out its rows.
  Status start_copy(const std::string& statement);

  /// A row as the server wrote it, without its newline; nothing at the end. Valid until the next
  /// call.
  Result<std::optional<std::span<char>>> next_row();

  /// Ends what the server is doing for us, and the connection.
  void abandon();

  void close();

  bool is_open() const { return connection_ != nullptr; }

 private:
  Error lost() const;
  Error refused(const PGresult* answer, bool quotes_names) const;
  Status wait(short events);
  Result<Answer> next_answer();
  Result<Answer> whole_answer(bool quotes_names);

  const Libpq* pq_;
  std::string title_;
  Observer* observer_;
  PGconn* connection_ = nullptr;
  char* row_ = nullptr;
};

void Snapshot::close() {
  if (row_ != nullptr) pq_->PQfreemem(std::exchange(row_, nullptr));
  if (connection_ != nullptr) pq_->PQfinish(std::exchange(connection_, nullptr));
}

void Snapshot::abandon() {
  if (connection_ == nullptr) return;
  if (PGcancel* const cancel = pq_->PQgetCancel(connection_)) {
    std::array<char, 256> unused{};
    pq_->PQcancel(cancel, unused.data(), static_cast<int>(unused.size()));
    pq_->PQfreeCancel(cancel);
  }
  close();
}

Error Snapshot::lost() const {
  return {ErrorKind::kFailed,
          fmt::format("{}: the connection to the server was lost; nothing was kept, ask again",
                      title_)};
}

Error Snapshot::refused(const PGresult* answer, bool quotes_names) const {
  const auto field = [&](int code) -> std::string_view {
    const char* const text = pq_->PQresultErrorField(answer, code);
    return text != nullptr ? text : "";
  };
  const std::string_view state = field(PG_DIAG_SQLSTATE);
  if (state.empty()) return lost();
  std::string message = fmt::format("{}: {} (SQLSTATE {})", title_, meaning_of(state), state);
  // While a statement is looked at but not run, what the server says is about names.
  if (quotes_names) message += ": " + one_line(field(PG_DIAG_MESSAGE_PRIMARY));
  return {ErrorKind::kFailed, std::move(message)};
}

/// Waits for the socket, and meanwhile asks whether to go on.
Status Snapshot::wait(short events) {
  constexpr int kBetweenQuestions = 100;  // milliseconds
  while (true) {
    if (observer_ != nullptr && observer_->interrupted()) {
      abandon();
      return failed(fmt::format("{}: interrupted; the query was cancelled", title_));
    }
    pollfd socket{pq_->PQsocket(connection_), events, 0};
    const int ready = ::poll(&socket, 1, kBetweenQuestions);
    if (ready > 0) return {};
    if (ready < 0 && errno != EINTR) return tl::unexpected(lost());
  }
}

Status Snapshot::connect(const std::string& place) {
  char* unused = nullptr;
  std::unique_ptr<PQconninfoOption, decltype(::PQconninfoFree)*> options(
      pq_->PQconninfoParse(place.c_str(), &unused), pq_->PQconninfoFree);
  // What libpq says about it may quote a password.
  if (unused != nullptr) pq_->PQfreemem(unused);
  if (options == nullptr) {
    return usage_error(
        "the address of the server cannot be read; write "
        "postgresql://USER@HOST:PORT/DATABASE?table=NAME");
  }
  std::vector<const char*> keywords;
  std::vector<const char*> values;
  for (const PQconninfoOption* option = options.get(); option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view keyword = option->keyword;
    if (keyword == "password" || keyword == "sslpassword") {
      return usage_error(
          "the address holds a password, which lists of processes and histories would keep; leave "
          "it out and set PGPASSWORD, or use ~/.pgpass or a service file");
    }
    if (keyword == "client_encoding") continue;
    keywords.push_back(option->keyword);
    values.push_back(option->val);
  }
  for (const auto& [keyword, value] :
       {std::pair("client_encoding", "UTF8"), std::pair("fallback_application_name", "dpfermi")}) {
    keywords.push_back(keyword);
    values.push_back(value);
  }
  keywords.push_back(nullptr);
  values.push_back(nullptr);
  connection_ = pq_->PQconnectStartParams(keywords.data(), values.data(), 0);
  PostgresPollingStatusType polled = PGRES_POLLING_WRITING;
  while (connection_ != nullptr && pq_->PQstatus(connection_) != CONNECTION_BAD &&
         polled != PGRES_POLLING_OK && polled != PGRES_POLLING_FAILED) {
    DPFERMI_TRY(wait(polled == PGRES_POLLING_READING ? POLLIN : POLLOUT));
    polled = pq_->PQconnectPoll(connection_);
  }
  if (polled != PGRES_POLLING_OK) {
    const std::string reason =
        connection_ == nullptr ? "out of memory" : one_line(pq_->PQerrorMessage(connection_));
    close();
    return failed(fmt::format("{}: the server cannot be reached: {}", title_, reason));
  }
  // What a server says on the way (RAISE NOTICE) may quote cells; libpq would print it.
  pq_->PQsetNoticeReceiver(
      connection_, [](void*, const PGresult*) {}, nullptr);
  return {};
}

Status Snapshot::begin(const std::string& exported) {
  DPFERMI_TRY(run(kBegin));
  if (!exported.empty() && !run(fmt::format("SET TRANSACTION SNAPSHOT '{}'", exported).c_str())) {
    close();
    return failed(
        fmt::format("{}: the server does not know the snapshot of process 0; give every process "
                    "the same server",
                    title_));
  }
  DPFERMI_TRY(run(kSettings));
  return {};
}

Result<std::string> Snapshot::exported() {
  DPFERMI_ASSIGN(const Answer answer, run("SELECT pg_export_snapshot()"));
  return std::string(pq_->PQgetvalue(answer.get(), 0, 0));
}

Result<Snapshot::Answer> Snapshot::next_answer() {
  while (pq_->PQisBusy(connection_) != 0) {
    DPFERMI_TRY(wait(POLLIN));
    if (pq_->PQconsumeInput(connection_) == 0) return tl::unexpected(lost());
  }
  return Answer(pq_->PQgetResult(connection_), pq_->PQclear);
}

/// The answer to what was sent, once the server has nothing to add.
Result<Snapshot::Answer> Snapshot::whole_answer(bool quotes_names) {
  Answer kept(nullptr, pq_->PQclear);
  while (true) {
    DPFERMI_ASSIGN(Answer answer, next_answer());
    if (answer == nullptr) break;
    const ExecStatusType status = pq_->PQresultStatus(answer.get());
    const bool copies = status == PGRES_COPY_OUT;
    if (!copies && status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK) {
      const Error error = refused(answer.get(), quotes_names);
      close();
      return tl::unexpected(error);
    }
    kept = std::move(answer);
    if (copies) break;
  }
  if (kept == nullptr) return tl::unexpected(lost());
  return kept;
}

Result<Snapshot::Answer> Snapshot::run(const char* statement,
                                       const std::vector<std::string>& values) {
  std::vector<const char*> texts;
  for (const std::string& value : values) texts.push_back(value.c_str());
  if (pq_->PQsendQueryParams(connection_, statement, static_cast<int>(texts.size()), nullptr,
                             texts.data(), nullptr, nullptr, 0) == 0) {
    return tl::unexpected(lost());
  }
  return whole_answer(false);
}

Result<Snapshot::Answer> Snapshot::describe(const std::string& statement) {
  if (pq_->PQsendPrepare(connection_, "", statement.c_str(), 0, nullptr) == 0) {
    return tl::unexpected(lost());
  }
  DPFERMI_TRY(whole_answer(true));
  if (pq_->PQsendDescribePrepared(connection_, "") == 0) return tl::unexpected(lost());
  return whole_answer(true);
}

Status Snapshot::start_copy(const std::string& statement) {
  DPFERMI_ASSIGN(const Answer answer, run(statement.c_str()));
  if (pq_->PQresultStatus(answer.get()) == PGRES_COPY_OUT) return {};
  return usage_error(
      fmt::format("{}: the query returns no rows of a table; write a SELECT", title_));
}

Result<std::optional<std::span<char>>> Snapshot::next_row() {
  if (connection_ == nullptr) return tl::unexpected(lost());
  if (row_ != nullptr) pq_->PQfreemem(std::exchange(row_, nullptr));
  int bytes = 0;
  while ((bytes = pq_->PQgetCopyData(connection_, &row_, 1)) == 0) {
    DPFERMI_TRY(wait(POLLIN));
    if (pq_->PQconsumeInput(connection_) == 0) return tl::unexpected(lost());
  }
  if (bytes > 0) return std::span(row_, static_cast<std::size_t>(bytes) - 1);
  DPFERMI_TRY(whole_answer(false));
  return std::nullopt;
}

/// How the server's text of a column becomes ours.
enum class CellText { kAsIs, kBoolean };

struct PostgresColumns {
  std::vector<std::string> names;
  std::vector<ColumnKind> kinds;
  std::vector<CellText> texts;
};

/// Types by their numbers in pg_type.dat, which never change.
ColumnKind kind_of(Oid type) {
  static const std::set<Oid> numbers = {20,  21,  23,  26,
                                        700, 701, 1700};  // int, oid, float, numeric
  static const std::set<Oid> texts = {16, 17, 1082, 1083, 1114, 1184, 1186, 1266, 2950};
  if (numbers.contains(type)) return ColumnKind::kNumber;
  return texts.contains(type) ? ColumnKind::kText : ColumnKind::kOpen;
}

class PostgresSource;

/// The rows of a COPY in text format.
class PostgresReader final : public RecordReader {
 public:
  /// `task`: what lets Ctrl-C be noticed as long as rows are read; may be null.
  PostgresReader(std::shared_ptr<PostgresSource> source, std::unique_ptr<ObservedTask> task);
  ~PostgresReader() override;
  PostgresReader(const PostgresReader&) = delete;
  PostgresReader& operator=(const PostgresReader&) = delete;

  const std::vector<std::string>& names() const override;
  const std::string& source_name() const override;
  std::vector<ColumnKind> kinds() const override;
  std::vector<std::string> ordered_by() const override;
  Result<bool> next() override;
  const std::vector<std::string_view>& fields() const override { return fields_; }
  std::uint64_t position() const override { return row_; }
  std::string place(std::uint64_t position) const override;

 private:
  Status split(std::span<char> row);

  std::shared_ptr<PostgresSource> source_;
  std::unique_ptr<ObservedTask> task_;
  std::vector<std::string_view> fields_;
  std::uint64_t row_ = 0;
  bool ended_ = false;
};

class PostgresSource final : public RecordSource,
                             public std::enable_shared_from_this<PostgresSource> {
 public:
  PostgresSource(const Libpq& pq, TableAddress address, std::string title, Observer* observer,
                 Team& team)
      : pq_(pq),
        address_(std::move(address)),
        title_(std::move(title)),
        observer_(observer),
        team_(&team),
        snapshot_(pq_, title_, observer) {}

  Result<std::unique_ptr<RecordReader>> read() override {
    std::unique_ptr<ObservedTask> task;
    if (observer_ != nullptr) {
      task = std::make_unique<ObservedTask>(*observer_, Task{.name = "reading", .stops = true});
    }
    if (!snapshot_.is_open()) DPFERMI_TRY(start());
    DPFERMI_TRY(snapshot_.start_copy(fmt::format("COPY ({}\n) TO STDOUT", select_)));
    return std::make_unique<PostgresReader>(shared_from_this(), std::move(task));
  }

  void release() override { snapshot_.close(); }

  Snapshot& snapshot() { return snapshot_; }
  const std::string& title() const { return title_; }
  const PostgresColumns& columns() const { return columns_; }
  const std::vector<std::string>& key() const { return key_; }

 private:
  /// Later readings are those of one process: the fingerprint, which the leader takes.
  Status share_snapshot(Team& team) {
    std::string name;
    if (team.leads()) DPFERMI_TRY(snapshot_.begin(""));
    if (team.size() == 1) return {};
    if (team.leads()) {
      DPFERMI_ASSIGN(name, snapshot_.exported());
    }
    DPFERMI_ASSIGN(name, hand_out(team, std::move(name)));
    if (!team.leads()) DPFERMI_TRY(snapshot_.begin(name));
    // Not before all have joined it may the leader's end.
    return team.meet();
  }

  Status start() {
    DPFERMI_TRY(snapshot_.connect(address_.place));
    DPFERMI_TRY(share_snapshot(*std::exchange(team_, &Team::alone())));
    select_ = address_.query;
    key_.clear();
    if (select_.empty()) DPFERMI_TRY(settle_order());
    return settle_columns();
  }

  /// The order of a table is that of its primary key.
  Status settle_order() {
    DPFERMI_ASSIGN(const auto found,
                   snapshot_.run("SELECT to_regclass($1)::text", {address_.table}));
    if (pq_.PQgetisnull(found.get(), 0, 0) != 0) {
      return failed(fmt::format("{}: the database has no such table; check the name and its schema",
                                printable(title_)));
    }
    const std::string name = pq_.PQgetvalue(found.get(), 0, 0);
    DPFERMI_ASSIGN(const auto key, snapshot_.run(kPrimaryKey, {address_.table}));
    std::string order;
    for (int i = 0; i < pq_.PQntuples(key.get()); ++i) {
      key_.emplace_back(pq_.PQgetvalue(key.get(), i, 0));
      order += (i == 0 ? "" : ", ") + std::string(pq_.PQgetvalue(key.get(), i, 1));
    }
    if (order.empty()) {
      return usage_error(fmt::format(
          "{}: has no primary key, so that its rows have no fixed order; give one in the address: "
          "'?query=SELECT * FROM {} ORDER BY COLUMN'",
          printable(title_), printable(name)));
    }
    select_ = fmt::format("SELECT * FROM {} ORDER BY {}", name, order);
    return {};
  }

  Status settle_columns() {
    DPFERMI_ASSIGN(const auto described, snapshot_.describe(select_));
    columns_ = {};
    std::set<std::string_view> seen;
    const int count = pq_.PQnfields(described.get());
    if (count == 0) return usage_error(fmt::format("{}: has no columns", printable(title_)));
    for (int i = 0; i < count; ++i) {
      const char* const name = pq_.PQfname(described.get(), i);
      if (!seen.insert(name).second) {
        return failed(fmt::format("{}: the column name '{}' appears twice; rename one with AS",
                                  printable(title_), printable(name)));
      }
      columns_.names.emplace_back(name);
      const Oid type = pq_.PQftype(described.get(), i);
      constexpr Oid kBool = 16;
      columns_.kinds.push_back(kind_of(type));
      columns_.texts.push_back(type == kBool ? CellText::kBoolean : CellText::kAsIs);
    }
    return {};
  }

  Libpq pq_;
  TableAddress address_;
  std::string title_;
  Observer* observer_;
  Team* team_;  ///< of the first reading
  Snapshot snapshot_;
  std::string select_;
  std::vector<std::string> key_;
  PostgresColumns columns_;
};

PostgresReader::PostgresReader(std::shared_ptr<PostgresSource> source,
                               std::unique_ptr<ObservedTask> task)
    : source_(std::move(source)), task_(std::move(task)) {
  fields_.reserve(source_->columns().names.size());
}

PostgresReader::~PostgresReader() {
  if (!ended_) source_->snapshot().abandon();
}

const std::vector<std::string>& PostgresReader::names() const {
  return source_->columns().names;
}

const std::string& PostgresReader::source_name() const {
  return source_->title();
}

std::vector<ColumnKind> PostgresReader::kinds() const {
  return source_->columns().kinds;
}

std::vector<std::string> PostgresReader::ordered_by() const {
  return source_->key();
}

std::string PostgresReader::place(std::uint64_t position) const {
  return fmt::format("{}, row {}", source_->title(), position);
}

Result<bool> PostgresReader::next() {
  if (ended_) return false;
  DPFERMI_ASSIGN(const auto row, source_->snapshot().next_row());
  ended_ = !row.has_value();
  if (ended_) return false;
  ++row_;
  DPFERMI_TRY(split(*row));
  return true;
}

char unescaped(char c) {
  switch (c) {
    case 'b':
      return '\b';
    case 'f':
      return '\f';
    case 'n':
      return '\n';
    case 'r':
      return '\r';
    case 't':
      return '\t';
    case 'v':
      return '\v';
    default:
      return c;
  }
}

/// Fields end at tabs; a backslash begins an escape, and \N alone is a missing value. Escapes are
/// undone in place.
Status PostgresReader::split(std::span<char> row) {
  const std::vector<CellText>& texts = source_->columns().texts;
  fields_.clear();
  const char* const end = row.data() + row.size();
  char* from = row.data();
  while (true) {
    char* const start = from;
    char* to = from;
    bool missing = false;
    while (from != end && *from != '\t') {
      if (*from != '\\' || from + 1 == end) {
        *to++ = *from++;
      } else {
        missing = from == start && from[1] == 'N';
        *to++ = unescaped(from[1]);
        from += 2;
      }
    }
    std::string_view text(start, missing ? 0 : static_cast<std::size_t>(to - start));
    if (fields_.size() < texts.size() && texts[fields_.size()] == CellText::kBoolean) {
      text = text == "t" ? "true" : text == "f" ? "false" : text;
    }
    fields_.push_back(trim(text));
    if (from == end) break;
    ++from;
  }
  if (fields_.size() == texts.size()) return {};
  return tl::unexpected(error_here("the server sent another number of fields than columns"));
}

}  // namespace

Result<std::shared_ptr<RecordSource>> open_postgres(TableAddress address, std::string title,
                                                    Observer* observer, Team& team) {
  if (address.table.empty() && address.query.empty()) {
    return usage_error(
        "the address of the server names no table; add '?table=NAME', or '?query=SELECT ... ORDER "
        "BY ...'");
  }
  if (!address.query.empty()) DPFERMI_TRY(check_ordered(address.query));
  DPFERMI_ASSIGN(const Libpq pq, Libpq::load());
  return std::make_shared<PostgresSource>(pq, std::move(address), std::move(title), observer, team);
}

}  // namespace dpfermi
