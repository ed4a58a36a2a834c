#pragma once

/// What holds for every command: exit codes and environment variables.

#include <array>
#include <string_view>

#include "dpfermi/core/result.h"

namespace dpfermi::cli {

struct ExitCode {
  int value;
  std::string_view meaning;
};

constexpr std::array kExitCodes = {
    ExitCode{0, "The work is done, and the whole result was written."},
    ExitCode{static_cast<int>(ErrorKind::kFailed),
             "Bad input, a missing file, a broken claim, a missed --require-target: anything that "
             "stopped the work."},
    ExitCode{static_cast<int>(ErrorKind::kUsage), "The request itself makes no sense."},
    ExitCode{static_cast<int>(ErrorKind::kBudgetRefused),
             "The privacy budget does not cover the request."},
};

struct EnvironmentVariable {
  std::string_view name;
  std::string_view meaning;
};

constexpr std::array kEnvironment = {
    EnvironmentVariable{"DPFERMI_DATA", "Folder of known data sets, searched before the cache."},
    EnvironmentVariable{"DPFERMI_DEEP",
                        "The program dpfermi-deep, where it does not lie beside the tool."},
    EnvironmentVariable{"DPFERMI_DUCKDB", "The file libduckdb.so, which reads Parquet and DuckDB."},
    EnvironmentVariable{"DPFERMI_LEDGER", "The ledger file of every command without --ledger."},
    EnvironmentVariable{"XDG_CACHE_HOME",
                        "Data sets and the demo lie in its folder dpfermi (default ~/.cache)."},
    EnvironmentVariable{"XDG_STATE_HOME",
                        "The ledger is dpfermi/ledger.db below it (default ~/.local/state)."},
};

}  // namespace dpfermi::cli
