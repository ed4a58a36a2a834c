// The free line: a mixture of a plain model and the best constant.

#include <gmock/gmock.h>

#include "dpfermi/evaluate/metrics.h"
#include "optimize/census_data.h"
#include "optimize/choose_method.h"
#include "optimize/training.h"
#include "privacy/research_ledger.h"
#include "random/lane.h"

namespace dpfermi {
namespace {

using testing_support::census_data;
using testing_support::kFavourable;
using testing_support::seeded_noise;

struct Tossed {
  TrainingResult result;
  Metrics metrics;
};

Tossed toss(const Dataset& data, double share, ResearchLedger& ledger) {
  const TrainingPlan plan =
      plan_training({.method = Method::kCoin, .lambda = share}, data, kFavourable).value();
  Tossed tossed{train(data, plan, ledger, seeded_noise(1)).value(), {}};
  tossed.metrics = rule_metrics(tossed.result.rule, plan.model, tossed.result.theta, data,
                                kFavourable, Draws::kExpected)
                       .value();
  return tossed;
}

TEST(Coin, ReachesEveryPointBetweenThePlainModelAndTheConstant) {
  for (const std::size_t classes : {2U, 3U}) {
    const Dataset data = census_data({.rows = 3000, .groups = 3, .classes = classes});
    ResearchLedger ledger;
    const Metrics plain = toss(data, 0, ledger).metrics;
    const Metrics constant = toss(data, 1, ledger).metrics;
    const std::size_t label = commonest_label(data.y, data.classes);
    const auto right = static_cast<double>(std::ranges::count(data.y, label));
    EXPECT_NEAR(constant.error, 1 - right / 3000, 1e-6);
    for (const double share : {0.25, 0.6}) {
      const Metrics mixed = toss(data, share, ledger).metrics;
      EXPECT_NEAR(mixed.error, (1 - share) * plain.error + share * constant.error, 1e-5);
      for (const auto& [notion, violation] : plain.fairness->violation) {
        EXPECT_NEAR(mixed.fairness->violation[notion], (1 - share) * violation, 1e-5);
      }
    }
    EXPECT_GT(plain.fairness->violation[FairnessNotion::kDemographicParity], 0.05);
  }
}

TEST(Coin, ReadsNothingProtected) {
  const Dataset data = census_data({.rows = 3000});
  ResearchLedger ledger;
  const Tossed tossed = toss(data, 0.5, ledger);
  EXPECT_TRUE(ledger.plans().empty());
  EXPECT_TRUE(tossed.result.statement.releases.empty());
  Dataset other = data;
  std::vector<std::uint16_t> turned = ExactForHolder::read(data.s);
  std::ranges::reverse(turned);
  other.s = Protected(std::move(turned));
  EXPECT_EQ(toss(other, 0.5, ledger).result.theta, tossed.result.theta);
}

TEST(Coin, RefusesSharesAboveOneAndTargets) {
  const Dataset data = census_data({.rows = 3000});
  EXPECT_FALSE(plan_training({.method = Method::kCoin, .lambda = 1.5}, data, kFavourable));
  EXPECT_FALSE(plan_training({.method = Method::kCoin, .max_violation = 0.1}, data, kFavourable));
}

TEST(ChooseMethod, FollowsFromShapesAndWhatOneMethodAloneCanDo) {
  const auto chosen = [](const TrainingRequest& request, std::size_t groups, std::size_t classes) {
    const Dataset data = census_data({.rows = 200, .groups = groups, .classes = classes});
    return choose_method(request, data).method->name;
  };
  // Few records at this epsilon, and many.
  EXPECT_EQ(chosen({}, 2, 2), "sketch");
  EXPECT_EQ(chosen({.epsilon = 500}, 2, 2), "dp-fermi");
  EXPECT_EQ(chosen({}, 5, 2), "sketch");
  EXPECT_EQ(chosen({}, 2, 3), "sketch");
  EXPECT_EQ(chosen({.epsilon = 500, .named_groups = 2}, 3, 2), "dp-fermi");
  EXPECT_EQ(chosen({.adjacency = Adjacency::kReplaceRecord}, 5, 2), "dp-fermi");
  EXPECT_EQ(chosen({.notion = FairnessNotion::kNone}, 5, 2), "dp-fermi");
  EXPECT_EQ(chosen({.epochs = 3}, 5, 2), "dp-fermi");
  EXPECT_EQ(chosen({.residual_rounds = 1}, 2, 2), "sketch");
}

TEST(ChooseMethod, APlanIsThatOfTheMethodChosen) {
  const Dataset data = census_data({.rows = 3000, .groups = 3});
  const TrainingPlan plan = plan_training({}, data, kFavourable).value();
  EXPECT_EQ(plan.method, Method::kSketch);
  EXPECT_EQ(plan.certified_epsilon,
            plan_training({.method = Method::kSketch}, data, kFavourable)->certified_epsilon);
}

}  // namespace
}  // namespace dpfermi
