#pragma once

/// The results folder of a sweep.
///
///   sweep.json   what was asked for: title, stamp, command, version, grid, tables; written first
///   runs.log     while the sweep is under way: one checked line a finished run, in any order
///   runs.jsonl   when it is complete: one record a line, in the order of the grid
///
/// A line of the log is flushed to disk before the next run of that worker starts. A process that
/// dies, or a machine, loses the runs that were under way and nothing else: what a crash cut in two
/// fails its checksum and is run again.

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "dpfermi/core/result.h"
#include "experiment/grid.h"
#include "experiment/run_record.h"

namespace dpfermi {

struct SweepDescription {
  std::string title;
  std::string stamp;    ///< kResearchStamp or kChargedStamp
  std::string command;  ///< as it was typed
  std::string version;
  Grid grid;
  /// A digest of each table and of how its columns are read, by "name/protocol".
  std::map<std::string, std::string> tables;
};
inline constexpr const char* kResearchStamp = "research: each run stands alone";
inline constexpr const char* kChargedStamp = "charged: every run is booked in a ledger";

std::string to_json(const SweepDescription& description);
Result<SweepDescription> parse_sweep(const std::string& json);

class RunStore {
 public:
  /// Opens `folder` for a sweep, making it where there is none. A folder with results is refused
  /// unless `resume`; then stamp, version and seed must be the same as they were, and every run
  /// that is kept must be one of the grid, which may have grown, on the same table. One process at
  /// a time.
  static Result<RunStore> open(const std::filesystem::path& folder,
                               const SweepDescription& description, bool resume);

  RunStore(RunStore&& other) noexcept;
  RunStore& operator=(RunStore&&) = delete;
  RunStore(const RunStore&) = delete;
  RunStore& operator=(const RunStore&) = delete;
  ~RunStore();

  /// Whether a record of this run is kept.
  bool has(const std::string& key) const;
  std::size_t size() const;

  /// Durable when it returns. Safe to call from any thread.
  Status add(const std::string& key, const std::string& json_line);

  /// Writes runs.jsonl in the order of `keys`, all of which must be there, and removes the log.
  Status finish(const std::vector<std::string>& keys);

 private:
  RunStore(std::filesystem::path folder, int log) : folder_(std::move(folder)), log_(log) {}

  std::filesystem::path folder_;
  int log_ = -1;
  mutable std::mutex mutex_;
  std::set<std::string> keys_;
};

/// The files of a results folder, whether they are there or not.
std::vector<std::string> result_files(const std::filesystem::path& folder);

/// What is in a results folder, complete or not.
struct SweepResults {
  SweepDescription description;
  std::vector<RunRecord> runs;
  bool complete = false;
};
Result<SweepResults> read_results(const std::filesystem::path& folder);

}  // namespace dpfermi
