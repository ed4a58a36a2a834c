// What a ledger grants, refuses and remembers.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include "privacy/ledger/support.h"

namespace dpfermi {
namespace {

using namespace test;
using ::testing::HasSubstr;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const std::string kOtherData(64, 'b');

class LedgerTest : public ::testing::Test {
 protected:
  TempFolder folder_;
  fs::path path_ = folder_ / "state/ledger.db";
  LedgerFile file_ = open_or_create(path_);
};

TEST_F(LedgerTest, GrantsUpToTheCapAndNotBeyond) {
  ASSERT_TRUE(file_.init_budget({.name = "b"}, cap("1", "1e-5")));
  RunLedger run = start(file_);
  for (int i = 0; i < 10; ++i) {
    const auto permit = run.charge(cost(0.1, 1e-6));
    ASSERT_TRUE(permit) << permit.error().message;
    EXPECT_EQ(permit->remaining(), 1U);
  }
  const auto refused = run.charge(cost(1e-9, 0));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kBudgetRefused);
  EXPECT_EQ(budget(file_).spent_epsilon.text(), "1");
  EXPECT_EQ(budget(file_).spent_delta.text(), "0.00001");
}

TEST_F(LedgerTest, RefusalSaysWhatIsLeftAndWhatWouldFit) {
  ASSERT_TRUE(file_.init_budget({.name = "b"}, cap("1", "1e-5")));
  RunLedger run = start(file_);
  ASSERT_TRUE(run.charge(cost(0.7, 4e-6)));
  const auto refused = run.charge(cost(0.5, 1e-6, "training steps"));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "budget 'b' does not cover 'training steps': it needs epsilon 0.5, delta 1e-06 but "
            "epsilon 0.3, delta 6e-06 are left of 1, 1e-05; epsilon <= 0.3 with delta <= 6e-06 "
            "would fit");
  EXPECT_TRUE(run.charge(cost(0.3, 6e-6))) << "what would fit must fit";
}

TEST_F(LedgerTest, DeltaIsLimitedAsWell) {
  ASSERT_TRUE(file_.init_budget({.name = "b"}, cap("1", "1e-6")));
  RunLedger run = start(file_);
  EXPECT_EQ(run.charge(cost(0.1, 2e-6)).error().kind, ErrorKind::kBudgetRefused);
  EXPECT_EQ(budget(file_).spent_epsilon, Amount());
}

TEST_F(LedgerTest, WithoutInitSpendingIsRecordedUncapped) {
  RunLedger run = start(file_, "free");
  ASSERT_TRUE(run.charge(cost(1000, 0.5)));
  const BudgetState state = budget(file_, "free");
  EXPECT_FALSE(state.cap);
  EXPECT_EQ(state.spent_epsilon.text(), "1000");
  EXPECT_TRUE(state.left_epsilon().is_infinite());
}

TEST_F(LedgerTest, ACapCountsWhatWasSpentBeforeItAndIsSetOnce) {
  RunLedger run = start(file_);
  ASSERT_TRUE(run.charge(cost(2, 0)));
  EXPECT_EQ(file_.init_budget({.name = "b"}, cap("1", "1e-5")).error().kind,
            ErrorKind::kBudgetRefused);
  ASSERT_TRUE(file_.init_budget({.name = "b"}, cap("3", "1e-5")));
  EXPECT_EQ(budget(file_).left_epsilon().text(), "1");
  EXPECT_EQ(file_.init_budget({.name = "b"}, cap("30", "1e-5")).error().kind,
            ErrorKind::kBudgetRefused);
}

TEST_F(LedgerTest, RefusesAmountsWithoutMeaningAndRecordsNothing) {
  ASSERT_TRUE(file_.init_budget({.name = "b"}, cap("1", "1e-5")));
  const std::uint64_t before = file_.head()->sequence;
  RunLedger run = start(file_);
  const double nan = std::nan("");
  const PrivacyCost bad[] = {{-10, 0},      {nan, 0},         {0.1, nan},        {0.1, -1e-9},
                             {0.1, 1.5},    {0.1, kInfinity}, {-kInfinity, 0},   {0.1, -kInfinity},
                             {-1e-300, 0},  {nan, nan},       {kInfinity, 1e-9}, {kInfinity, nan},
                             {1e300, 1e-9}, {1e308, 0}};
  for (const PrivacyCost& price : bad) {
    EXPECT_FALSE(run.charge(cost(price.epsilon, price.delta)))
        << price.epsilon << " " << price.delta;
  }
  EXPECT_EQ(file_.head()->sequence, before);
  EXPECT_EQ(budget(file_).left_epsilon().text(), "1");
  for (const BudgetCap& limit : {cap("0", "0"), cap("inf", "0"), cap("1", "1"), cap("1", "inf")}) {
    EXPECT_EQ(file_.init_budget({.name = "c"}, limit).error().kind, ErrorKind::kUsage);
  }
  EXPECT_EQ(file_.head()->sequence, before);
}

TEST_F(LedgerTest, WhatIsNotPricedCostsEverything) {
  RunLedger free = start(file_, "free");
  ASSERT_TRUE(free.charge({.purpose = "unpriced", .event = gaussian()}));
  EXPECT_TRUE(budget(file_, "free").spent_epsilon.is_infinite());
  ASSERT_TRUE(free.charge(cost(1, 0))) << "infinity plus one is still recorded";
  ASSERT_TRUE(file_.init_budget({.name = "b"}, cap("1", "1e-5")));
  RunLedger run = start(file_);
  EXPECT_EQ(run.charge({.purpose = "unpriced", .event = gaussian()}).error().kind,
            ErrorKind::kBudgetRefused);
}

TEST_F(LedgerTest, AnExactReleaseCannotBePricedLower) {
  RunLedger run = start(file_);
  const PrivacyEvent exact = PrivacyEvent::create(Adjacency::kSensitive, ExactRelease{}).value();
  const PrivacyEvent silent =
      PrivacyEvent::create(Adjacency::kSensitive, GaussianRelease{0}).value();
  for (const PrivacyEvent& event : {exact, silent, exact.times(3), gaussian().times(0)}) {
    const bool refused = !run.charge({.purpose = "p", .event = event, .cost = {1, 0}});
    EXPECT_EQ(refused, describe(event) != describe(gaussian().times(0))) << describe(event);
  }
  EXPECT_TRUE(run.charge({.purpose = "p", .event = exact, .cost = {kInfinity, 0}}));
}

// Without noise a sampled unit is laid open: with probability q in one release, 1 - (1-q)^k in k.
TEST_F(LedgerTest, SamplingWithoutNoiseIsPaidForInDelta) {
  RunLedger run = start(file_);
  const auto event = [](PrivacyEvent::Node node) {
    return PrivacyEvent::create(Adjacency::kSensitive, std::move(node)).value();
  };
  const auto accepts = [&](const PrivacyEvent& one, std::uint64_t count, PrivacyCost price) {
    return run.charge({.purpose = "p", .event = one, .count = count, .cost = price}).has_value();
  };
  for (const PrivacyEvent& silent :
       {event(PoissonGaussianRelease{0.1, 0}), event(RevealedPoissonGaussianRelease{0.1, 0})}) {
    EXPECT_FALSE(accepts(silent, 1, {1, 0.0999}));
    EXPECT_TRUE(accepts(silent, 1, {1, 0.1}));
    EXPECT_FALSE(accepts(silent, 2, {1, 0.1899}));
    EXPECT_TRUE(accepts(silent, 2, {1, 0.19}));
    EXPECT_FALSE(accepts(silent.times(2), 1, {1, 0.1899}));
    EXPECT_FALSE(accepts(event(Composition{{gaussian(), silent, silent}}), 1, {1, 0.1899}));
    EXPECT_TRUE(accepts(event(Composition{{gaussian(), silent, silent}}), 1, {1, 0.19}));
    EXPECT_FALSE(accepts(silent, 1'000'000, {1, 0.999}));
    EXPECT_TRUE(accepts(silent, 2, {kInfinity, 0}));
    EXPECT_TRUE(accepts(silent, 0, {1, 0}));
  }
  EXPECT_TRUE(accepts(event(PoissonGaussianRelease{0, 0}), 5, {1, 0})) << "no unit is ever in it";
  EXPECT_FALSE(accepts(event(PoissonGaussianRelease{1, 0}), 1, {1, 0.5}));
  EXPECT_TRUE(accepts(event(PoissonGaussianRelease{0.1, 1}), 5, {1, 0})) << "prices are trusted";
}

TEST_F(LedgerTest, SumsThatOverflowAreInfinite) {
  RunLedger run = start(file_);
  ASSERT_TRUE(run.charge(cost(9e14, 1)));
  ASSERT_TRUE(run.charge(cost(9e14, 1)));
  EXPECT_TRUE(budget(file_).spent_epsilon.is_infinite());
  EXPECT_EQ(budget(file_).spent_delta.text(), "2");
  EXPECT_TRUE(LedgerFile::open(path_));
}

TEST_F(LedgerTest, AnotherAdjacencyIsRefused) {
  ASSERT_TRUE(file_.init_budget({.name = "b"}, cap("1", "1e-5")));
  RunLedger as_record =
      RunLedger::start(file_, {.name = "b", .adjacency = Adjacency::kReplaceRecord}).value();
  const auto refused = as_record.charge(
      {.purpose = "p", .event = gaussian(Adjacency::kReplaceRecord), .cost = {0.1, 0}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kBudgetRefused);
  EXPECT_THAT(refused.error().message, HasSubstr("is for adjacency sensitive, not replace-record"));
  RunLedger disguised = start(file_);
  EXPECT_FALSE(disguised.charge(
      {.purpose = "p", .event = gaussian(Adjacency::kAddRemoveRecord), .cost = {0.1, 0}}));
}

TEST_F(LedgerTest, APartOfABudgetsDataIsChargedInFullAndTiesNothing) {
  const std::string third(64, 'c');
  const auto charge = [&](BudgetKey key) {
    const auto permit = RunLedger::start(file_, std::move(key))->charge(cost(0.1, 0));
    return permit ? std::string("granted") : permit.error().message;
  };
  ASSERT_EQ(charge({.name = "b", .fingerprint = kData}), "granted");
  ASSERT_EQ(charge({.name = "separate", .fingerprint = third}), "granted");
  EXPECT_EQ(charge({.name = "b", .fingerprint = kOtherData, .part = true}), "granted");
  EXPECT_EQ(charge({.name = "b", .fingerprint = kOtherData, .part = true}), "granted");
  EXPECT_EQ(budget(file_).spent_epsilon.text(), "0.3");
  EXPECT_EQ(budget(file_).fingerprint, kData);
  EXPECT_THAT(charge({.name = "b", .fingerprint = third, .part = true}),
              HasSubstr("belong to budget 'separate'"));
}

TEST_F(LedgerTest, ABudgetBelongsToItsDataAndDataToTheirBudget) {
  ASSERT_TRUE(file_.init_budget({.name = "b", .fingerprint = kData}, cap("1", "1e-5")));
  const auto charge_to = [&](const std::string& name, const std::string& data) {
    RunLedger run = RunLedger::start(file_, {.name = name, .fingerprint = data}).value();
    const auto permit = run.charge(cost(0.1, 0));
    return permit ? std::string("granted") : permit.error().message;
  };
  EXPECT_EQ(charge_to("b", kData), "granted");
  EXPECT_EQ(charge_to("", kData), "granted");
  EXPECT_THAT(charge_to("other", kData), HasSubstr("belong to budget 'b'"));
  EXPECT_THAT(charge_to("b", kOtherData), HasSubstr("belongs to other data"));
  EXPECT_EQ(charge_to("", kOtherData), "granted");
  EXPECT_EQ(budget(file_).spent_epsilon.text(), "0.2");
  EXPECT_EQ(budget(file_, "data-bbbbbbbbbbbb").spent_epsilon.text(), "0.1");
  EXPECT_THAT(charge_to("c", "short"), HasSubstr("is not a fingerprint"));
  EXPECT_THAT(charge_to("", ""), HasSubstr("name a budget"));
}

TEST_F(LedgerTest, TheFirstRunTiesABudgetToItsData) {
  ASSERT_TRUE(file_.init_budget({.name = "b"}, cap("1", "1e-5")));
  ASSERT_TRUE(RunLedger::start(file_, {.name = "b", .fingerprint = kData})->charge(cost(0.1, 0)));
  EXPECT_EQ(budget(file_).fingerprint, kData);
  EXPECT_FALSE(
      RunLedger::start(file_, {.name = "b", .fingerprint = kOtherData})->charge(cost(0.1, 0)));
}

TEST_F(LedgerTest, LabelsAreOneLineOfText) {
  for (const std::string& name : {std::string("a\nb"), std::string("\xff"), std::string(101, 'x'),
                                  std::string("a\0b", 3), std::string("\x1b[31m")}) {
    EXPECT_EQ(file_.init_budget({.name = name}, cap("1", "0")).error().kind, ErrorKind::kUsage);
  }
  EXPECT_FALSE(start(file_).charge(cost(1, 0, "\xc3\x28")));
  EXPECT_TRUE(file_.init_budget({.name = "Gehälter 2024 'x\"; DROP TABLE entry"}, cap("1", "0")));
}

TEST_F(LedgerTest, TheClockMayGoBack) {
  std::int64_t now = 1'700'000'000;
  LedgerOptions options;
  options.clock = [&now] { return now -= 86'400 * 365; };
  LedgerFile file = LedgerFile::open(path_, options).value();
  ASSERT_TRUE(file.init_budget({.name = "b"}, cap("1", "1e-5")));
  RunLedger run = start(file);
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(run.charge(cost(0.2, 0)));
  now = std::numeric_limits<std::int64_t>::min() + 86'400LL * 365 * 9;
  EXPECT_EQ(run.charge(cost(0.2, 0)).error().kind, ErrorKind::kBudgetRefused);
  ASSERT_TRUE(run.commit());
  EXPECT_EQ(budget(LedgerFile::open(path_).value()).spent_epsilon.text(), "1");
}

TEST_F(LedgerTest, ManyThreadsShareOneHandle) {
  ASSERT_TRUE(file_.init_budget({.name = "b"}, cap("1", "1e-5")));
  std::atomic<int> granted = 0;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&] {
        RunLedger run = start(file_);
        for (int i = 0; i < 10; ++i) granted += run.charge(cost(0.04, 0)) ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(granted, 25);
  EXPECT_EQ(budget(file_).spent_epsilon.text(), "1");
}

TEST(LedgerLock, AnotherProcessThatHoldsItIsNamedAsTheReason) {
  const TempFolder folder;
  const fs::path path = folder / "ledger.db";
  ASSERT_TRUE(LedgerFile::open_or_create(path));
  int go[2];
  ASSERT_EQ(::pipe(go), 0);
  Child holder([&](int pipe) {
    LedgerOptions stuck;
    stuck.clock = [&]() -> std::int64_t {  // called while the write lock is held
      report(pipe, 'l');
      char byte = 0;
      return ::read(go[0], &byte, 1);
    };
    RunLedger run = start(LedgerFile::open(path, stuck).value());
    return run.charge(cost(1, 0)) ? 0 : 1;
  });
  ASSERT_EQ(holder.next(), 'l');
  LedgerOptions hasty;
  hasty.patience = std::chrono::milliseconds(50);
  const LedgerFile file = LedgerFile::open(path, hasty).value();  // readers need not wait
  const auto refused = start(file).charge(cost(0.1, 0));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            path.string() +
                ": another process has kept the ledger locked for 0.05 s; try again "
                "when it is done");
  ASSERT_EQ(::write(go[1], "gogo", 4), 4);
  holder.wait();
  EXPECT_EQ(holder.exit_status(), 0);
  EXPECT_EQ(budget(file).spent_epsilon.text(), "1");
}

}  // namespace
}  // namespace dpfermi
