// Every change of a file is made to go wrong, one after the other, in a separate process; then
// the ledger is opened again. In every case: what was granted is in the ledger, nothing else than
// what was asked for is, the budget is not overdrawn, and the ledger works on.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>

#include "privacy/ledger/fault_vfs.h"
#include "privacy/ledger/support.h"

namespace dpfermi {
namespace {

using namespace test;

/// Spends from budget 'b' (cap 1, of which 0.1 is spent) in every way there is. Reports c for each
/// 0.1 granted, k for each claim, d for the commit, u for the uncapped charge, f for one that a
/// filter counts.
void spend_in_every_way(const fs::path& path, int pipe) {
  auto file = LedgerFile::open(path);
  if (!file) return;
  RunLedger run = start(*file);
  for (int i = 0; i < 2; ++i) {
    if (run.charge(cost(0.1, 1e-6))) report(pipe, 'c');
  }
  JointPlan joint = training(3, 2);
  joint.cost = {0.1, 1e-6};
  if (const auto plan = run.plan(joint)) {
    report(pipe, 'c');
    if (run.claim(*plan, 0, 0, 1)) report(pipe, 'k');
    if (run.claim(*plan, 1, 0, 1)) report(pipe, 'k');
    if (run.claim(*plan, 1, 1, 2)) report(pipe, 'k');
  }
  if (run.commit()) report(pipe, 'd');
  RunLedger other = RunLedger::start(*file, {.name = "free", .fingerprint = kData}).value();
  if (other.charge(cost(5, 0))) report(pipe, 'u');
  if (start(*file, "filter").charge(cost(0.1, 1e-6))) report(pipe, 'f');
}

struct Seen {
  std::int64_t charges = 0;
  std::int64_t claims = 0;
  std::int64_t commits = 0;
  std::int64_t uncapped = 0;
  std::int64_t filtered = 0;
};

Seen seen_in(const LedgerFile& file) {
  Seen seen;
  const Status status = file.for_each_entry([&](const LedgerEntry& entry) -> Status {
    const auto has = [&](const char* text) {
      return entry.body.find(text) != std::string::npos ? 1 : 0;
    };
    seen.filtered += has(R"("kind":"charge","budget":"filter")");
    seen.uncapped += has(R"("kind":"charge","budget":"free")");
    seen.charges += has(R"("kind":"charge","budget":"b")");
    seen.claims += has(R"("kind":"claim")");
    seen.commits += has(R"("kind":"commit")");
    return {};
  });
  EXPECT_TRUE(status);
  return seen;
}

std::int64_t count(const std::string& reports, char what) {
  return std::ranges::count(reports, what);
}

class FaultTest : public ::testing::TestWithParam<Fault> {
 protected:
  FaultTest() {
    const LedgerFile file = open_or_create(path_);
    EXPECT_TRUE(LedgerFile(file).init_budget({.name = "b"}, cap("1", "1e-5")));
    EXPECT_TRUE(start(file).charge(cost(0.1, 1e-6)));
    EXPECT_TRUE(LedgerFile(file).init_budget({.name = "filter"},
                                             with_renyi_filter(cap("9", "1e-5")).value()));
  }

  /// After the fault: see the head of this file.
  void check_recovery(const std::string& reports) {
    const auto file = LedgerFile::open(path_);
    ASSERT_TRUE(file) << file.error().message;
    const Seen seen = seen_in(*file);
    EXPECT_GE(seen.charges, 1 + count(reports, 'c'));
    EXPECT_GE(seen.claims, count(reports, 'k'));
    EXPECT_GE(seen.commits, count(reports, 'd'));
    EXPECT_GE(seen.uncapped, count(reports, 'u'));
    EXPECT_LE(seen.charges, 4);
    EXPECT_LE(seen.claims, 3);
    EXPECT_LE(seen.uncapped, 1);
    EXPECT_GE(seen.filtered, count(reports, 'f'));
    EXPECT_EQ(budget(*file, "filter").spent_renyi.divergence == Amount(), seen.filtered == 0);
    EXPECT_EQ(budget(*file).spent_epsilon, amount("0." + std::to_string(seen.charges)));

    RunLedger rest = start(*file);
    EXPECT_FALSE(
        rest.charge(cost(budget(*file).left_epsilon().to_double(Rounding::kUp) + 0.01, 0)));
    EXPECT_TRUE(rest.charge(cost(budget(*file).left_epsilon().to_double(Rounding::kUp), 0)));
    EXPECT_FALSE(rest.charge(cost(0.01, 0)));
  }

  TempFolder folder_;
  fs::path path_ = folder_ / "ledger.db";
};

TEST_P(FaultTest, NothingIsLostOrGrantedTwice) {
  const Fault fault = GetParam();
  const bool deadly =
      fault != Fault::kFull && fault != Fault::kFullOnce && fault != Fault::kSyncError;
  const std::string before = read_bytes(path_);
  int faults = 0;
  for (int at = 1; !HasFatalFailure(); ++at) {
    write_bytes(path_, before);
    fs::remove(path_.string() + "-journal");
    Child child([&](int pipe) {
      FaultVfs::install(fault, at);
      spend_in_every_way(path_, pipe);
      if (fault == Fault::kPowerCut || fault == Fault::kPowerCutMixed) FaultVfs::cut_power();
      return FaultVfs::happened() ? 1 : 0;
    });
    const std::string reports = child.wait();
    SCOPED_TRACE("change " + std::to_string(at) + ", granted " + reports);
    check_recovery(reports);
    if (child.exit_status() == 0) {
      EXPECT_EQ(reports, "ccckkkduf");
      break;
    }
    EXPECT_EQ(child.was_killed(), deadly) << child.exit_status();
    ++faults;
  }
  EXPECT_GT(faults, 50) << "the layer below SQLite saw too little";
}

class CreationFaultTest : public ::testing::TestWithParam<Fault> {};

TEST_P(CreationFaultTest, ALedgerIsMadeWholeOrNotAtAll) {
  for (int at = 1; !HasFatalFailure(); ++at) {
    const TempFolder folder;
    const fs::path path = folder / "new/ledger.db";
    Child child([&](int pipe) {
      FaultVfs::install(GetParam(), at);
      auto file = LedgerFile::open_or_create(path);
      if (file && file->init_budget({.name = "b"}, cap("1", "1e-5"))) report(pipe, 'i');
      if (file && start(*file).charge(cost(0.5, 0))) report(pipe, 'c');
      return FaultVfs::happened() ? 1 : 0;
    });
    const std::string reports = child.wait();
    SCOPED_TRACE("change " + std::to_string(at) + ", granted " + reports);
    auto file = LedgerFile::open_or_create(path);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_TRUE(file->sealed(std::string(64, 'a'))) << "the key must have survived";
    if (count(reports, 'c') > 0) {
      EXPECT_GE(budget(*file).spent_epsilon, amount("0.5"));
    }
    if (count(reports, 'i') > 0) {
      EXPECT_TRUE(budget(*file).cap.has_value());
    }
    if (child.exit_status() == 0) break;
  }
}

std::string fault_name(const ::testing::TestParamInfo<Fault>& fault) {
  constexpr const char* kNames[] = {"Kill",     "TornWrite",    "PowerCut", "PowerCutMixed",
                                    "DiskFull", "DiskFullOnce", "SyncError"};
  return kNames[static_cast<int>(fault.param)];
}

INSTANTIATE_TEST_SUITE_P(EveryChange, FaultTest,
                         ::testing::Values(Fault::kKill, Fault::kTornWrite, Fault::kPowerCut,
                                           Fault::kPowerCutMixed, Fault::kFull, Fault::kFullOnce,
                                           Fault::kSyncError),
                         fault_name);
INSTANTIATE_TEST_SUITE_P(EveryChange, CreationFaultTest,
                         ::testing::Values(Fault::kKill, Fault::kPowerCut, Fault::kFull),
                         fault_name);

/// The system's own refusal to let files grow, instead of a simulated one.
TEST(FullDisk, TheSystemsLimitOnFilesRefusesChargesAndLosesNothing) {
  const TempFolder folder;
  const fs::path path = folder / "ledger.db";
  ASSERT_TRUE(LedgerFile::open_or_create(path));
  Child child([&](int pipe) {
    const rlim_t limit = fs::file_size(path) + 3 * 4096;
    const struct rlimit small = {limit, limit};
    ::signal(SIGXFSZ, SIG_IGN);
    if (::setrlimit(RLIMIT_FSIZE, &small) != 0) return 2;
    RunLedger run = start(LedgerFile::open(path).value());
    int refused = 0;
    for (int i = 0; i < 200 && refused < 5; ++i) {
      if (run.charge(cost(0.25, 0))) {
        report(pipe, 'c');
      } else {
        ++refused;
      }
    }
    return refused == 5 ? 0 : 1;
  });
  const std::int64_t granted = count(child.wait(), 'c');
  EXPECT_EQ(child.exit_status(), 0);
  EXPECT_GT(granted, 3);
  const LedgerFile file = LedgerFile::open(path).value();
  EXPECT_EQ(static_cast<std::int64_t>(budget(file).charges), granted);
  EXPECT_TRUE(start(file).charge(cost(0.25, 0)));
}

}  // namespace
}  // namespace dpfermi
