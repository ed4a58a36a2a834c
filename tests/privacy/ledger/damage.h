#pragma once

/// Ledgers changed behind dpfermi's back: refused, or not a single entry differs.

#include <sqlite3.h>

#include <string>
#include <vector>

#include "privacy/ledger/support.h"

namespace dpfermi::test {

inline std::vector<std::string> entries_of(const LedgerFile& file) {
  std::vector<std::string> entries;
  EXPECT_TRUE(file.for_each_entry([&](const LedgerEntry& entry) -> Status {
    entries.push_back(entry.hash + entry.body);
    return {};
  }));
  return entries;
}

/// A ledger with a few dozen entries.
inline void make_sample_ledger(const fs::path& path) {
  const LedgerFile file = open_or_create(path);
  ASSERT_TRUE(LedgerFile(file).init_budget({.name = "b"}, cap("10", "1e-3")));
  for (int i = 0; i < 3; ++i) {
    RunLedger run = start(file);
    for (int j = 0; j < 2; ++j) ASSERT_TRUE(run.charge(cost(0.1, 1e-6)));
    const std::uint64_t plan = run.plan(training(10, 2)).value();
    ASSERT_TRUE(run.claim(plan, 0, 0, 1));
    ASSERT_TRUE(run.claim(plan, 1, 0, 10));
    ASSERT_TRUE(run.commit());
  }
}

/// Writes `bytes` as the ledger and checks the invariant; true when it was refused. A charge on it
/// that is granted must not cost an entry either.
inline bool refused_or_intact(const fs::path& path, const std::string& bytes,
                              const std::vector<std::string>& expected) {
  write_bytes(path, bytes);
  const auto file = LedgerFile::open(path);
  if (!file) return true;
  EXPECT_EQ(entries_of(*file), expected);
  if (!start(*file).charge(cost(0.1, 0))) return true;
  const auto again = LedgerFile::open(path);
  EXPECT_TRUE(again) << again.error().message;
  if (!again) return false;
  std::vector<std::string> now = entries_of(*again);
  EXPECT_EQ(now.size(), expected.size() + 1);
  now.resize(std::min(now.size(), expected.size()));
  EXPECT_EQ(now, expected);
  return false;
}

/// Runs SQL on the file as a meddler would.
inline void meddle(const fs::path& path, const std::string& sql) {
  sqlite3* database = nullptr;
  ASSERT_EQ(sqlite3_open(path.c_str(), &database), SQLITE_OK);
  char* message = nullptr;
  EXPECT_EQ(sqlite3_exec(database, sql.c_str(), nullptr, nullptr, &message), SQLITE_OK) << message;
  sqlite3_free(message);
  sqlite3_close(database);
}

}  // namespace dpfermi::test
