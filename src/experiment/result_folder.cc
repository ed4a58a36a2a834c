#include "experiment/result_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>

#include "core/file.h"
#include "core/text.h"
#include "experiment/run_store.h"

namespace dpfermi {
namespace fs = std::filesystem;
namespace {

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

/// "results/runs.jsonl, line 3": where a record of stored_texts stands. Those of the log, whose
/// lines are checked by themselves, come last.
std::string place_of(const fs::path& folder, std::size_t index) {
  const auto finished = read_text_file(folder / kRunsFile);
  const std::size_t lines = finished ? lines_of(*finished).size() : 0;
  const bool in_log = index >= lines;
  return fmt::format("{}, line {}", printable((folder / (in_log ? kLogFile : kRunsFile)).string()),
                     index + 1 - (in_log ? lines : 0));
}

}  // namespace

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

Result<LogContents> stored_texts(const fs::path& folder) {
  LogContents stored;
  if (is_there(folder / kRunsFile)) {
    DPFERMI_ASSIGN(const std::string bytes, read_text_file(folder / kRunsFile));
    stored.texts = lines_of(bytes);
  }
  if (is_there(folder / kLogFile)) {
    DPFERMI_ASSIGN(const std::string bytes, read_text_file(folder / kLogFile));
    DPFERMI_ASSIGN(LogContents log, read_log(bytes));
    stored.damaged = log.damaged;
    std::ranges::move(log.texts, std::back_inserter(stored.texts));
  }
  return stored;
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
        "{} holds no results; name the `out` folder of dpfermi sweep or dpfermi reproduce",
        printable(folder.string(), SIZE_MAX)));
  }
  SweepResults results;
  DPFERMI_ASSIGN(const std::string text, read_text_file(folder / kSweepFile));
  DPFERMI_ASSIGN(results.description, parse_sweep(text));
  results.complete = is_there(folder / kRunsFile) && !is_there(folder / kLogFile);
  DPFERMI_ASSIGN(const LogContents stored, stored_texts(folder));
  std::set<std::string> known;  // a crash while finishing leaves both files
  for (std::size_t i = 0; i < stored.texts.size(); ++i) {
    Result<RunRecord> record = parse_record(stored.texts[i]);
    if (!record) return failed(fmt::format("{}: {}", place_of(folder, i), record.error().message));
    if (known.insert(run_key(record->spec)).second) results.runs.push_back(*std::move(record));
  }
  return results;
}

}  // namespace dpfermi
