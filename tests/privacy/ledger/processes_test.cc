// Several processes on one budget: never overdrawn, nothing lost, whichever process is killed.

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "privacy/ledger/support.h"

namespace dpfermi {
namespace {

using namespace test;

/// Charges `epsilon` until it is refused, and reports each grant.
int spend_all(const fs::path& path, double epsilon, int pipe) {
  RunLedger run = start(LedgerFile::open(path).value());
  while (true) {
    const auto permit = run.charge(cost(epsilon, 0));
    if (!permit) return permit.error().kind == ErrorKind::kBudgetRefused ? 0 : 1;
    report(pipe, 'c');
  }
}

class ProcessesTest : public ::testing::Test {
 protected:
  TempFolder folder_;
  fs::path path_ = folder_ / "ledger.db";
};

TEST_F(ProcessesTest, CannotOverdrawOneBudgetTogether) {
  ASSERT_TRUE(open_or_create(path_).init_budget({.name = "b"}, cap("1", "0")));
  std::vector<Child> children;
  for (int i = 0; i < 6; ++i) {
    children.emplace_back([this](int pipe) { return spend_all(path_, 0.005, pipe); });
  }
  std::size_t granted = 0;
  for (Child& child : children) {
    granted += child.wait().size();
    EXPECT_EQ(child.exit_status(), 0);
  }
  EXPECT_EQ(granted, 200U);
  const LedgerFile file = LedgerFile::open(path_).value();
  EXPECT_EQ(budget(file).charges, 200U);
  EXPECT_EQ(budget(file).spent_epsilon.text(), "1");
}

TEST_F(ProcessesTest, CannotOverdrawOneFilterTogether) {
  const BudgetCap limit = with_renyi_filter(cap("3", "1e-6")).value();
  ASSERT_TRUE(open_or_create(path_).init_budget({.name = "b"}, limit));
  std::vector<Child> children;
  for (int i = 0; i < 6; ++i) {
    // Every release is the same whatever it is said to cost.
    children.emplace_back([this](int pipe) { return spend_all(path_, 1, pipe); });
  }
  std::size_t granted = 0;
  for (Child& child : children) {
    granted += child.wait().size();
    EXPECT_EQ(child.exit_status(), 0);
  }
  const LedgerFile file = LedgerFile::open(path_).value();
  const BudgetState state = budget(file);
  EXPECT_EQ(state.charges, granted);
  EXPECT_GE(granted, 2U);
  EXPECT_LE(state.spent_renyi.divergence, limit.filter->divergence);
  const double each =
      state.spent_renyi.divergence.to_double(Rounding::kUp) / static_cast<double>(granted);
  EXPECT_LT(state.left_renyi().divergence.to_double(Rounding::kDown), each);
}

TEST_F(ProcessesTest, AForkedChildCanUseNeitherPermitNorLedgerOfItsParent) {
  LedgerFile file = open_or_create(path_);
  RunLedger run = start(file);
  ReleasePermit permit = run.charge(cost(0.1, 0)).value();
  const std::uint64_t plan = run.plan(training(4, 0)).value();
  Child child([&](int pipe) {
    const auto tell = [&](bool works) { report(pipe, works ? 'y' : 'n'); };
    tell(permit.consume().has_value());
    ReleasePermit moved = std::move(permit);
    tell(moved.consume().has_value());
    tell(run.charge(cost(0.1, 0)).has_value());
    tell(run.claim(plan, 1, 0, 1).has_value());
    tell(run.commit().has_value());
    tell(file.budgets().has_value());
    tell(LedgerFile::open(path_)->budgets().has_value());
    return 0;
  });
  EXPECT_EQ(child.wait(), "nnnnnny");
  EXPECT_TRUE(permit.consume());
  EXPECT_TRUE(run.claim(plan, 1, 0, 1));
  EXPECT_EQ(budget(file).charges, 2U);
}

TEST_F(ProcessesTest, MakeOneLedgerBetweenThem) {
  std::vector<Child> children;
  for (int i = 0; i < 6; ++i) {
    children.emplace_back([this](int pipe) {
      auto file = LedgerFile::open_or_create(path_);
      if (!file) return 1;
      if (file->init_budget({.name = "b"}, cap("1", "0"))) report(pipe, 'i');
      if (start(*file).charge(cost(0.3, 0))) report(pipe, 'c');
      return 0;
    });
  }
  std::string reports;
  for (Child& child : children) {
    reports += child.wait();
    EXPECT_EQ(child.exit_status(), 0);
  }
  EXPECT_EQ(std::ranges::count(reports, 'i'), 1);
  EXPECT_GE(std::ranges::count(reports, 'c'), 3) << "before the cap is set, more may be recorded";
  const LedgerFile file = LedgerFile::open(path_).value();
  EXPECT_EQ(static_cast<std::int64_t>(budget(file).charges), std::ranges::count(reports, 'c'));
  EXPECT_TRUE(file.sealed(std::string(64, 'a')));
}

TEST_F(ProcessesTest, KilledAtAnyMomentLoseNothing) {
  ASSERT_TRUE(open_or_create(path_).init_budget({.name = "b"}, cap("1000", "0")));
  std::mt19937 random(1);
  std::size_t granted = 0;
  constexpr int kRounds = 25;
  constexpr std::size_t kEnough = 20;  // a busy machine needs more rounds to grant as many
  for (int round = 0; round < kRounds || (granted <= kEnough && round < 20 * kRounds); ++round) {
    std::vector<Child> children;
    for (int i = 0; i < 3; ++i) {
      children.emplace_back([this](int pipe) { return spend_all(path_, 0.5, pipe); });
    }
    for (Child& child : children) {
      // Where few are granted in time, a busy machine, later rounds wait longer.
      ::usleep(static_cast<unsigned>(random() % (20'000 * (1 + round / kRounds))));
      ::kill(child.pid(), SIGKILL);
    }
    for (Child& child : children) granted += child.wait().size();
    const auto file = LedgerFile::open(path_);
    ASSERT_TRUE(file) << file.error().message;
    const std::uint64_t charged = budget(*file).charges;
    ASSERT_GE(charged, granted);
    ASSERT_LE(charged, granted + 3U * static_cast<unsigned>(round + 1)) << "one each at most";
  }
  EXPECT_GT(granted, kEnough);
}

}  // namespace
}  // namespace dpfermi
