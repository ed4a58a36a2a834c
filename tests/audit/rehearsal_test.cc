#include "audit/rehearsal.h"

#include <gmock/gmock.h>

#include "audit/audit_case.h"
#include "dpfermi/privacy/mechanism/privatizer.h"

namespace dpfermi {
namespace {

constexpr std::uint64_t kRehearsalSteps = 6;

struct Counter : ReleaseTap {
  void on_batch(const TappedBatch& batch) override {
    ++batches;
    const auto own = batch.sum_of(batch.members);
    ASSERT_TRUE(own.has_value());
    EXPECT_THAT(*own, testing::ElementsAreArray(batch.sum.begin(), batch.sum.end()));
  }
  void on_sum(const TappedSum& sum) override {
    ++sums;
    longest = std::max(longest, sum.exact.size());
    EXPECT_FALSE(std::ranges::equal(sum.exact, sum.noisy));
  }
  void on_counts(const TappedCounts& table) override {
    ++counts;
    std::int64_t total = 0;
    for (const std::int64_t count : table.exact) total += count;
    EXPECT_LE(total, table.units);
  }
  std::uint64_t batches = 0, sums = 0, counts = 0;
  std::size_t longest = 0;
};

TEST(Rehearsal, ShowsEveryReleaseOfEveryMethodAndAdjacency) {
  std::vector<std::string> long_ones;
  for (const AuditCase& audited : standard_cases(kRehearsalSteps)) {
    SCOPED_TRACE(audited.name);
    const auto plan = plan_of(audited);
    ASSERT_TRUE(plan.has_value()) << plan.error().message;
    Counter tap;
    const auto run = rehearse(audited.data, *plan, {.all = 7}, tap, {.block = 1});
    ASSERT_TRUE(run.has_value()) << run.error().message;
    ASSERT_TRUE(run->outcome.has_value()) << run->outcome.error().message;
    const std::uint64_t releases =
        plan->sketch() ? 1 + plan->sketch()->rounds : plan->steps + plan->queries;
    EXPECT_EQ(tap.sums, releases);
    EXPECT_EQ(tap.batches, releases);
    EXPECT_EQ(tap.counts,
              (plan->method == Method::kDpFermi ? 1U : 0U) + (plan->merge_small > 0 ? 1U : 0U));
    EXPECT_EQ(run->path.size(), plan->sketch() ? 0 : plan->steps - 1);
    if (tap.longest > 4096) long_ones.push_back(audited.name);
  }
  // Longer than the entries that one stream of noise is for.
  EXPECT_THAT(long_ones, testing::ElementsAre("odds, 4 groups, 3 classes, 4,128 entries",
                                              "parity, 4,604 parameters"));
}

TEST(Rehearsal, IsTheRunThatTrainMakes) {
  const AuditCase audited = standard_cases(kRehearsalSteps).front();
  const TrainingPlan plan = plan_of(audited).value();
  Counter tap;
  const auto watched = rehearse(audited.data, plan, {.all = 3}, tap);
  struct Unwatched : ReleaseTap {
  } nobody;
  const auto again = rehearse(audited.data, plan, {.all = 3}, nobody, {.block = 1});
  EXPECT_EQ(watched->outcome->theta, again->outcome->theta);
}

TEST(Rehearsal, ARunThatBreaksOffEndsAsTheWholeOne) {
  for (const AuditCase& audited : standard_cases(10)) {
    if (audited.request.method == Method::kSketch) continue;
    SCOPED_TRACE(audited.name);
    const TrainingPlan plan = plan_of(audited).value();
    Counter one;
    Counter two;
    const auto whole = rehearse(audited.data, plan, {.all = 3}, one, {.block = 2});
    const auto broken = rehearse(audited.data, plan, {.all = 3}, two, {.block = 2, .break_at = 4});
    ASSERT_TRUE(whole->outcome && broken->outcome) << broken->outcome.error().message;
    EXPECT_EQ(whole->outcome->theta, broken->outcome->theta);
    EXPECT_EQ(whole->claims, broken->claims);
    EXPECT_EQ(one.sums, two.sums);
    EXPECT_EQ(whole->path.size(), broken->path.size());
  }
}

TEST(Rehearsal, OtherSecretBatchesLeaveTheRestAlone) {
  struct Members : ReleaseTap {
    void on_batch(const TappedBatch& batch) override {
      all.emplace_back(batch.members.begin(), batch.members.end());
    }
    void on_counts(const TappedCounts& table) override {
      counts.assign(table.noisy.begin(), table.noisy.end());
    }
    std::vector<std::vector<std::uint32_t>> all;
    std::vector<std::int64_t> counts;
  };
  const AuditCase audited = standard_cases(kRehearsalSteps).front();
  const TrainingPlan plan = plan_of(audited).value();
  Members one;
  Members other;
  ASSERT_TRUE(rehearse(audited.data, plan, {.all = 3}, one).has_value());
  ASSERT_TRUE(rehearse(audited.data, plan, {.all = 3, .secret_batches = 4}, other).has_value());
  EXPECT_NE(one.all, other.all);
  EXPECT_EQ(one.counts, other.counts);
}

// Real data cannot be watched: not by a rehearsal, nor by code that goes around it.
TEST(Rehearsal, IsRefusedOnRealData) {
  for (const AuditCase& audited : standard_cases(kRehearsalSteps)) {
    const TrainingPlan plan = plan_of(audited).value();
    Dataset real = audited.data;
    real.s = Protected<std::vector<std::uint16_t>>(audited.s);
    Counter tap;
    EXPECT_FALSE(rehearse(real, plan, {}, tap).has_value());
    AuditLedger ledger(tap);
    NoiseSource noise{ReproducibleSeed::from_number(1).value()};
    const auto run = train(real, plan, ledger, std::move(noise));
    ASSERT_FALSE(run.has_value());
    EXPECT_THAT(run.error().message, testing::HasSubstr("synthetic data only"));
    EXPECT_EQ(tap.counts + tap.batches + tap.sums, 0U);
  }
}

// Where records are protected, synthetic groups beside real features do not do.
TEST(Rehearsal, NeedsSyntheticRecordsUnderTheRecordAdjacencies) {
  for (const AuditCase& audited : standard_cases(kRehearsalSteps)) {
    Dataset half = audited.data;
    half.s = Protected<std::vector<std::uint16_t>>::rehearsal(audited.s, Invented::kGroups);
    Counter tap;
    const auto run = rehearse(half, plan_of(audited).value(), {}, tap);
    ASSERT_TRUE(run.has_value());
    EXPECT_EQ(run->outcome.has_value(), features_are_public(audited.request.adjacency));
  }
}

TEST(Rehearsal, TheUsersOwnTableLosesItsProtectedValues) {
  const AuditCase original = invented_case("user", {.units = 300}, {});
  Dataset table = original.data;
  table.s = Protected<std::vector<std::uint16_t>>(original.s);
  const AuditCase sensitive = rehearsal_of("user", table, {}, 1, 5);
  EXPECT_EQ(sensitive.data.y, table.y);
  EXPECT_NE(sensitive.s, original.s);
  EXPECT_EQ(sensitive.data.s.invented(), Invented::kGroups);
  TrainingRequest replace;
  replace.adjacency = Adjacency::kReplaceRecord;
  replace.declared_norm = 5;
  const AuditCase whole = rehearsal_of("user", table, replace, 1, 5);
  EXPECT_NE(whole.data.y, table.y);
  EXPECT_EQ(whole.data.unit_count, table.unit_count);
  EXPECT_EQ(whole.data.s.invented(), Invented::kRecords);
}

}  // namespace
}  // namespace dpfermi
