#pragma once

/// The files of a results folder (experiment/run_store.h) and the records in them.

#include <filesystem>

#include "dpfermi/core/result.h"
#include "experiment/run_log.h"

namespace dpfermi {

inline constexpr const char* kSweepFile = "sweep.json";
inline constexpr const char* kLogFile = "runs.log";
inline constexpr const char* kRunsFile = "runs.jsonl";

bool is_there(const std::filesystem::path& path);

/// The records of a folder as they stand there: of the finished file, then of the log.
Result<LogContents> stored_texts(const std::filesystem::path& folder);

}  // namespace dpfermi
