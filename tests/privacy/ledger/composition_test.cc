// How charges add up: across adjacencies, with known seeds, in a Renyi filter, in older ledgers.

#include "privacy/ledger/composition.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <regex>

#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "privacy/accountant/gdp_accountant.h"
#include "privacy/ledger/damage.h"
#include "privacy/ledger/store.h"

namespace dpfermi {
namespace {

using namespace test;
using ::testing::HasSubstr;
using enum Adjacency;

// The digests of one table under each adjacency.
const std::string kUnderSensitive(64, 'a');
const std::string kUnderReplace(64, 'b');
const std::string kUnderAddRemove(64, 'c');

BudgetKey key_of(Adjacency adjacency, std::string name = "") {
  switch (adjacency) {
    case kSensitive:
      return {std::move(name), adjacency, kUnderSensitive};
    case kReplaceRecord:
      return {std::move(name), adjacency, kUnderReplace, {kUnderSensitive}};
    default:
      return {std::move(name), adjacency, kUnderAddRemove, {kUnderReplace, kUnderSensitive}};
  }
}

Charge charge_under(Adjacency adjacency, double epsilon, double delta = 0) {
  return {.purpose = "a test", .event = gaussian(adjacency), .cost = {epsilon, delta}};
}

class CompositionTest : public ::testing::Test {
 protected:
  Result<ReleasePermit> spend(Adjacency adjacency, double epsilon, double delta = 0,
                              const std::string& name = "") {
    return RunLedger::start(file_, key_of(adjacency, name))
        ->charge(charge_under(adjacency, epsilon, delta));
  }

  TempFolder folder_;
  fs::path path_ = folder_ / "ledger.db";
  LedgerFile file_ = open_or_create(path_);
};

void expect_refused(const Result<ReleasePermit>& permit, const std::string& why) {
  ASSERT_FALSE(permit);
  EXPECT_EQ(permit.error().kind, ErrorKind::kBudgetRefused);
  EXPECT_THAT(permit.error().message, HasSubstr(why));
}

TEST(Amount, ProductsAndQuotientsAreRoundedAsAsked) {
  EXPECT_EQ(amount("1.5").times(amount("0.02"), Rounding::kUp).text(), "0.03");
  EXPECT_EQ(amount("1e-20").times(amount("1e-20"), Rounding::kDown).text(), "0");
  EXPECT_EQ(amount("1e-20").times(amount("1e-20"), Rounding::kUp), amount("1e-30"));
  EXPECT_EQ(amount("99999999.5").times(amount("10000001"), Rounding::kUp),
            amount("1000000094999999.5"));
  EXPECT_TRUE(amount("1e8").times(amount("1e7"), Rounding::kUp).is_infinite());
  EXPECT_EQ(Amount::infinite().times(Amount(), Rounding::kUp), Amount());
  EXPECT_EQ(amount("1").over(3, Rounding::kDown).text(), "0.333333333333333333333333333333");
  EXPECT_EQ(amount("1").over(3, Rounding::kUp).text(), "0.333333333333333333333333333334");
}

// Reference values: Python's decimal module with 50 digits.
TEST(Amount, TheExponentialIsBoundedFromAbove) {
  EXPECT_EQ(exp_rounded_up(Amount()), Amount::one());
  EXPECT_GE(exp_rounded_up(Amount::one()), amount("2.718281828459045235360287471352"));
  EXPECT_LT(exp_rounded_up(Amount::one()), amount("2.7182818284590452353602874717"));
  EXPECT_GE(exp_rounded_up(amount("33.5")),
            amount("353887435612259.873929248212571573305026906841"));
  EXPECT_LT(exp_rounded_up(amount("33.5")).to_double(Rounding::kUp), std::exp(33.5) * (1 + 1e-12));
  EXPECT_TRUE(exp_rounded_up(amount("34.1")).is_infinite());
}

TEST_F(CompositionTest, AReplacedRecordCountsAgainstTheBudgetOfItsAttribute) {
  ASSERT_TRUE(file_.init_budget(key_of(kSensitive, "s"), cap("1", "1e-5")));
  ASSERT_TRUE(spend(kReplaceRecord, 0.9, 4e-6));
  EXPECT_EQ(budget(file_, "s").spent_epsilon.text(), "0.9");
  EXPECT_EQ(budget(file_, "s").spent_delta, amount("4e-6"));
  EXPECT_EQ(budget(file_, "s").charges, 0U);
  expect_refused(spend(kReplaceRecord, 0.2),
                 "budget 's' does not cover 'a test' under replace-record about the same data: it "
                 "needs epsilon 0.2");
  expect_refused(spend(kReplaceRecord, INFINITY), "'s'");
  expect_refused(spend(kSensitive, 0.2), "budget 's' does not cover 'a test': ");
  EXPECT_TRUE(spend(kSensitive, 0.1, 6e-6));
  expect_refused(spend(kReplaceRecord, 1e-9, 0, "another name"), "these data belong to budget");
}

TEST_F(CompositionTest, AnAddedRecordCountsTwice) {
  ASSERT_TRUE(file_.init_budget(key_of(kSensitive, "s"), cap("1", "1e-5")));
  ASSERT_TRUE(spend(kAddRemoveRecord, 0.2, 1e-7));
  const BudgetState s = budget(file_, "s");
  EXPECT_EQ(s.spent_epsilon.text(), "0.4");
  EXPECT_GE(s.spent_delta.to_double(Rounding::kDown), (1 + std::exp(0.2)) * 1e-7 * (1 - 1e-15));
  EXPECT_NEAR(s.spent_delta.to_double(Rounding::kUp), (1 + std::exp(0.2)) * 1e-7, 1e-20);
  ASSERT_TRUE(spend(kReplaceRecord, 0.25)) << "0.65 is left of what sensitive promises";
  expect_refused(spend(kAddRemoveRecord, 0.2, 1e-7), "needs epsilon 0.4");
}

TEST_F(CompositionTest, ALimitOnRecordsRefusesReleasesThatDoNotProtectThem) {
  ASSERT_TRUE(file_.init_budget({.name = "r", .adjacency = kReplaceRecord}, cap("1", "1e-5")));
  ASSERT_TRUE(spend(kReplaceRecord, 0.1, 0, "r"));
  expect_refused(spend(kSensitive, 0.01), "it protects more (replace-record)");
  ASSERT_TRUE(spend(kAddRemoveRecord, 0.4));
  expect_refused(spend(kAddRemoveRecord, 0.4), "'r'");
  ASSERT_TRUE(spend(kReplaceRecord, 0.1)) << "what others have spent counts, no more";
}

TEST_F(CompositionTest, ALimitOnPresenceRefusesExchanges) {
  ASSERT_TRUE(file_.init_budget({.name = "a", .adjacency = kAddRemoveRecord}, cap("1", "1e-5")));
  ASSERT_TRUE(spend(kAddRemoveRecord, 0.1, 0, "a"));
  expect_refused(spend(kReplaceRecord, 0.01), "it protects more (add-remove-record)");
}

TEST_F(CompositionTest, WhatWasSpentBeforeTheBudgetsMetCounts) {
  ASSERT_TRUE(spend(kReplaceRecord, 0.6, 1e-6));
  ASSERT_TRUE(file_.init_budget({.name = "s"}, cap("1", "1e-5")));
  expect_refused(spend(kSensitive, 0.5, 0, "s"), "'s'");
  ASSERT_TRUE(spend(kSensitive, 0.4, 0, "s"));
  EXPECT_EQ(budget(file_, "s").spent_epsilon.text(), "1");
  EXPECT_TRUE(LedgerFile::open(path_)) << "the same sums when the entries are replayed";
  const auto too_late = file_.init_budget(
      {.name = fmt::format("data-{:.12}", kUnderReplace), .adjacency = kReplaceRecord},
      cap("9", "1e-3"));
  EXPECT_EQ(too_late.error().kind, ErrorKind::kBudgetRefused) << "sensitive runs were made";
}

/// A charge for data that are called a part of those of the budget `name`.
Result<ReleasePermit> spend_part(const LedgerFile& file, BudgetKey key, double epsilon) {
  key.part = true;
  const Adjacency adjacency = key.adjacency;
  return RunLedger::start(file, std::move(key))->charge(charge_under(adjacency, epsilon));
}

TEST_F(CompositionTest, CallingDataAPartOfOthersDoesNotPassTheirLimit) {
  ASSERT_TRUE(file_.init_budget(key_of(kSensitive, "s"), cap("1", "1e-5")));
  ASSERT_TRUE(spend(kSensitive, 0.9));
  const BudgetKey others{"r", kReplaceRecord, std::string(64, 'd'), {std::string(64, 'e')}};
  ASSERT_TRUE(RunLedger::start(file_, others)->charge(charge_under(kReplaceRecord, 0.05)));
  expect_refused(spend_part(file_, key_of(kReplaceRecord, "r"), 0.5), "'s'");
  EXPECT_TRUE(budget(file_, "r").relatives.empty()) << "what was refused leaves no trace";
  ASSERT_TRUE(spend_part(file_, key_of(kReplaceRecord, "r"), 0.02));
  EXPECT_EQ(budget(file_, "s").spent_epsilon.text(), "0.97") << "all of r counts from now on";
  EXPECT_EQ(budget(file_, "r").fingerprint, others.fingerprint);
  EXPECT_TRUE(LedgerFile::open(path_));
}

TEST_F(CompositionTest, APartBelongsToTheBudgetThatItWasChargedTo) {
  const BudgetKey whole{"s", kSensitive, std::string(64, 'd')};
  ASSERT_TRUE(RunLedger::start(file_, whole)->charge(charge_under(kSensitive, 0.5)));
  ASSERT_TRUE(spend_part(file_, key_of(kSensitive, "s"), 0.1));
  expect_refused(spend(kSensitive, 0.1, 0, "another name"), "these data belong to budget 's'");
  expect_refused(spend_part(file_, key_of(kSensitive, "another name"), 0.1), "budget 's'");
  ASSERT_TRUE(spend(kSensitive, 0.1)) << "without a name it is found";
  EXPECT_EQ(budget(file_, "s").spent_epsilon.text(), "0.7");
  ASSERT_TRUE(spend(kReplaceRecord, 0.1));
  EXPECT_EQ(budget(file_, "s").spent_epsilon.text(), "0.8") << "other adjacencies know it too";
  const std::uint64_t before = file_.head()->sequence;
  ASSERT_TRUE(spend_part(file_, key_of(kSensitive, "s"), 0.1));
  EXPECT_EQ(file_.head()->sequence, before + 1) << "a part is learnt once";
}

TEST_F(CompositionTest, AKnownSeedIsRefusedWhereThereIsALimit) {
  ASSERT_TRUE(file_.init_budget(key_of(kSensitive, "s"), cap("1", "1e-5")));
  JointPlan seeded = training(4, 0, true);
  const auto refused = RunLedger::start(file_, key_of(kSensitive))->plan(seeded);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kBudgetRefused);
  EXPECT_THAT(refused.error().message, HasSubstr("`rehearsal`"));
  EXPECT_EQ(RunLedger::check(file_, key_of(kSensitive), seeded).error().message,
            refused.error().message);

  Charge record = charge_under(kReplaceRecord, 0.1);
  record.fixed_seed = true;
  expect_refused(RunLedger::start(file_, key_of(kReplaceRecord))->charge(record), "'s'");

  EXPECT_TRUE(RunLedger::check(file_, key_of(kSensitive), seeded, true));
  RunLedger rehearsal = RunLedger::start(file_, key_of(kSensitive), true).value();
  const std::uint64_t plan = rehearsal.plan(seeded).value();
  EXPECT_TRUE(rehearsal.claim(plan, 0, 0, 1));
  EXPECT_EQ(budget(file_, "s").spent_epsilon.text(), "0.5");
  const RunLedger resumed =
      RunLedger::resume(file_, rehearsal.run_id(), file_.head().value()).value();
  EXPECT_TRUE(resumed.rehearsal());
  EXPECT_THAT(entries_of(file_).at(entries_of(file_).size() - 2),
              HasSubstr(R"("fixed_seed":true,"rehearsal":true)"));
}

TEST_F(CompositionTest, NoLimitIsSetOnceNoiseOfAKnownSeedWasReleased) {
  Charge seeded = cost(0.1, 0);
  seeded.fixed_seed = true;
  ASSERT_TRUE(start(file_, "s").charge(seeded));
  const Status late = file_.init_budget({.name = "s"}, cap("1", "1e-5"));
  EXPECT_EQ(late.error().kind, ErrorKind::kBudgetRefused);
  EXPECT_THAT(late.error().message, HasSubstr("known seed"));
  RunLedger rehearsal = RunLedger::start(file_, {.name = "t"}, true).value();
  ASSERT_TRUE(rehearsal.charge(seeded));
  EXPECT_TRUE(file_.init_budget({.name = "t"}, cap("1", "1e-5")));
}

/// A sketch release: Gaussian noise that costs (epsilon, delta) exactly.
Charge sketch_release(double epsilon, double delta) {
  const double mu = gdp_mu_for(epsilon, delta);
  return {.purpose = "fairness sketch",
          .event = PrivacyEvent::create(kSensitive, GaussianRelease{1 / mu}).value(),
          .cost = {epsilon, delta, 1e-27}};
}

TEST_F(CompositionTest, AFilterHoldsThreeHundredReleasesWhereSumsHoldThirty) {
  ASSERT_TRUE(file_.init_budget({.name = "sums"}, cap("3", "1e-6")));
  RunLedger sums = start(file_, "sums");
  const Charge release = sketch_release(0.1, 1e-9);
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(sums.charge(release));
  EXPECT_FALSE(sums.charge(release));

  ASSERT_TRUE(file_.init_budget({.name = "f"}, with_renyi_filter(cap("3", "1e-9")).value()));
  RunLedger run = start(file_, "f");
  for (int i = 0; i < 300; ++i) {
    const auto permit = run.charge(release);
    ASSERT_TRUE(permit) << i << ": " << permit.error().message;
  }
  // The rest at once: as many as still fit, and not one more.
  const BudgetState state = budget(file_, "f");
  const double each = state.spent_renyi.divergence.to_double(Rounding::kUp) / 300;
  const double left = state.left_renyi().divergence.to_double(Rounding::kDown);
  const auto rest = static_cast<std::uint64_t>(left / each);
  Charge last = release;
  last.count = rest + 1;
  expect_refused(run.charge(last), "it needs a Renyi divergence of");
  last.count = rest;
  EXPECT_TRUE(run.charge(last));
  // What was promised is more than what all of it is known to cost at least.
  const auto composed = certified_epsilon(release.event.times(300 + rest), 1e-9);
  EXPECT_LE(composed->upper, 3);
  EXPECT_GT(composed->lower, 2) << "the filter is not wasteful";
}

TEST_F(CompositionTest, AFilterNeedsARoomForItsOrder) {
  EXPECT_EQ(with_renyi_filter(cap("1", "0")).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(with_renyi_filter(cap("50", "1e-6")).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(with_renyi_filter(cap("1", "1e-6"), amount("1")).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(with_renyi_filter(cap("1", "1e-6"), amount("5")).error().kind, ErrorKind::kUsage)
      << "ln(1/delta)/4 is more than 1";
  const BudgetCap chosen = with_renyi_filter(cap("1", "1e-6"), amount("40")).value();
  EXPECT_EQ(chosen.filter->order.text(), "40");
  BudgetCap generous = chosen;
  generous.filter->divergence = amount("0.9");
  EXPECT_FALSE(file_.init_budget({.name = "f"}, generous)) << "it would not keep epsilon 1";
  EXPECT_TRUE(file_.init_budget({.name = "f"}, chosen));
}

TEST_F(CompositionTest, AFilterCountsWhatHasOnlyAPrice) {
  ASSERT_TRUE(spend(kSensitive, 0.1, 1e-8, "f"));
  ASSERT_TRUE(spend(kReplaceRecord, 0.2, 1e-8));
  ASSERT_TRUE(
      file_.init_budget({.name = "f"}, with_renyi_filter(cap("3", "1e-6"), amount("10")).value()));
  // 10 (0.1^2 + 0.2^2) / 2, then epsilon itself where it is smaller.
  EXPECT_EQ(budget(file_, "f").spent_renyi.divergence, amount("0.25"));
  EXPECT_EQ(budget(file_, "f").spent_renyi.failure, amount("2e-8"));
  ASSERT_TRUE(spend(kReplaceRecord, 0.3, 1e-8));
  EXPECT_EQ(budget(file_, "f").spent_renyi.divergence, amount("0.55"));
  EXPECT_EQ(budget(file_, "f").spent_renyi.failure, amount("3e-8"));
  expect_refused(spend(kReplaceRecord, 0.01, 1e-7), "failure probability");
  expect_refused(spend(kSensitive, INFINITY), "'f'");
  EXPECT_TRUE(LedgerFile::open(path_));
}

TEST_F(CompositionTest, AnExactReleaseDoesNotPassAFilter) {
  ASSERT_TRUE(file_.init_budget({.name = "f"}, with_renyi_filter(cap("3", "0.1")).value()));
  const PrivacyEvent exact = PrivacyEvent::create(kSensitive, ExactRelease{}).value();
  expect_refused(start(file_, "f").charge({.purpose = "p", .event = exact}), "'f'");
  expect_refused(start(file_, "f").charge({.purpose = "unpriced", .event = gaussian()}), "'f'");
  const PrivacyEvent sampled =
      PrivacyEvent::create(kSensitive, PoissonGaussianRelease{0.001, 0}).value();
  ASSERT_TRUE(
      start(file_, "f").charge({.purpose = "p", .event = sampled, .count = 2, .cost = {1, 0.002}}));
  EXPECT_NEAR(budget(file_, "f").spent_renyi.failure.to_double(Rounding::kUp), 0.001999, 1e-9);
}

/// Turns the ledger into one that was written before budgets were related and seeds refused.
void rewrite_as_format_2(const fs::path& path, const LedgerFile& file) {
  std::string sql = "DROP TRIGGER entry_no_update; ";
  LedgerHead head;
  ASSERT_TRUE(file.for_each_entry([&](const LedgerEntry& entry) -> Status {
    std::string body = std::regex_replace(entry.body, std::regex(R"("format":3)"), R"("format":2)");
    body = std::regex_replace(body, std::regex(R"(,"rehearsal":(true|false))"), "");
    head = {entry.sequence, ledger::chain_hash(head, body).value()};
    sql += fmt::format("UPDATE entry SET body = '{}', hash = '{}' WHERE seq = {}; ", body,
                       head.hash, head.sequence);
    return {};
  }));
  sql += fmt::format("UPDATE head SET hash = '{}'; ", head.hash);
  sql +=
      "CREATE TRIGGER entry_no_update BEFORE UPDATE ON entry BEGIN SELECT RAISE(ABORT, 'ledger "
      "entries are never changed'); END";
  meddle(path, sql);
}

TEST_F(CompositionTest, AnOlderLedgerIsReadAsItWasMeantAndThenFollowsTheNewRules) {
  ASSERT_TRUE(file_.init_budget(key_of(kSensitive, "s"), cap("1", "1e-5")));
  RunLedger seeded = RunLedger::start(file_, key_of(kSensitive), true).value();
  ASSERT_TRUE(seeded.plan(training(4, 0, true))) << "refused today unless it is a rehearsal";
  ASSERT_TRUE(spend(kSensitive, 0.1));
  rewrite_as_format_2(path_, file_);

  file_ = LedgerFile::open(path_).value();
  const std::uint64_t before = file_.head()->sequence;
  EXPECT_EQ(budget(file_, "s").spent_epsilon.text(), "0.6");
  EXPECT_FALSE(RunLedger::start(file_, key_of(kSensitive))->plan(training(4, 0, true)));
  EXPECT_EQ(file_.head()->sequence, before) << "what was refused leaves no trace";
  ASSERT_TRUE(spend(kReplaceRecord, 0.3));
  EXPECT_EQ(budget(file_, "s").spent_epsilon.text(), "0.9");
  expect_refused(spend(kReplaceRecord, 0.3), "'s'");
  EXPECT_THAT(entries_of(file_).at(before), HasSubstr(R"({"kind":"format","format":3)"));
  const LedgerFile again = LedgerFile::open(path_).value();
  EXPECT_EQ(budget(again, "s").spent_epsilon.text(), "0.9");
}

}  // namespace
}  // namespace dpfermi
