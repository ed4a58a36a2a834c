#include "experiment/run_store.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "core/file.h"
#include "core/text.h"
#include "experiment/result_folder.h"
#include "privacy/json_fields.h"

namespace dpfermi {
namespace fs = std::filesystem;
namespace {

/// The key of a record, without reading the rest of it.
Result<std::string> key_of(const std::string& text) {
  return read_json(text, [](const Json& json) -> std::string {
    if (!json.is_object() || !json.contains("key") || !json["key"].is_string()) {
      throw BadJson("a record without a key; start the sweep anew");
    }
    return json["key"];
  });
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
          fmt::format("{} holds a sweep already; add `resume` to go on with it, or choose another "
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
    return failed(fmt::format("cannot repair the log: {}", std::strerror(errno)));
  }
  std::string lines;
  for (const std::string& text : texts) {
    DPFERMI_ASSIGN(const std::string line, checked_line(text));
    lines += line;
  }
  return append(log, lines);
}

}  // namespace

Result<RunStore> RunStore::open(const fs::path& folder, const SweepDescription& description,
                                bool resume) {
  DPFERMI_TRY(prepare_folder(folder, description, resume));
  DPFERMI_ASSIGN(const int log, open_log(folder));
  RunStore store(folder, log);
  DPFERMI_ASSIGN(const LogContents stored, stored_texts(folder));
  for (const std::string& text : stored.texts) {
    DPFERMI_ASSIGN(std::string key, key_of(text));
    store.keys_.insert(std::move(key));
  }
  DPFERMI_TRY(check_place(store.keys_, description.grid, folder));
  if (stored.damaged) DPFERMI_TRY(mend_log(log, stored.texts));
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
  DPFERMI_ASSIGN(LogContents stored, stored_texts(folder_));
  std::map<std::string, std::string> by_key;
  for (std::string& text : stored.texts) {
    DPFERMI_ASSIGN(std::string key, key_of(text));
    by_key.try_emplace(std::move(key), std::move(text));
  }
  std::string lines;
  for (const std::string& key : keys) {
    const auto found = by_key.find(key);
    if (found == by_key.end()) {
      return failed(fmt::format("the record of {} is missing; add `resume` to run it", key));
    }
    lines += found->second + "\n";
  }
  DPFERMI_TRY(write_file_atomically(folder_ / kRunsFile, lines));
  std::error_code error;
  fs::remove(folder_ / kLogFile, error);
  if (error) return failed(fmt::format("cannot remove the log: {}", error.message()));
  return {};
}

}  // namespace dpfermi
