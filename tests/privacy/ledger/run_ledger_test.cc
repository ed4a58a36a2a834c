// Plans of steps, crashes between blocks, and taking a run up again.

#include "dpfermi/privacy/ledger/run_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "privacy/ledger/budget_fingerprint.h"
#include "privacy/ledger/support.h"
#include "privacy/plan_state.h"

namespace dpfermi {
namespace {

using namespace test;
using ::testing::HasSubstr;

class RunLedgerTest : public ::testing::Test {
 protected:
  /// The same run in a process that starts anew.
  RunLedger resume(const RunLedger& run) {
    return RunLedger::resume(LedgerFile::open(path_).value(), run.run_id(), run.head().value())
        .value();
  }

  TempFolder folder_;
  fs::path path_ = folder_ / "ledger.db";
  LedgerFile file_ = open_or_create(path_);
};

TEST_F(RunLedgerTest, BlocksOfAPlanAreChargedOnce) {
  RunLedger run = start(file_);
  const std::uint64_t plan = run.plan(training(10, 0)).value();
  for (std::uint64_t first = 0; first < 10; first += 5) {
    auto permit = run.claim(plan, 1, first, 5);
    ASSERT_TRUE(permit) << permit.error().message;
    EXPECT_EQ(permit->remaining(), 5U);
    EXPECT_EQ(to_json(permit->event()), to_json(gaussian()));
    for (int i = 0; i < 5; ++i) EXPECT_TRUE(permit->consume());
    EXPECT_EQ(permit->consume().error().kind, ErrorKind::kBudgetRefused);
  }
  EXPECT_FALSE(run.claim(plan, 1, 10, 1));
  EXPECT_EQ(budget(file_).spent_epsilon.text(), "0.5");
  EXPECT_EQ(budget(file_).open_runs, 1U);
  ASSERT_TRUE(run.commit());
  EXPECT_EQ(budget(file_).open_runs, 0U);
}

TEST_F(RunLedgerTest, ReplayedStepsComeFromTheSpareOnes) {
  RunLedger run = start(file_);
  const std::uint64_t plan = run.plan(training(10, 4)).value();
  ASSERT_TRUE(run.claim(plan, 1, 0, 4));
  ASSERT_TRUE(run.claim(plan, 1, 4, 4));  // crashes here; the checkpoint holds step 6
  RunLedger again = resume(run);
  ASSERT_TRUE(again.claim(plan, 1, 6, 4)) << "two of four spare steps";
  RunLedger third = resume(run);
  const auto refused = third.claim(plan, 1, 7, 3);
  ASSERT_FALSE(refused) << "three more where two are left";
  EXPECT_EQ(refused.error().kind, ErrorKind::kBudgetRefused);
  EXPECT_THAT(refused.error().message, HasSubstr("needs 3 more releases of 'steps' but only 2"));
  EXPECT_TRUE(third.claim(plan, 1, 8, 2));
  EXPECT_EQ(budget(file_).spent_epsilon.text(), "0.5") << "all of it was charged beforehand";
}

TEST_F(RunLedgerTest, WithoutSpareStepsARunCannotGoBack) {
  RunLedger run = start(file_);
  const std::uint64_t plan = run.plan(training(10, 0)).value();
  ASSERT_TRUE(run.claim(plan, 1, 0, 4));
  EXPECT_EQ(resume(run).claim(plan, 1, 2, 1).error().kind, ErrorKind::kBudgetRefused)
      << "refused before it wastes what it has";
  EXPECT_TRUE(resume(run).claim(plan, 1, 4, 6));
}

TEST_F(RunLedgerTest, WithAFixedSeedReplayedStepsAreTheSameReleases) {
  RunLedger run = start(file_);
  const std::uint64_t plan = run.plan(training(10, 0, true)).value();
  ASSERT_TRUE(run.claim(plan, 1, 0, 8));
  for (int crash = 0; crash < 3; ++crash) {
    RunLedger again = resume(run);
    const auto permit = again.claim(plan, 1, 0, 8);
    ASSERT_TRUE(permit);
    EXPECT_EQ(permit->remaining(), 8U);
    EXPECT_EQ(permit->reproducibility(), Reproducibility::kReproducible) << "no secret noise";
  }
  EXPECT_TRUE(resume(run).claim(plan, 1, 5, 5));
  EXPECT_EQ(file_.run(run.run_id())->plans[0].progress[1].claimed, 10U);
}

TEST_F(RunLedgerTest, TheLedgerAndThePermitSayWhichNoiseWasCharged) {
  RunLedger run = start(file_);
  Charge charge = cost(0.1, 0);
  EXPECT_EQ(run.charge(charge)->reproducibility(), Reproducibility::kSecret);
  charge.fixed_seed = true;
  EXPECT_EQ(run.charge(charge)->reproducibility(), Reproducibility::kReproducible);
  std::vector<bool> recorded;
  ASSERT_TRUE(file_.for_each_entry([&](const LedgerEntry& entry) -> Status {
    if (entry.body.find("\"fixed_seed\"") != std::string::npos) {
      recorded.push_back(entry.body.find("\"fixed_seed\":true") != std::string::npos);
    }
    return {};
  }));
  EXPECT_EQ(recorded, (std::vector<bool>{false, true}));
  const std::uint64_t secret = run.plan(training(2, 0)).value();
  EXPECT_EQ(run.claim(secret, 1, 0, 1)->reproducibility(), Reproducibility::kSecret);
}

TEST_F(RunLedgerTest, StepsCannotBeSkippedOrOverflow) {
  constexpr std::uint64_t kHuge = std::numeric_limits<std::uint64_t>::max();
  RunLedger run = start(file_);
  EXPECT_FALSE(run.plan(training(kHuge, 1)));
  const std::uint64_t plan = run.plan(training(10, 4)).value();
  EXPECT_FALSE(run.claim(plan, 1, 1, 1));
  EXPECT_FALSE(run.claim(plan, 1, 0, 11));
  EXPECT_FALSE(run.claim(plan, 1, 0, kHuge));
  EXPECT_FALSE(run.claim(plan, 1, kHuge, 2));
  EXPECT_FALSE(run.claim(plan + 1, 1, 0, 1));
  EXPECT_FALSE(run.claim(1, 1, 0, 1));
  EXPECT_FALSE(start(file_).claim(plan, 1, 0, 1)) << "another run's plan";
  const auto nothing = run.claim(plan, 1, 0, 0);
  EXPECT_EQ(nothing->remaining(), 0U);
}

TEST_F(RunLedgerTest, PartsAreChargedTogetherAndClaimedApart) {
  ASSERT_TRUE(file_.init_budget({.name = "b"}, cap("0.5", "1e-6")));
  RunLedger run = start(file_);
  const std::uint64_t plan = run.plan(training(10, 2)).value();
  EXPECT_EQ(budget(file_).charges, 1U);
  EXPECT_EQ(budget(file_).left_epsilon(), Amount());
  ASSERT_TRUE(run.claim(plan, 1, 0, 4)) << "in any order";
  const auto counts = run.claim(plan, 0, 0, 1);
  ASSERT_TRUE(counts) << counts.error().message;
  EXPECT_EQ(to_json(counts->event()), to_json(training(10, 2).parts[0].event));
  EXPECT_EQ(resume(run).claim(plan, 0, 0, 1).error().kind, ErrorKind::kBudgetRefused)
      << "the spare steps are of the other part";
  EXPECT_EQ(to_json(resume(run).claim(plan, 1, 2, 8)->event()), to_json(gaussian()));
  EXPECT_FALSE(run.claim(plan, 2, 0, 0)) << "there is no such part";
}

TEST_F(RunLedgerTest, ARunThatIsTakenUpKnowsItsPlan) {
  RunLedger run = start(file_);
  const JointPlan made = training(10, 2, true);
  const std::uint64_t id = run.plan(made).value();
  ASSERT_TRUE(run.claim(id, 1, 0, 4));
  const RunState state = LedgerFile::open(path_)->run(run.run_id()).value();
  ASSERT_EQ(state.plans.size(), 1U);
  const PlanState& found = state.plans[0];
  EXPECT_EQ(found.id, id);
  EXPECT_EQ(found.plan.purpose, "training");
  EXPECT_EQ(found.plan.cost.epsilon, 0.5);
  EXPECT_EQ(found.plan.cost.delta, 1e-6);
  EXPECT_TRUE(found.plan.fixed_seed);
  ASSERT_EQ(found.plan.parts.size(), 2U);
  EXPECT_EQ(found.plan.parts[1].purpose, "steps");
  EXPECT_EQ(found.plan.parts[1].steps, 10U);
  EXPECT_EQ(found.plan.parts[1].spare, 2U);
  EXPECT_EQ(to_json(*whole_event(found.plan.parts)), to_json(*whole_event(made.parts)));
  EXPECT_EQ(found.progress[0].reached, 0U);
  EXPECT_EQ(found.progress[1].reached, 4U);
}

TEST_F(RunLedgerTest, TheEntryHoldsTheWholeEvent) {
  RunLedger run = start(file_);
  const std::uint64_t id = run.plan(training(10, 2)).value();
  ASSERT_TRUE(run.charge({.purpose = "p", .event = gaussian(), .count = 3, .cost = {1, 0}}));
  std::vector<std::string> bodies;
  ASSERT_TRUE(file_.for_each_entry([&](const LedgerEntry& entry) -> Status {
    if (entry.sequence >= id) bodies.push_back(entry.body);
    return {};
  }));
  EXPECT_THAT(bodies[0],
              HasSubstr(R"("event":{"adjacency":"sensitive","kind":"composition","parts":[)"
                        R"({"kind":"repetition","count":1,)"
                        R"("part":{"kind":"discrete-gaussian","sigma":8.0,"shifts":[1,1]}},)"
                        R"({"kind":"repetition","count":12,)"
                        R"("part":{"kind":"gaussian","sigma_over_distance":3.5}}]})"));
  EXPECT_THAT(bodies[1], HasSubstr(R"("event":{"adjacency":"sensitive","kind":"repetition",)"
                                   R"("count":3,"part":{"kind":"gaussian")"));
}

TEST_F(RunLedgerTest, PlansThatMakeNoSenseAreRefusedAndNotRecorded) {
  ASSERT_TRUE(file_.init_budget({.name = "b"}, cap("0.6", "1e-5")));
  const std::uint64_t before = file_.head()->sequence;
  RunLedger run = start(file_);
  const auto refused = [&](const std::function<void(JointPlan&)>& change) {
    JointPlan plan = training(10, 2);
    change(plan);
    return !run.plan(plan);
  };
  EXPECT_TRUE(refused([](JointPlan& plan) { plan.parts.clear(); }));
  EXPECT_TRUE(refused([](JointPlan& plan) { plan.purpose = ""; }));
  EXPECT_TRUE(refused([](JointPlan& plan) { plan.parts[0].purpose = "\n"; }));
  EXPECT_TRUE(refused([](JointPlan& plan) { plan.parts[1].spare = ~0ULL; }));
  EXPECT_TRUE(refused([](JointPlan& plan) { plan.cost.epsilon = -1; }));
  EXPECT_TRUE(refused([](JointPlan& plan) { plan.cost = {}; })) << "not priced";
  EXPECT_TRUE(refused([](JointPlan& plan) { plan.cost.epsilon = 0.7; })) << "too much";
  EXPECT_TRUE(
      refused([](JointPlan& plan) { plan.parts[1].event = gaussian(Adjacency::kReplaceRecord); }));
  EXPECT_TRUE(refused([](JointPlan& plan) {
    plan.parts[0].event = PrivacyEvent::create(Adjacency::kSensitive, ExactRelease{}).value();
  })) << "no noise at a finite epsilon";
  EXPECT_EQ(file_.head()->sequence, before);
  EXPECT_TRUE(run.plan(training(10, 2)));
}

TEST_F(RunLedgerTest, ACommittedRunIsOver) {
  RunLedger run = start(file_);
  EXPECT_FALSE(run.commit()) << "nothing was charged";
  const std::uint64_t plan = run.plan(training(10, 0)).value();
  ASSERT_TRUE(run.commit());
  EXPECT_FALSE(run.commit());
  EXPECT_FALSE(run.claim(plan, 1, 0, 1));
  EXPECT_FALSE(run.charge(cost(0.1, 0)));
  EXPECT_FALSE(RunLedger::resume(file_, run.run_id(), file_.head().value()));
  EXPECT_FALSE(RunLedger::resume(file_, "no such run", file_.head().value()));
}

TEST_F(RunLedgerTest, AResumedRunKeepsItsBudget) {
  ASSERT_TRUE(file_.init_budget({.name = "b"}, cap("1", "1e-5")));
  RunLedger run = start(file_);
  ASSERT_TRUE(run.charge(cost(0.9, 0)));
  RunLedger again = resume(run);
  EXPECT_EQ(again.charge(cost(0.2, 0)).error().kind, ErrorKind::kBudgetRefused);
  EXPECT_TRUE(again.charge(cost(0.1, 0)));
}

TEST_F(RunLedgerTest, TwoProcessesThatTakeUpOneRunShareItsReleases) {
  RunLedger run = start(file_);
  const std::uint64_t plan = run.plan(training(10, 10)).value();
  RunLedger one = resume(run);
  RunLedger two = resume(run);
  EXPECT_TRUE(one.claim(plan, 1, 0, 10));
  EXPECT_TRUE(two.claim(plan, 1, 0, 10));
  EXPECT_FALSE(one.claim(plan, 1, 0, 10));
}

const std::string kDigest(64, 'a');

TEST(Fingerprint, DependsOnEveryValueAndItsColumn) {
  const TempFolder folder;
  const LedgerFile file = open_or_create(folder / "ledger.db");
  const auto print = [&](Adjacency adjacency, const std::vector<std::vector<std::string>>& table) {
    Fingerprinter fingerprinter;
    for (const auto& column : table) {
      fingerprinter.begin_column(column[0]);
      for (std::size_t i = 1; i < column.size(); ++i) fingerprinter.add_value(column[i]);
    }
    const std::string digest = fingerprinter.finish().value();
    return features_are_public(adjacency) ? digest : file.sealed(digest).value();
  };
  using enum Adjacency;
  const std::string plain = print(kSensitive, {{"x", "ab", "c"}, {"y", "1", "0"}});
  EXPECT_EQ(plain.size(), 64U);
  EXPECT_EQ(plain, print(kSensitive, {{"x", "ab", "c"}, {"y", "1", "0"}}));
  EXPECT_NE(plain, print(kSensitive, {{"x", "a", "bc"}, {"y", "1", "0"}}));
  EXPECT_NE(plain, print(kSensitive, {{"x", "ab", "c", "y"}, {"1", "0"}}));
  EXPECT_NE(plain, print(kSensitive, {{"x", "c", "ab"}, {"y", "1", "0"}}));

  const std::string secret = print(kReplaceRecord, {{"x", "ab", "c"}, {"y", "1", "0"}});
  EXPECT_NE(plain, secret);
  EXPECT_EQ(secret, print(kAddRemoveRecord, {{"x", "ab", "c"}, {"y", "1", "0"}}));
  const TempFolder elsewhere;
  const LedgerFile other = open_or_create(elsewhere / "ledger.db");
  EXPECT_NE(other.sealed(plain).value(), file.sealed(plain).value());
}

TEST(Fingerprint, TheKeyIsGuarded) {
  const TempFolder folder;
  const LedgerFile file = open_or_create(folder / "ledger.db");
  const fs::path key = folder / "ledger.db.key";
  EXPECT_EQ(fs::status(key).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  const auto error = [&] {
    const auto made = file.sealed(kDigest);
    return made ? "accepted" : made.error().message;
  };
  EXPECT_EQ(error(), "accepted");
  fs::permissions(key, fs::perms::group_read, fs::perm_options::add);
  EXPECT_THAT(error(), HasSubstr("others can read this key"));
  fs::permissions(key, fs::perms::group_read, fs::perm_options::remove);
  const std::string good = read_bytes(key);
  write_bytes(key, std::string(64, '0') + "\n");
  EXPECT_THAT(error(), HasSubstr("not the key of this ledger"));
  write_bytes(key, "");
  EXPECT_THAT(error(), HasSubstr("not a ledger key"));
  fs::remove(key);
  EXPECT_THAT(error(), HasSubstr("restore the key"));
}

TEST(Fingerprint, AKeyWhoseLedgerWasJustMadeIsAccepted) {
  const TempFolder folder;
  ASSERT_TRUE(LedgerFile::open_or_create(folder / "ledger.db"));
  // As if the process had died before it gave the key its name.
  fs::rename(folder / "ledger.db.key", folder / "ledger.db.key.pending");
  const LedgerFile file = open_or_create(folder / "ledger.db");
  EXPECT_TRUE(file.sealed(kDigest));
  // As if it had died before it made the ledger.
  const TempFolder other;
  write_bytes(other / "ledger.db.key.pending", "half a k");
  write_bytes(other / "ledger.db.new", "half a ledger");
  EXPECT_TRUE(open_or_create(other / "ledger.db").sealed(kDigest));
}

TEST(Location, IsTheFlagThenTheEnvironmentThenTheStateFolder) {
  ::setenv("DPFERMI_LEDGER", "/env/l.db", 1);
  ::setenv("XDG_STATE_HOME", "/xdg", 1);
  ::setenv("HOME", "/home/me", 1);
  EXPECT_EQ(ledger_path("flag.db").value(), "flag.db");
  EXPECT_FALSE(ledger_path(""));
  EXPECT_EQ(ledger_path(std::nullopt).value(), "/env/l.db");
  ::unsetenv("DPFERMI_LEDGER");
  EXPECT_EQ(ledger_path(std::nullopt).value(), "/xdg/dpfermi/ledger.db");
  ::setenv("XDG_STATE_HOME", "relative", 1);
  EXPECT_EQ(ledger_path(std::nullopt).value(), "/home/me/.local/state/dpfermi/ledger.db");
  ::unsetenv("HOME");
  EXPECT_FALSE(ledger_path(std::nullopt));
}

}  // namespace
}  // namespace dpfermi
