#include "dpfermi/experiment/run_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "dpfermi/core/file.h"
#include "dpfermi/core/text.h"
#include "experiment/run_log.h"
#include "privacy/json_fields.h"

namespace dpfermi {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSweepFile = "sweep.json";
constexpr const char* kLogFile = "runs.log";
constexpr const char* kRunsFile = "runs.jsonl";

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// The key of a record, without reading the rest of it.
Result<std::string> key_of(const std::string& text) {
  return read_json(text, [](const Json& json) -> std::string {
    if (!json.is_object() || !json.contains("key") || !json["key"].is_string()) {
      throw BadJson("a record without a key; start the sweep anew");
    }
    return json["key"];
  });
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', start)) {
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  if (start < text.size()) lines.push_back(text.substr(start));
  return lines;
}

/// The records of a folder as they stand there: of the log, and of the finished file before it.
Result<std::vector<std::string>> stored_texts(const fs::path& folder, bool& damaged) {
  std::vector<std::string> texts;
  if (is_there(folder / kRunsFile)) {
    DPFERMI_ASSIGN(const std::string bytes, read_text_file(folder / kRunsFile));
    texts = lines_of(bytes);
  }
  if (is_there(folder / kLogFile)) {
    DPFERMI_ASSIGN(const std::string bytes, read_text_file(folder / kLogFile));
    DPFERMI_ASSIGN(LogContents log, read_log(bytes));
    damaged = log.damaged;
    std::ranges::move(log.texts, std::back_inserter(texts));
  }
  return texts;
}

/// "results/runs.jsonl, line 3": where a record of stored_texts stands. Those of the log, whose
/// lines are checked by themselves, come last.
std::string place_of(const fs::path& folder, std::size_t index) {
  const auto finished = read_text_file(folder / kRunsFile);
  const std::size_t lines = finished ? lines_of(*finished).size() : 0;
  const bool in_log = index >= lines;
  return fmt::format("{}, line {}", printable((folder / (in_log ? kLogFile : kRunsFile)).string()),
                     index + 1 - (in_log ? lines : 0));
}

Status check_same(const SweepDescription& was, const SweepDescription& is, const fs::path& folder) {
  const auto differs = [&](const std::string& what) {
    return usage_error(
        fmt::format("{} belongs to a sweep with another {}; repeat its flags or "
                    "choose another folder",
                    folder.string(), what));
  };
  if (was.version != is.version) return differs("version of dpfermi");
  if (was.stamp != is.stamp) return differs("way of charging");
  if (was.grid.seed != is.grid.seed) return differs("seed");
  return {};
}

/// Runs that are kept and runs to come must be about the same data.
Status check_tables(const SweepDescription& was, const SweepDescription& is,
                    const fs::path& folder) {
  for (const auto& [name, digest] : was.tables) {
    const auto now = is.tables.find(name);
    if (now == is.tables.end() || now->second == digest) continue;
    return usage_error(
        fmt::format("{} holds runs on another table of the name {}, or on other columns of it; "
                    "repeat the flags of its sweep or choose another folder",
                    folder.string(), printable(name)));
  }
  return {};
}

/// A grid may grow; a run that is kept must have a place in it.
Status check_place(const std::set<std::string>& kept, const Grid& grid, const fs::path& folder) {
  DPFERMI_ASSIGN(const std::vector<RunSpec> runs, expand(grid, false));
  std::set<std::string> planned;
  for (const RunSpec& spec : runs) planned.insert(run_key(spec));
  const auto stray =
      std::ranges::find_if(kept, [&](const std::string& key) { return !planned.contains(key); });
  if (stray == kept.end()) return {};
  return usage_error(
      fmt::format("{} holds runs that this grid lacks, such as {}; repeat the flags of its sweep, "
                  "ask for more, or choose another folder",
                  folder.string(), *stray));
}

Status write_description(const fs::path& folder, const SweepDescription& description) {
  return write_file_atomically(folder / kSweepFile, to_json(description) + "\n");
}

Status prepare_folder(const fs::path& folder, const SweepDescription& description, bool resume) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return failed(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()));
  }
  if (is_there(folder / kSweepFile)) {
    if (!resume) {
      return usage_error(
          fmt::format("{} holds a sweep already; add --resume to go on with it, or choose another "
                      "folder",
                      folder.string()));
    }
    DPFERMI_ASSIGN(const std::string text, read_text_file(folder / kSweepFile));
    DPFERMI_ASSIGN(const SweepDescription was, parse_sweep(text));
    return check_same(was, description, folder);
  }
  return write_description(folder, description);
}

/// What was asked for last; the first command stays where it has runs and nothing was added to it.
Status keep_description(const fs::path& folder, const SweepDescription& description,
                        bool has_runs) {
  DPFERMI_ASSIGN(const std::string text, read_text_file(folder / kSweepFile));
  DPFERMI_ASSIGN(const SweepDescription was, parse_sweep(text));
  if (has_runs) DPFERMI_TRY(check_tables(was, description, folder));
  if (has_runs && to_json(was.grid) == to_json(description.grid)) return {};
  return write_description(folder, description);
}

/// The log, for this process alone.
Result<int> open_log(const fs::path& folder) {
  const fs::path path = folder / kLogFile;
  const int log = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (log < 0) {
    return failed(fmt::format("cannot write {}: {}", path.string(), std::strerror(errno)));
  }
  if (::flock(log, LOCK_EX | LOCK_NB) != 0) {
    ::close(log);
    return failed(fmt::format(
        "another sweep is running in {}; wait for it or choose another folder", folder.string()));
  }
  return log;
}

Status append(int log, const std::string& line) {
  std::size_t written = 0;
  while (written < line.size()) {
    const ssize_t part = ::write(log, line.data() + written, line.size() - written);
    if (part < 0 && errno == EINTR) continue;
    if (part <= 0) return failed(fmt::format("cannot keep a run: {}", std::strerror(errno)));
    written += static_cast<std::size_t>(part);
  }
  if (::fsync(log) != 0) {
    return failed(fmt::format("cannot keep a run: {}", std::strerror(errno)));
  }
  return {};
}

/// Starts the log anew with the lines that are whole: the next one must not follow half a line.
Status mend_log(int log, const std::vector<std::string>& texts) {
  if (::ftruncate(log, 0) != 0) {
    return failed(fmt::format("cannot mend the log: {}", std::strerror(errno)));
  }
  std::string lines;
  for (const std::string& text : texts) {
    DPFERMI_ASSIGN(const std::string line, checked_line(text));
    lines += line;
  }
  return append(log, lines);
}

}  // namespace

std::string to_json(const SweepDescription& description) {
  return json_text({{"title", description.title},
                    {"stamp", description.stamp},
                    {"command", description.command},
                    {"version", description.version},
                    {"grid", Json::parse(to_json(description.grid))},
                    {"tables", description.tables}});
}

Result<SweepDescription> parse_sweep(const std::string& json) {
  return read_json(json, [](const Json& parsed) {
    const JsonFields fields(parsed, "sweep.json",
                            {"title", "stamp", "command", "version", "grid", "tables"});
    SweepDescription description{fields.text("title"),
                                 fields.text("stamp"),
                                 fields.text("command"),
                                 fields.text("version"),
                                 value_or_throw(parse_grid(fields.at("grid").dump())),
                                 {}};
    if (!fields.has("tables")) return description;  // of an earlier version
    for (const auto& [name, digest] : fields.at("tables").items()) {
      if (!digest.is_string()) throw BadJson("a table of sweep.json has no digest; sweep anew");
      description.tables[name] = digest.get<std::string>();
    }
    return description;
  });
}

Result<RunStore> RunStore::open(const fs::path& folder, const SweepDescription& description,
                                bool resume) {
  DPFERMI_TRY(prepare_folder(folder, description, resume));
  DPFERMI_ASSIGN(const int log, open_log(folder));
  RunStore store(folder, log);
  bool damaged = false;
  DPFERMI_ASSIGN(const std::vector<std::string> texts, stored_texts(folder, damaged));
  for (const std::string& text : texts) {
    DPFERMI_ASSIGN(std::string key, key_of(text));
    store.keys_.insert(std::move(key));
  }
  DPFERMI_TRY(check_place(store.keys_, description.grid, folder));
  if (damaged) DPFERMI_TRY(mend_log(log, texts));
  if (resume) DPFERMI_TRY(keep_description(folder, description, !store.keys_.empty()));
  return store;
}

RunStore::RunStore(RunStore&& other) noexcept
    : folder_(std::move(other.folder_)),
      log_(std::exchange(other.log_, -1)),
      keys_(std::move(other.keys_)) {}

RunStore::~RunStore() {
  if (log_ >= 0) ::close(log_);
}

bool RunStore::has(const std::string& key) const {
  const std::lock_guard lock(mutex_);
  return keys_.contains(key);
}

std::size_t RunStore::size() const {
  const std::lock_guard lock(mutex_);
  return keys_.size();
}

Status RunStore::add(const std::string& key, const std::string& json_line) {
  DPFERMI_ASSIGN(const std::string line, checked_line(json_line));
  const std::lock_guard lock(mutex_);
  DPFERMI_TRY(append(log_, line));
  keys_.insert(key);
  return {};
}

Status RunStore::finish(const std::vector<std::string>& keys) {
  const std::lock_guard lock(mutex_);
  bool damaged = false;
  DPFERMI_ASSIGN(std::vector<std::string> texts, stored_texts(folder_, damaged));
  std::map<std::string, std::string> by_key;
  for (std::string& text : texts) {
    DPFERMI_ASSIGN(std::string key, key_of(text));
    by_key.try_emplace(std::move(key), std::move(text));
  }
  std::string lines;
  for (const std::string& key : keys) {
    const auto found = by_key.find(key);
    if (found == by_key.end()) {
      return failed(fmt::format("the record of {} is missing; add --resume to run it", key));
    }
    lines += found->second + "\n";
  }
  DPFERMI_TRY(write_file_atomically(folder_ / kRunsFile, lines));
  std::error_code error;
  fs::remove(folder_ / kLogFile, error);
  if (error) return failed(fmt::format("cannot remove the log: {}", error.message()));
  return {};
}

std::vector<std::string> result_files(const fs::path& folder) {
  std::vector<std::string> files;
  for (const char* name : {kSweepFile, kLogFile, kRunsFile}) {
    files.push_back((folder / name).string());
  }
  return files;
}

Result<SweepResults> read_results(const fs::path& folder) {
  if (!is_there(folder / kSweepFile)) {
    return usage_error(fmt::format(
        "{} holds no results; name the --out folder of dpfermi sweep or dpfermi reproduce",
        printable(folder.string(), SIZE_MAX)));
  }
  SweepResults results;
  DPFERMI_ASSIGN(const std::string text, read_text_file(folder / kSweepFile));
  DPFERMI_ASSIGN(results.description, parse_sweep(text));
  results.complete = is_there(folder / kRunsFile) && !is_there(folder / kLogFile);
  bool damaged = false;
  DPFERMI_ASSIGN(const std::vector<std::string> texts, stored_texts(folder, damaged));
  std::set<std::string> known;  // a crash while finishing leaves both files
  for (std::size_t i = 0; i < texts.size(); ++i) {
    Result<RunRecord> record = parse_record(texts[i]);
    if (!record) return failed(fmt::format("{}: {}", place_of(folder, i), record.error().message));
    if (known.insert(run_key(record->spec)).second) results.runs.push_back(*std::move(record));
  }
  return results;
}

}  // namespace dpfermi
