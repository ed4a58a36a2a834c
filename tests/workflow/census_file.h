#pragma once

/// The synthetic census as a file, with its groups declared.

#include <gtest/gtest.h>

#include "core/file.h"
#include "data/census.h"
#include "dpfermi/dpfermi.h"
#include "temp_folder.h"

namespace dpfermi::testing_support {

/// A folder with people.csv in it.
class CensusFolder {
 public:
  explicit CensusFolder(std::uint32_t rows = 1200) {
    CensusSpec spec;
    spec.rows = rows;
    EXPECT_TRUE(write_file_atomically(folder_ / "people.csv", [&](std::ostream& out) {
                  return write_census(spec, out);
                }).has_value());
  }

  std::string operator/(const std::string& name) const { return (folder_ / name).string(); }
  std::string table() const { return *this / "people.csv"; }

  LoadOptions options() const {
    return {.target = "income",
            .positive = "high",
            .sensitive = {"group"},
            .sensitive_values = {{"group", {"g0", "g1"}}}};
  }
  LoadedTable load() const { return dpfermi::load(table(), options()).value(); }
  LedgerFile ledger() const { return open_ledger(*this / "people.db").value(); }

 private:
  test::TempFolder folder_;
};

/// A short run.
inline TrainingRequest short_request() {
  return {.epsilon = 1, .max_violation = 0.05, .epochs = 2};
}

}  // namespace dpfermi::testing_support
