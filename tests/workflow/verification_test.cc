// A statement against the ledger that it names: what promises more, or lists less, than was charged
// is found, also where its own arithmetic fits.

#include "workflow/verification.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "dpfermi/privacy/accountant/price.h"
#include "dpfermi/privacy/ledger/run_ledger.h"
#include "temp_folder.h"
#include "workflow/spending.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;

PrivacyEvent gaussian(double sigma) {
  return PrivacyEvent::create(Adjacency::kSensitive, GaussianRelease{sigma}).value();
}

class VerificationTest : public testing::Test {
 protected:
  /// A run that is charged for counts and 40 steps, two of them spare, and its statement.
  PrivacyStatement charged_run(bool fixed_seed = false, bool rehearsal = false) {
    JointPlan plan{"training", {{"counts", gaussian(9)}, {"steps", gaussian(30), 38, 2}}};
    plan = priced_plan(plan, 1e-6).value();
    plan.fixed_seed = fixed_seed;
    RunLedger run =
        RunLedger::start(ledger_, {"people", Adjacency::kSensitive, ""}, rehearsal).value();
    EXPECT_TRUE(run.plan(plan));
    PrivacyStatement statement = statement_of(Adjacency::kSensitive, plan);
    statement.recorded = LedgerPlace{run.run_id(), run.head().value()};
    return statement;
  }

  /// Why the statement does not fit the ledger; empty: it does.
  std::string refusal(const PrivacyStatement& statement) {
    const auto runs = recorded_runs(ledger_, "m.model", statement);
    return runs ? "" : runs.error().message;
  }

  test::TempFolder folder_;
  LedgerFile ledger_ = LedgerFile::open_or_create(folder_ / "l.db").value();
};

TEST_F(VerificationTest, AStatementFitsTheRunThatItIsAbout) {
  EXPECT_EQ(refusal(charged_run()), "");
}

TEST_F(VerificationTest, AListThatAddsUpIsStillComparedWithTheCharge) {
  PrivacyStatement forged = charged_run();
  forged.releases.pop_back();
  forged.cost->epsilon = 0.6;
  ASSERT_TRUE(recompute_epsilon("m.model", forged)) << "without a ledger it adds up";
  EXPECT_THAT(refusal(forged), HasSubstr("promises epsilon 0.6"));
  EXPECT_THAT(refusal(forged), HasSubstr("the ledger charged epsilon"));
}

TEST_F(VerificationTest, EveryReleaseThatWasChargedIsListed) {
  const PrivacyStatement honest = charged_run();
  const std::vector<std::function<void(PrivacyStatement&)>> changes = {
      [](PrivacyStatement& s) { s.releases.clear(); },
      [](PrivacyStatement& s) { s.releases[0].event = gaussian(10); },
      [](PrivacyStatement& s) { s.releases[1].count = 39; }};
  for (const auto& change : changes) {
    PrivacyStatement forged = honest;
    change(forged);
    EXPECT_THAT(refusal(forged), HasSubstr("does not list in full"));
  }
}

TEST_F(VerificationTest, ASmallerDeltaThanWasChargedIsFound) {
  PrivacyStatement forged = charged_run();
  forged.cost->delta = 1e-9;
  EXPECT_THAT(refusal(forged), HasSubstr("at delta 1e-09"));
}

TEST_F(VerificationTest, NoiseFromAKnownSeedIsNotSecret) {
  PrivacyStatement forged = charged_run(true);
  EXPECT_EQ(refusal(forged), "");
  forged.noise = Reproducibility::kSecret;
  EXPECT_THAT(refusal(forged), HasSubstr("known seed"));
}

TEST_F(VerificationTest, ARehearsalIsNamedAsOne) {
  PrivacyStatement statement = charged_run(false, true);
  EXPECT_THAT(refusal(statement), HasSubstr("synthetic"));
  statement.assumptions.emplace_back(Spending::kRehearsal);
  EXPECT_EQ(refusal(statement), "");
}

TEST_F(VerificationTest, AnExactReleaseLeavesNothingToPromise) {
  RunLedger run = RunLedger::start(ledger_, {"people", Adjacency::kSensitive, ""}).value();
  PrivacyStatement statement;
  statement.releases = {
      charge_exact(run, Adjacency::kSensitive, "fermi", Reproducibility::kSecret).value().release};
  statement.recorded = LedgerPlace{run.run_id(), run.head().value()};
  EXPECT_EQ(refusal(statement), "");
  statement.releases = {{"training steps", gaussian(9)}};
  statement.cost = PrivacyCost{1, 1e-6};
  EXPECT_THAT(refusal(statement), HasSubstr("the ledger charged epsilon inf"));
}

TEST_F(VerificationTest, ARepairedModelCoversBothOfItsRuns) {
  const PrivacyStatement first = charged_run();
  PrivacyStatement both = charged_run();
  both.recorded_before = first.recorded;
  EXPECT_THAT(refusal(both), HasSubstr("the ledger charged epsilon"));
  both.cost->epsilon += first.cost->epsilon;
  both.cost->delta += first.cost->delta;
  EXPECT_THAT(refusal(both), HasSubstr("does not list in full"));
  both.releases.insert(both.releases.end(), first.releases.begin(), first.releases.end());
  EXPECT_EQ(refusal(both), "");
  EXPECT_EQ(recorded_runs(ledger_, "m.model", both)->size(), 2U);
}

TEST_F(VerificationTest, AStatementMayListMoreThanTheLedgerCharged) {
  PrivacyStatement statement = charged_run();
  statement.releases.push_back({"of a model that was made elsewhere", gaussian(3)});
  statement.cost->epsilon = 5;
  EXPECT_EQ(refusal(statement), "");
}

}  // namespace
}  // namespace dpfermi
