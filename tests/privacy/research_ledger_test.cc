#include "privacy/research_ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <functional>

#include "privacy/make_event.h"

namespace dpfermi {
namespace {

using ::testing::HasSubstr;
using testing_support::make_event;

JointPlan training(std::uint64_t steps, std::uint64_t spare, bool fixed_seed = false) {
  return {.purpose = "training",
          .parts = {{"counts", make_event(DiscreteGaussianRelease{8, {1, 1}})},
                    {"steps", make_event(PoissonGaussianRelease{0.1, 2}), steps, spare}},
          .cost = {0.5, 1e-6},
          .fixed_seed = fixed_seed};
}

TEST(WholeEvent, IsTheCompositionOfAllStepsAndSpareOnes) {
  EXPECT_EQ(describe(*whole_event(training(1000, 20).parts)),
            "(1 x discrete Gaussian(sigma=8, 2 changed cells) + 1,020 x Poisson(q=0.1) "
            "Gaussian(z=2))");
  EXPECT_EQ(describe(*whole_event({{"steps", make_event(GaussianRelease{3}).times(2), 5, 1}})),
            "12 x Gaussian(sigma=3 distances)");
}

TEST(WholeEvent, RefusesNothingMixturesAndOverflows) {
  EXPECT_FALSE(whole_event({}));
  std::vector<PlannedPart> parts = training(10, 0).parts;
  parts[1].spare = ~0ULL;
  EXPECT_THAT(whole_event(parts).error().message, HasSubstr("overflows"));
  parts[1] = {"steps", make_event(GaussianRelease{3}, Adjacency::kReplaceRecord)};
  EXPECT_THAT(whole_event(parts).error().message, HasSubstr("adjacencies"));
}

TEST(ResearchLedger, HandsOutNoMoreThanWasPlanned) {
  ResearchLedger ledger;
  const std::uint64_t plan = ledger.plan(training(10, 0)).value();
  EXPECT_TRUE(ledger.claim(plan, 0, 0, 1));
  EXPECT_EQ(ledger.claim(plan, 0, 0, 1).error().kind, ErrorKind::kBudgetRefused);
  EXPECT_FALSE(ledger.claim(plan, 0, 1, 1));
  auto block = ledger.claim(plan, 1, 0, 6);
  ASSERT_TRUE(block) << block.error().message;
  EXPECT_EQ(block->remaining(), 6U);
  EXPECT_EQ(to_json(block->event()), to_json(training(10, 0).parts[1].event));
  EXPECT_EQ(block->reproducibility(), Reproducibility::kSecret);
  EXPECT_FALSE(ledger.claim(plan, 1, 7, 1)) << "skips a step";
  EXPECT_FALSE(ledger.claim(plan, 1, 6, 5)) << "one too many";
  EXPECT_FALSE(ledger.claim(plan, 1, 6, ~0ULL));
  EXPECT_FALSE(ledger.claim(plan, 1, 5, 1)) << "no spare steps";
  EXPECT_TRUE(ledger.claim(plan, 1, 6, 4));
  EXPECT_FALSE(ledger.claim(plan, 1, 10, 1));
  EXPECT_FALSE(ledger.claim(plan, 2, 0, 1)) << "no such part";
  EXPECT_FALSE(ledger.claim(plan + 1, 0, 0, 1)) << "no such plan";
  EXPECT_FALSE(ledger.claim(0, 0, 0, 1));
}

TEST(ResearchLedger, ReplaysComeFromTheSpareStepsOrAreTheSameReleases) {
  ResearchLedger ledger;
  const std::uint64_t secret = ledger.plan(training(10, 3)).value();
  ASSERT_TRUE(ledger.claim(secret, 1, 0, 6));
  EXPECT_TRUE(ledger.claim(secret, 1, 4, 6)) << "two of the spare ones";
  EXPECT_FALSE(ledger.claim(secret, 1, 8, 2));
  EXPECT_TRUE(ledger.claim(secret, 1, 9, 1)) << "the third";
  EXPECT_FALSE(ledger.claim(secret, 1, 9, 1));
  const std::uint64_t fixed = ledger.plan(training(10, 0, true)).value();
  for (int replay = 0; replay < 3; ++replay) {
    const auto permit = ledger.claim(fixed, 1, 0, 10);
    ASSERT_TRUE(permit);
    EXPECT_EQ(permit->reproducibility(), Reproducibility::kReproducible);
  }
  EXPECT_EQ(ledger.plans()[1].progress[1].claimed, 10U);
}

TEST(ResearchLedger, RemembersWhatAStatementNeeds) {
  ResearchLedger ledger;
  ASSERT_TRUE(ledger.plan(training(10, 3)));
  ASSERT_TRUE(ledger.charge({"rates", make_event(GaussianRelease{3}), 2, {0.1, 1e-7}}));
  ResearchLedger moved = std::move(ledger);
  ASSERT_EQ(moved.plans().size(), 1U);
  EXPECT_EQ(moved.plans()[0].plan.cost.epsilon, 0.5);
  EXPECT_EQ(moved.plans()[0].plan.parts[1].spare, 3U);
  ASSERT_EQ(moved.charges().size(), 1U);
  EXPECT_EQ(moved.charges()[0].purpose, "rates");
}

TEST(ResearchLedger, RefusesPlansWithoutMeaningAndRecordsNothing) {
  ResearchLedger ledger;
  const auto refused = [&](const std::function<void(JointPlan&)>& change) {
    JointPlan plan = training(10, 2);
    change(plan);
    return !ledger.plan(plan);
  };
  EXPECT_TRUE(refused([](JointPlan& plan) { plan.parts.clear(); }));
  EXPECT_TRUE(refused([](JointPlan& plan) { plan.parts[1].spare = ~0ULL; }));
  EXPECT_TRUE(refused([](JointPlan& plan) { plan.cost.epsilon = std::nan(""); }));
  EXPECT_TRUE(refused([](JointPlan& plan) { plan.cost.epsilon = -1; }));
  EXPECT_TRUE(refused([](JointPlan& plan) { plan.cost.delta = 1.5; }));
  EXPECT_FALSE(ledger.charge({"p", make_event(GaussianRelease{3}), 1, {-1, 0}}));
  EXPECT_TRUE(ledger.plans().empty());
  EXPECT_TRUE(ledger.charges().empty());
  EXPECT_TRUE(ledger.plan({.purpose = "unpriced", .parts = training(1, 0).parts}))
      << "an infinite epsilon is recorded: there is no cap";
}

TEST(ResearchLedger, ACommittedRunIsOver) {
  ResearchLedger ledger;
  EXPECT_FALSE(ledger.commit()) << "nothing was charged";
  const std::uint64_t plan = ledger.plan(training(10, 0)).value();
  ASSERT_TRUE(ledger.commit());
  EXPECT_FALSE(ledger.commit());
  EXPECT_FALSE(ledger.claim(plan, 1, 0, 1));
  EXPECT_FALSE(ledger.plan(training(10, 0)));
  EXPECT_FALSE(ledger.charge({"p", make_event(GaussianRelease{3}), 1, {1, 0}}));
}

TEST(ResearchLedger, AForkedChildCannotHandOutTheSameStepsAgain) {
  ResearchLedger ledger;
  const std::uint64_t plan = ledger.plan(training(10, 0)).value();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(ledger.claim(plan, 1, 0, 1) || ledger.plan(training(1, 0)) ? 1 : 0);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(ledger.claim(plan, 1, 0, 1));
}

}  // namespace
}  // namespace dpfermi
