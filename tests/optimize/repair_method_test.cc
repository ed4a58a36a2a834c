#include "optimize/repair_method.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dpfermi/evaluate/metrics.h"
#include "model/network.h"
#include "optimize/census_data.h"
#include "optimize/refusing_ledger.h"
#include "optimize/sketch_method.h"
#include "sketch/synthetic.h"
#include "trees/boosted_trees.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;
using testing_support::census_data;
using testing_support::kFavourable;
using testing_support::RefusingLedger;
using testing_support::seeded_noise;
using testing_support::synthetic;
using testing_support::without_groups;

TrainingRequest repair_request(double target) {
  TrainingRequest request;
  request.method = Method::kRepair;
  request.epsilon = 2;
  request.max_violation = target;
  return request;
}

TrainingResult repair_run(const Dataset& data, const TrainingRequest& request,
                          const TrainingHooks& hooks = {}) {
  const TrainingPlan plan = plan_training(request, data, kFavourable).value();
  ResearchLedger ledger;
  return train(data, plan, ledger, seeded_noise(1), hooks).value();
}

Metrics exact_figures(const Dataset& data, const TrainingResult& result) {
  return rule_metrics(result.rule, result.model, result.theta, data, kFavourable, Draws::kMade)
      .value();
}

std::string repair_refusal(const Dataset& data, const TrainingRequest& request) {
  const auto plan = plan_training(request, data, kFavourable);
  return plan ? "planned" : plan.error().message;
}

const Dataset& repair_census() {
  static const Dataset data = census_data({.rows = 12'000, .seed = 3});
  return data;
}

/// The data with the scores of a model on them, as if they came from elsewhere.
Dataset with_scores(Dataset data) {
  TrainingRequest request;
  request.method = Method::kErm;
  const TrainingPlan plan = plan_training(request, data, kFavourable).value();
  ResearchLedger ledger;
  const TrainingResult erm = train(data, plan, ledger, seeded_noise(2)).value();
  data.scores = predict(Network(erm.model), erm.theta, data.x);
  return data;
}

/// Nothing corrects what the proxy misses: on this census .001 for parity, .027 for odds, .006 for
/// opportunity.
TEST(LinearPost, ReachesItsTargetForEveryNotion) {
  for (const FairnessNotion notion :
       {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds,
        FairnessNotion::kEqualOpportunity}) {
    TrainingRequest request = repair_request(0.03);
    request.method = Method(methods::linear_post);
    request.notion = notion;
    const TrainingResult result = repair_run(repair_census(), request);
    EXPECT_LE(exact_figures(repair_census(), result).fairness->violation[notion], 0.06)
        << to_string(notion);
  }
}

TEST(LinearPost, PromisesNothingAndReleasesNothing) {
  TrainingRequest request = repair_request(0.03);
  request.method = Method(methods::linear_post);
  const TrainingResult result = repair_run(repair_census(), request);
  ASSERT_EQ(result.statement.releases.size(), 1U);
  EXPECT_FALSE(result.statement.cost);
  EXPECT_TRUE(result.released_shares.empty());
  EXPECT_FALSE(result.violation);
}

TEST(LinearPost, IsRefusedByALedgerBeforeSIsRead) {
  TrainingRequest request = repair_request(0.03);
  request.method = Method(methods::linear_post);
  const Dataset unread = without_groups(repair_census());
  const TrainingPlan plan = plan_training(request, unread, kFavourable).value();
  RefusingLedger ledger;
  EXPECT_FALSE(train(unread, plan, ledger, seeded_noise(1)));
}

/// At epsilon 2 the noise of a difference of rates is below .004: the margin is seven of those.
TEST(RepairMethod, ReachesItsTargetForEveryNotion) {
  for (const FairnessNotion notion :
       {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds,
        FairnessNotion::kEqualOpportunity}) {
    TrainingRequest request = repair_request(0.03);
    request.notion = notion;
    const TrainingResult result = repair_run(repair_census(), request);
    const Metrics metrics = exact_figures(repair_census(), result);
    EXPECT_LE(metrics.fairness->violation[notion], 0.06) << to_string(notion);
    ASSERT_TRUE(result.violation);
    EXPECT_FALSE(result.violation->by_proxy);
    EXPECT_LE(result.violation->low, metrics.fairness->violation[notion]);
    EXPECT_GE(result.violation->high, metrics.fairness->violation[notion]);
  }
}

TEST(RepairMethod, ServesManyGroupsAndClasses) {
  const Dataset data = synthetic({6000, 3, 4, 3, 3});
  const FairnessNotion parity = FairnessNotion::kDemographicParity;
  const auto violation = [&](double target) {
    return exact_figures(data, repair_run(data, repair_request(target)))
        .fairness->violation[parity];
  };
  EXPECT_GT(violation(0.9), 0.2);
  EXPECT_LE(violation(0.05), 0.09);
}

TEST(RepairMethod, ChargesTheSketchAndItsQueriesAtOnce) {
  const TrainingPlan plan =
      plan_training(repair_request(0.05), repair_census(), kFavourable).value();
  ResearchLedger ledger;
  const TrainingResult result = train(repair_census(), plan, ledger, seeded_noise(1)).value();
  ASSERT_EQ(ledger.plans().size(), 1U);
  ASSERT_EQ(result.statement.releases.size(), 2U);
  EXPECT_EQ(result.statement.releases[1].count, plan.sketch()->rounds);
  EXPECT_LE(result.statement.cost->epsilon, 2);
  EXPECT_GT(result.statement.cost->epsilon, 1.95);
}

TEST(RepairMethod, ReadsNothingWhereTheBudgetRefuses) {
  const Dataset unreadable = without_groups(repair_census());
  const TrainingPlan plan = plan_training(repair_request(0.05), unreadable, kFavourable).value();
  RefusingLedger ledger;
  const auto result = train(unreadable, plan, ledger, seeded_noise(1));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().kind, ErrorKind::kBudgetRefused);
}

TEST(RepairMethod, TakesGivenScoresAndKeepsNoParameters) {
  const Dataset data = with_scores(repair_census());
  const TrainingResult result = repair_run(data, repair_request(0.03));
  EXPECT_TRUE(result.theta.empty());
  EXPECT_THAT(result.statement.assumptions, testing::Contains(HasSubstr("the scores that were")));
  EXPECT_LE(exact_figures(data, result).fairness->violation[FairnessNotion::kDemographicParity],
            0.06);
  // What is fair enough stays as it is.
  const Metrics same = exact_figures(data, repair_run(data, repair_request(0.9)));
  EXPECT_EQ(same.error, exact_metrics(data.scores, data, kFavourable).value().error);
}

TEST(RepairMethod, RepairsTheModelThatItIsGiven) {
  const std::size_t size = ModelSpec{repair_census().x.columns(), 2, {}}.parameter_count();
  TrainingHooks hooks;
  hooks.repaired = std::vector<double>(size, 0.25);
  const TrainingResult result = repair_run(repair_census(), repair_request(0.9), hooks);
  EXPECT_EQ(result.theta, hooks.repaired);
}

TEST(RepairMethod, FromASketchNeverReadsGroups) {
  const Dataset data = with_scores(repair_census());
  const SketchFeatures features = SketchFeatures::create(data, {}).value();
  SketchRequest wanted;
  wanted.notion = FairnessNotion::kEqualizedOdds;
  wanted.epsilon = 8;
  ResearchLedger ledger;
  const SketchPlan sketch_plan = plan_sketch(wanted, data, kFavourable, features).value();
  const Sketch sketch = make_sketch(data, features, sketch_plan, ledger, seeded_noise(4)).value();
  const Dataset unreadable = without_groups(data);
  for (const FairnessNotion notion : fairness_notions()) {
    TrainingRequest request = repair_request(0.03);
    request.notion = notion;
    const TrainingPlan plan =
        plan_repair_from_sketch(request, unreadable, kFavourable, sketch).value();
    const TrainingResult result =
        repair_from_sketch(unreadable, plan, sketch, features, seeded_noise(5), {}).value();
    EXPECT_TRUE(result.violation->by_proxy);
    EXPECT_LE(exact_figures(data, result).fairness->violation[notion], 0.07) << to_string(notion);
  }
}

/// One category: in its second level are most of group 1 and most favourable labels. A rule can
/// decide by the level alone, so that within the target it decides alike for all; a mixture with
/// the level's decisions errs less.
Dataset two_levels() {
  Dataset data;
  constexpr std::size_t kRows = 4000;
  data.x = HybridMatrix(kRows, 0, 1, 2);
  std::vector<std::uint16_t> s;
  for (std::uint32_t i = 0; i < kRows; ++i) {
    const std::uint16_t level = i % 2;
    data.x.row(i).ones[0] = level;
    s.push_back(i % 20 < 14 ? level : 1 - level);
    data.y.push_back(i % 10 < 8 ? level : 1 - level);
    data.units.push_back(i);
    data.scores.push_back(level == 0 ? 0.8F : 0.2F);
    data.scores.push_back(level == 0 ? 0.2F : 0.8F);
  }
  data.s = Protected(std::move(s));
  data.classes = 2;
  data.groups = 2;
  data.unit_count = kRows;
  return data;
}

/// The free line needs the violation of the model as it is: without a query for it the proxy has
/// it.
TEST(RepairMethod, ReturnsNothingAboveTheFreeLineHoweverManyQueries) {
  const Dataset data = two_levels();
  constexpr double kTarget = 0.2;
  const auto cost = [&](const TrainingResult& result) {
    return rule_metrics(result.rule, result.model, result.theta, data, kFavourable,
                        Draws::kExpected)
        .value()
        .error;
  };
  const double gap = 0.4;  // of the levels' decisions, which err on .2
  const double line = 0.5 - 0.3 * kTarget / gap;
  for (const std::size_t queries : {0, 1, 2, 4}) {
    TrainingRequest request = repair_request(kTarget);
    request.epsilon = 20;
    request.residual_rounds = queries;
    const TrainingResult result = repair_run(data, request);
    EXPECT_EQ(result.rule.weights.size(), 2U) << queries;
    EXPECT_NEAR(cost(result), line, 0.03) << queries;
    EXPECT_NE(result.returned, "") << queries;
    request.mixtures = false;
    EXPECT_TRUE(repair_run(data, request).rule.weights.empty()) << queries;
  }
}

TEST(RepairMethod, FollowsCosts) {
  const Dataset data = with_scores(repair_census());
  const auto favoured = [&](std::vector<double> costs) {
    TrainingRequest request = repair_request(0.9);
    request.costs = std::move(costs);
    return exact_figures(data, repair_run(data, request)).fairness->groups[0].rate[kFavourable];
  };
  EXPECT_GT(favoured({1, 5}), favoured({}) + 0.05);
  EXPECT_LT(favoured({5, 1}), favoured({}) - 0.02);
  EXPECT_EQ(favoured({0, 1, 1, 0}), favoured({}));
  EXPECT_EQ(favoured({0, 5, 1, 0}), favoured({1, 5}));
}

TEST(RepairMethod, RefusesWhatItCannotDo) {
  TrainingRequest request = repair_request(0.05);
  request.max_violation.reset();
  request.lambda = 1;
  EXPECT_THAT(repair_refusal(repair_census(), request), HasSubstr("repair has no `lambda`"));
  request = repair_request(0.05);
  request.features.kind = FeatureKind::kLabel;
  EXPECT_THAT(repair_refusal(repair_census(), request),
              HasSubstr("repair needs a sketch of encoded rows"));
  for (const std::vector<double>& costs :
       {std::vector<double>{1}, {1, -1}, {0, 1, 1}, {0, INFINITY, 1, 0}}) {
    request = repair_request(0.05);
    request.costs = costs;
    EXPECT_THAT(repair_refusal(repair_census(), request), HasSubstr("`costs` must be"));
  }
  Dataset other = repair_census();
  other.scores = {0.5, 0.5};
  EXPECT_THAT(repair_refusal(other, repair_request(0.05)),
              HasSubstr("the scores are not those of these"));
}

TrainingRequest boosted_request(double target) {
  TrainingRequest request = repair_request(target);
  request.boosted = true;
  return request;
}

/// Figures by scores of trees that have not seen the row.
TEST(BoostedRepair, ReachesItsTargetOnRowsThatTheTreesHaveNotSeen) {
  const Dataset& data = repair_census();
  const TrainingResult result = repair_run(data, boosted_request(0.03));
  ASSERT_EQ(result.scores.size(), data.rows() * data.classes);
  EXPECT_TRUE(result.model.boosted);
  EXPECT_EQ(result.theta.size(), result.model.parameter_count());
  const Metrics metrics = rule_metrics(result.rule, result.model, result.theta, data, kFavourable,
                                       Draws::kMade, {}, result.scores)
                              .value();
  const double violation = metrics.fairness->violation[FairnessNotion::kDemographicParity];
  EXPECT_LE(violation, 0.06);
  ASSERT_TRUE(result.violation);
  EXPECT_LE(result.violation->low, violation);
  EXPECT_GE(result.violation->high, violation);
}

TEST(BoostedRepair, UsesTreesThatWereGrownBefore) {
  const Dataset data = synthetic({.rows = 1500, .seed = 2});
  Workers workers;
  const BoostedTrees trees = grow_trees(data, workers).value();
  TrainingHooks hooks;
  hooks.grown = &trees;
  const TrainingResult given = repair_run(data, boosted_request(0.05), hooks);
  const TrainingResult own = repair_run(data, boosted_request(0.05));
  EXPECT_EQ(given.theta, own.theta);
  EXPECT_EQ(given.rule, own.rule);
}

TEST(BoostedRepair, LeavesErmAsItIs) {
  const Dataset data = synthetic({.rows = 1500, .seed = 2});
  TrainingRequest request = boosted_request(0.05);
  request.method = Method::kErm;
  request.max_violation.reset();
  const TrainingResult result = repair_run(data, request);
  EXPECT_TRUE(result.rule.plain());
  EXPECT_TRUE(result.statement.releases.empty());
  EXPECT_FALSE(result.scores.empty());
}

TEST(BoostedRepair, IsWhatAutoMeansForTrees) {
  const Dataset data = synthetic({.rows = 1500, .seed = 2});
  TrainingRequest request = boosted_request(0.05);
  request.method = Method::kAuto;
  EXPECT_EQ(plan_training(request, data, kFavourable)->method, Method::kRepair);
  request.notion = FairnessNotion::kNone;
  request.max_violation.reset();
  EXPECT_EQ(plan_training(request, data, kFavourable)->method, Method::kErm);
}

TEST(BoostedRepair, IsRefusedWhereTreesCannotBe) {
  const Dataset data = synthetic({.rows = 200});
  TrainingRequest request = boosted_request(0.05);
  request.hidden = {4};
  EXPECT_THAT(repair_refusal(data, request), HasSubstr("no layers"));
  for (const Method method : {Method::kDpFermi, Method::kFermi, Method::kSketch, Method::kCoin}) {
    request = boosted_request(0.05);
    request.method = method;
    EXPECT_THAT(repair_refusal(data, request), HasSubstr("cannot train boosted trees"));
  }
  for (const Adjacency adjacency : {Adjacency::kReplaceRecord, Adjacency::kAddRemoveRecord}) {
    request = boosted_request(0.05);
    request.method = Method::kAuto;
    request.adjacency = adjacency;
    EXPECT_THAT(repair_refusal(data, request),
                HasSubstr("grown on features and labels as they are"));
  }
}

}  // namespace
}  // namespace dpfermi
