#include "artifact/checkpoint_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>

#include "artifact/plan_json.h"
#include "temp_folder.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;

/// A plan in which no field has its default value.
TrainingPlan full_plan() {
  TrainingPlan plan;
  plan.method = Method::kDpFermiPaper;
  plan.notion = FairnessNotion::kEqualizedOdds;
  plan.adjacency = Adjacency::kReplaceRecord;
  plan.model = {2, 3, {4, 5}};
  plan.favourable = 2;
  plan.groups = 6;
  plan.units = 7;
  plan.lambda = 0.1;
  plan.max_violation = 1.0 / 3;
  plan.tau = 8;
  plan.steps = 9;
  plan.q = 1e-9;
  plan.batch = 10;
  plan.theta_rate = 11;
  plan.rate_per_lambda = 12;
  plan.rate_cap = 13;
  plan.w_rate = 14;
  plan.dual = DualRule::kAscent;
  plan.iterate = IterateRule::kRandom;
  plan.random_iterate = 15;
  plan.clip_norm = 16;
  plan.table_weight = 17;
  plan.smoothing = 18;
  plan.noise_multiplier = 19;
  plan.counts_sigma = 20;
  plan.spare_steps = 21;
  plan.certified_epsilon = 22;
  plan.delta = 23;
  plan.own = PaperNumbers{24, 25, 26, 27, 28, 29, 30, 31, 32};
  plan.ideal_noise = true;
  plan.merge_small = 33;
  return plan;
}

void expect_equal(const TrainingPlan& a, const TrainingPlan& b) {
  EXPECT_EQ(a.method, b.method);
  EXPECT_EQ(a.notion, b.notion);
  EXPECT_EQ(a.adjacency, b.adjacency);
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.favourable, b.favourable);
  EXPECT_EQ(a.groups, b.groups);
  EXPECT_EQ(a.units, b.units);
  EXPECT_EQ(a.lambda, b.lambda);
  EXPECT_EQ(a.max_violation, b.max_violation);
  EXPECT_EQ(a.tau, b.tau);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.batch, b.batch);
  EXPECT_EQ(a.theta_rate, b.theta_rate);
  EXPECT_EQ(a.rate_per_lambda, b.rate_per_lambda);
  EXPECT_EQ(a.rate_cap, b.rate_cap);
  EXPECT_EQ(a.w_rate, b.w_rate);
  EXPECT_EQ(a.dual, b.dual);
  EXPECT_EQ(a.iterate, b.iterate);
  EXPECT_EQ(a.random_iterate, b.random_iterate);
  EXPECT_EQ(a.clip_norm, b.clip_norm);
  EXPECT_EQ(a.table_weight, b.table_weight);
  EXPECT_EQ(a.smoothing, b.smoothing);
  EXPECT_EQ(a.noise_multiplier, b.noise_multiplier);
  EXPECT_EQ(a.counts_sigma, b.counts_sigma);
  EXPECT_EQ(a.spare_steps, b.spare_steps);
  EXPECT_EQ(a.certified_epsilon, b.certified_epsilon);
  EXPECT_EQ(a.delta, b.delta);
  EXPECT_EQ(a.ideal_noise, b.ideal_noise);
  EXPECT_EQ(a.merge_small, b.merge_small);
  ASSERT_EQ(a.own.index(), b.own.index());
  if (!a.paper()) return;
  EXPECT_EQ(a.paper()->lipschitz, b.paper()->lipschitz);
  EXPECT_EQ(a.paper()->diameter, b.paper()->diameter);
  EXPECT_EQ(a.paper()->rho, b.paper()->rho);
  EXPECT_EQ(a.paper()->sigma_theta, b.paper()->sigma_theta);
  EXPECT_EQ(a.paper()->sigma_w, b.paper()->sigma_w);
  EXPECT_EQ(a.paper()->theta_bound, b.paper()->theta_bound);
  EXPECT_EQ(a.paper()->w_bound, b.paper()->w_bound);
  EXPECT_EQ(a.paper()->claimed_epsilon, b.paper()->claimed_epsilon);
  EXPECT_EQ(a.paper()->given_shares, b.paper()->given_shares);
}

TEST(PlanJson, ReadsBackEveryFieldExactly) {
  expect_equal(parse_plan(to_json(full_plan())).value(), full_plan());
}

TEST(PlanJson, InfinityAndWhatIsMissingReadBack) {
  TrainingPlan plan;
  plan.certified_epsilon = std::numeric_limits<double>::infinity();
  expect_equal(parse_plan(to_json(plan)).value(), plan);
}

TEST(PlanJson, UnknownKeysAreRefused) {
  std::string json = to_json(TrainingPlan());
  json.insert(json.find('{') + 1, "\"lamda\": 1,");
  const auto plan = parse_plan(json);
  ASSERT_FALSE(plan);
  EXPECT_THAT(plan.error().message, HasSubstr("did you mean 'lambda'"));
}

Checkpoint full_checkpoint() {
  Checkpoint checkpoint;
  TrainingCheckpoint& training = checkpoint.training;
  training.plan = full_plan();
  training.plan.model = {2, 2, {}};
  training.plan.notion = FairnessNotion::kDemographicParity;
  training.plan.groups = 2;
  training.state.step = 5;
  training.state.theta = {0.1, -0.0, std::numeric_limits<double>::denorm_min()};
  training.state.w = {1.0 / 3, 2, 3, 4};
  training.state.kept = {3, 4, 5};
  training.lambda = 1.25;
  training.shares = {1};
  training.marginals = {0.25, 0.75};
  training.table = {7, 8, 9, 10, 11, 12, 13, 14};  // two tables: 2 cells, a mean, a variance
  training.ledger_plan = 12;
  training.merged = {1, 1};
  checkpoint.seed = 13;
  checkpoint.setup = "abc";
  checkpoint.ledger = LedgerPlace{"r1", {14, "def"}};
  return checkpoint;
}

TEST(CheckpointFile, ReadsBackExactly) {
  const Checkpoint given = full_checkpoint();
  const std::string bytes = encode_checkpoint(given).value();
  const auto read = decode_checkpoint(bytes, "c");
  ASSERT_TRUE(read) << read.error().message;
  expect_equal(read->training.plan, given.training.plan);
  EXPECT_EQ(read->training.state.step, 5U);
  EXPECT_EQ(read->training.state.theta, given.training.state.theta);
  EXPECT_TRUE(std::signbit(read->training.state.theta[1]));
  EXPECT_EQ(read->training.state.w, given.training.state.w);
  EXPECT_EQ(read->training.state.kept, given.training.state.kept);
  EXPECT_EQ(read->training.lambda, 1.25);
  EXPECT_EQ(read->training.shares, given.training.shares);
  EXPECT_EQ(read->training.marginals, given.training.marginals);
  EXPECT_EQ(read->training.table, given.training.table);
  EXPECT_EQ(read->training.ledger_plan, 12U);
  EXPECT_EQ(read->training.merged, given.training.merged);
  EXPECT_EQ(read->seed, 13U);
  EXPECT_EQ(read->setup, "abc");
  EXPECT_EQ(read->ledger->run_id, "r1");
  EXPECT_EQ(read->ledger->head.sequence, 14U);
  EXPECT_EQ(read->ledger->head.hash, "def");
  EXPECT_EQ(encode_checkpoint(*read).value(), bytes);
}

TEST(CheckpointFile, SecretNoiseAndNoLedgerReadBack) {
  Checkpoint given = full_checkpoint();
  given.seed.reset();
  given.ledger.reset();
  const auto read = decode_checkpoint(encode_checkpoint(given).value(), "c");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_FALSE(read->seed);
  EXPECT_FALSE(read->ledger);
}

TEST(CheckpointFile, DamageIsRefused) {
  const std::string good = encode_checkpoint(full_checkpoint()).value();
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bad = good;
    bad[at] = static_cast<char>(static_cast<unsigned char>(bad[at]) ^ 0x10U);
    ASSERT_FALSE(decode_checkpoint(bad, "c")) << "byte " << at;
    ASSERT_FALSE(decode_checkpoint(good.substr(0, at), "c")) << "cut at " << at;
  }
  EXPECT_EQ(decode_checkpoint("age,sex\n", "c").error().message,
            "c: is not a checkpoint; give one that dpfermi train --checkpoint wrote");
}

TEST(CheckpointFile, AStateThatDoesNotFitItsPlanIsRefused) {
  const auto refused = [](const std::function<void(TrainingCheckpoint&)>& change) {
    Checkpoint checkpoint = full_checkpoint();
    change(checkpoint.training);
    return !encode_checkpoint(checkpoint).has_value();
  };
  EXPECT_TRUE(refused([](auto& training) { training.state.theta.push_back(1); }));
  EXPECT_TRUE(refused([](auto& training) { training.state.kept.pop_back(); }));
  EXPECT_TRUE(refused([](auto& training) { training.state.step = 10; }));
  EXPECT_TRUE(refused([](auto& training) { training.state.theta[0] = NAN; }));
  EXPECT_FALSE(refused([](auto& training) { training.state.kept.clear(); }));
  EXPECT_TRUE(refused([](auto& training) { training.state.w.pop_back(); }));
  EXPECT_TRUE(refused([](auto& training) { training.shares.push_back(0); }));
  EXPECT_TRUE(refused([](auto& training) { training.marginals.pop_back(); }));
  EXPECT_TRUE(refused([](auto& training) { training.table.pop_back(); }));
  EXPECT_TRUE(refused([](auto& training) { training.merged.clear(); }));
  EXPECT_TRUE(refused([](auto& training) { training.merged[0] = 2; }));
  EXPECT_TRUE(refused([](auto& training) { training.plan.merge_small = 0; }));
}

TEST(CheckpointFile, WritesAndReadsAFile) {
  const test::TempFolder folder;
  const auto path = folder / "a.checkpoint";
  ASSERT_TRUE(write_checkpoint(full_checkpoint(), path));
  const auto read = read_checkpoint(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->training.table.size(), 8U);
  EXPECT_THAT(read_checkpoint(path).error().message, HasSubstr("no such file"));
}

}  // namespace
}  // namespace dpfermi
