// The paper's method as a whole: plans, statements, runs, and what it refuses.
#include <gmock/gmock.h>

#include "optimize/dp_fermi_paper.h"
#include "optimize/paper_fixtures.h"
#include "optimize/refusing_ledger.h"
#include "privacy/research_ledger.h"
#include "random/lane.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;
using testing_support::biased_rows;
using testing_support::certified;
using testing_support::paper_plan;
using testing_support::RefusingLedger;
using testing_support::seeded_noise;
using testing_support::settled_plan;
using testing_support::to_dataset;
using testing_support::without_groups;

constexpr auto kSensitive = Adjacency::kSensitive;

TrainingRequest request_for(double lambda) {
  TrainingRequest request;
  request.method = Method::kDpFermiPaper;
  request.lambda = lambda;
  request.batch = 100;
  request.epochs = 20;
  return request;
}

Dataset small_data(double minority = 0.3) {
  return to_dataset(biased_rows(1000, minority, 5), 2, 2);
}

Result<TrainingResult> run_paper(const Dataset& data, const TrainingPlan& plan, NoiseSource noise,
                                 const TrainingHooks& hooks = {}) {
  ResearchLedger ledger;
  return dp_fermi_paper(data, plan, ledger, std::move(noise), hooks);
}

TEST(PaperMethod, ThePlanHoldsTheTheoremsNumbers) {
  const Dataset data = small_data(0.3);
  const TrainingPlan plan = settled_plan(request_for(2), data).value();
  ASSERT_TRUE(plan.paper());
  EXPECT_EQ(plan.steps, 200U);
  EXPECT_EQ(plan.paper()->claimed_epsilon, 1);
  EXPECT_NEAR(plan.paper()->rho, 0.3, 1e-12);
  EXPECT_EQ(plan.paper()->diameter, 2);
  const double log_term = std::log(1e6);  // delta = 1/n^2
  EXPECT_NEAR(plan.paper()->sigma_w, std::sqrt(16 * 200 * log_term / (1e6 * 0.3)), 1e-9);
  EXPECT_NEAR(plan.paper()->sigma_theta, plan.paper()->sigma_w * plan.paper()->lipschitz * 2, 1e-9);
  EXPECT_NEAR(plan.paper()->w_bound, std::sqrt(1 / 0.3 + 1 / 0.7), 1e-9);
  EXPECT_TRUE(std::isinf(plan.certified_epsilon));  // the shares are used as they are
  EXPECT_GT(plan.paper()->given_shares, 1);
  const double same =
      certified(RevealedPoissonGaussianRelease{plan.q, plan.noise_multiplier / 2}, 200, plan.delta);
  EXPECT_NEAR(plan.paper()->given_shares, same, 2e-3 * same);
}

TEST(PaperMethod, StatesThatExactSharesLeaveNoGuarantee) {
  const Dataset data = small_data();
  const TrainingPlan plan = settled_plan(request_for(1), data).value();
  NoiseSource secret{SecretKey::from_os().value()};
  const TrainingResult result = run_paper(data, plan, std::move(secret)).value();
  EXPECT_EQ(result.steps, plan.steps);
  const PrivacyStatement& statement = result.statement;
  ASSERT_TRUE(check_statement(statement));
  EXPECT_FALSE(is_private(statement));
  EXPECT_FALSE(statement.cost);
  EXPECT_EQ(statement.claimed_epsilon, 1);
  EXPECT_EQ(statement.cost_given_shares->epsilon, plan.paper()->given_shares);
  EXPECT_GT(statement.cost_given_shares->epsilon, 1);
  ASSERT_EQ(statement.releases.size(), 2U);
  EXPECT_TRUE(std::holds_alternative<ExactRelease>(statement.releases[0].event.node()));
  EXPECT_EQ(statement.releases[1].count, plan.steps);
  const std::string text = describe(statement);
  EXPECT_THAT(text, HasSubstr("Guarantee: none, because exact shares of groups were used"));
  EXPECT_THAT(text, HasSubstr("promises epsilon = 1"));
  EXPECT_THAT(text, HasSubstr("the share of every group"));
}

TEST(PaperMethod, PlansWithoutTheGroups) {
  const Dataset data = small_data();
  const TrainingPlan plan = paper_plan(request_for(1), without_groups(data)).value();
  EXPECT_EQ(plan.paper()->rho, 0);
  EXPECT_EQ(plan.noise_multiplier, 0);
  EXPECT_EQ(plan.clip_norm, 0);
  const TrainingPlan settled = settled_plan(request_for(1), data).value();
  EXPECT_GT(settled.noise_multiplier, 0);
  const TrainingPlan back = unsettled_paper(settled);
  EXPECT_EQ(back.noise_multiplier, plan.noise_multiplier);
  EXPECT_EQ(back.clip_norm, plan.clip_norm);
  EXPECT_EQ(back.paper()->lipschitz, settled.paper()->lipschitz);
  EXPECT_EQ(back.paper()->given_shares, 0);
  // One person in another group changes what is stored, which is why nothing is promised.
  EXPECT_NE(settled_plan(request_for(1), small_data(0.301))->clip_norm, settled.clip_norm);
}

TEST(PaperMethod, ChargesTheSharesThenSettlesThenChargesTheSteps) {
  const Dataset data = small_data();
  const TrainingPlan plan = paper_plan(request_for(1), data).value();
  ResearchLedger ledger;
  const TrainingResult result = dp_fermi_paper(data, plan, ledger, seeded_noise(9), {}).value();
  ASSERT_EQ(ledger.charges().size(), 1U);
  EXPECT_EQ(ledger.charges()[0].purpose, kSharesPurpose);
  EXPECT_TRUE(std::holds_alternative<ExactRelease>(ledger.charges()[0].event.node()));
  ASSERT_EQ(ledger.plans().size(), 1U);
  EXPECT_EQ(ledger.plans()[0].plan.parts[0].steps, plan.steps);
  const TrainingPlan settled = settled_plan(request_for(1), data).value();
  ASSERT_TRUE(result.settled);
  EXPECT_EQ(result.settled->noise_multiplier, settled.noise_multiplier);
  EXPECT_EQ(result.settled->paper()->sigma_w, settled.paper()->sigma_w);
  EXPECT_EQ(result.theta, run_paper(data, settled, seeded_noise(9))->theta);
  RefusingLedger refusing;
  const auto refused = dp_fermi_paper(without_groups(data), plan, refusing, seeded_noise(9), {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kBudgetRefused);
}

TEST(PaperMethod, ASeedGivesTheSameModelOnAnyNumberOfThreads) {
  const Dataset data = small_data();
  for (const FairnessNotion notion :
       {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds}) {
    TrainingRequest request = request_for(1);
    request.notion = notion;
    const TrainingPlan plan = settled_plan(request, data).value();
    const TrainingResult one = run_paper(data, plan, seeded_noise(9)).value();
    TrainingHooks hooks;
    hooks.threads = 3;
    EXPECT_EQ(one.theta, run_paper(data, plan, seeded_noise(9), hooks)->theta);
    EXPECT_NE(one.theta, run_paper(data, plan, seeded_noise(10))->theta);
    EXPECT_FALSE(is_private(one.statement));
  }
}

TEST(PaperMethod, GoesOnFromACheckpoint) {
  const Dataset data = small_data();
  TrainingRequest request = request_for(1);
  request.iterate = IterateRule::kRandom;
  const TrainingPlan plan = settled_plan(request, data).value();
  const TrainingResult whole = run_paper(data, plan, seeded_noise(9)).value();

  ResearchLedger ledger;
  std::vector<TrainingCheckpoint> saved;
  TrainingHooks hooks;
  hooks.checkpoint_every = 60;
  hooks.checkpoint = [&](const TrainingCheckpoint& checkpoint) -> Status {
    saved.push_back(checkpoint);
    return {};
  };
  hooks.progress = [](const TrainingProgress& progress) { return progress.step < 130; };
  ASSERT_TRUE(dp_fermi_paper(data, plan, ledger, seeded_noise(9), hooks));
  ASSERT_EQ(saved.size(), 2U);
  hooks.progress = {};
  const TrainingCheckpoint last = saved[1];
  hooks.resume = &last;
  const auto rest = dp_fermi_paper(data, last.plan, ledger, seeded_noise(9), hooks);
  EXPECT_EQ(ledger.charges().size(), 1U);
  ASSERT_TRUE(rest) << rest.error().message;
  EXPECT_EQ(rest->theta, whole.theta);
  EXPECT_EQ(rest->steps, plan.steps);
}

TEST(PaperMethod, WithoutLambdaNothingReadsTheGroups) {
  const Dataset data = small_data();
  Dataset shuffled = data;
  std::vector<std::uint16_t> other(data.rows(), 0);
  shuffled.s = Protected(other);
  const TrainingPlan plan = settled_plan(request_for(0), data).value();
  EXPECT_EQ(plan.certified_epsilon, 0);
  const TrainingResult result = run_paper(data, plan, seeded_noise(9)).value();
  EXPECT_EQ(result.theta, run_paper(shuffled, plan, seeded_noise(9))->theta);
  EXPECT_TRUE(result.statement.releases.empty());
  EXPECT_EQ(result.statement.cost->epsilon, 0);
}

/// |E[F | s = 0] - E[F | s = 1]| of a logistic model.
double soft_gap(const reference::Data& rows, const std::vector<double>& theta) {
  std::vector<double> sums(2);
  std::vector<double> counts(2);
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const double v = theta[0] * rows.x[2 * i] + theta[1] * rows.x[2 * i + 1] + theta[2];
    sums[rows.rows.s[i]] += 1 / (1 + std::exp(-v));
    counts[rows.rows.s[i]] += 1;
  }
  return std::abs(sums[0] / counts[0] - sums[1] / counts[1]);
}

TEST(PaperMethod, LearnsAndBecomesFair) {
  const reference::Data rows = biased_rows(8000, 0.4, 7);
  const Dataset data = to_dataset(rows, 2, 2);
  const auto trained = [&](double lambda) {
    TrainingRequest request = request_for(lambda);
    request.epsilon = 10;
    request.batch = 1000;
    request.epochs = 60;
    request.theta_rate = 0.2;
    request.w_rate = 0.2;
    return run_paper(data, settled_plan(request, data).value(), seeded_noise(9))->theta;
  };
  const std::vector<double> unfair = trained(0);
  EXPECT_NEAR(unfair[0], 1.5, 0.3);  // what the labels were drawn by
  EXPECT_NEAR(unfair[1], 1, 0.3);
  EXPECT_GT(soft_gap(rows, unfair), 0.3);
  EXPECT_LT(soft_gap(rows, trained(4)), 0.6 * soft_gap(rows, unfair));
}

TEST(PaperMethod, AllFeaturesAreClaimedButNotCertified) {
  const Dataset data = small_data();
  for (const double lambda : {0.0, 1.0}) {
    TrainingRequest request = request_for(lambda);
    request.adjacency = Adjacency::kReplaceRecord;
    request.declared_norm = 5;
    const TrainingPlan plan = settled_plan(request, data).value();
    EXPECT_TRUE(std::isinf(plan.certified_epsilon));
    const TrainingResult result = run_paper(data, plan, seeded_noise(9)).value();
    EXPECT_FALSE(result.statement.cost);
    EXPECT_EQ(result.statement.claimed_epsilon, 1);
    ASSERT_TRUE(check_statement(result.statement));
    EXPECT_THAT(describe(result.statement), HasSubstr("Guarantee: none"));
    EXPECT_TRUE(std::holds_alternative<ExactRelease>(result.statement.releases[0].event.node()));
    if (lambda > 0) {
      // The theorem's larger noise is run all the same.
      const TrainingPlan sensitive = settled_plan(request_for(lambda), data).value();
      EXPECT_GT(plan.paper()->sigma_w, sensitive.paper()->sigma_w);
    }
  }
}

TEST(PaperMethod, SurvivesOddData) {
  Dataset missing = to_dataset(biased_rows(60, 0.05, 6), 4, 3);
  for (const double lambda : {1.0, 1e6}) {
    for (const double epsilon : {1e-3, 8.0}) {
      for (const FairnessNotion notion :
           {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds}) {
        TrainingRequest request = request_for(lambda);
        request.batch.reset();
        request.epsilon = epsilon;
        request.notion = notion;
        const auto plan = settled_plan(request, missing);
        ASSERT_TRUE(plan) << plan.error().message;
        EXPECT_EQ(plan->q, 1);
        const auto result = run_paper(missing, *plan, seeded_noise(9));
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_TRUE(check_statement(result->statement));
        const double certified = plan->paper()->given_shares;
        EXPECT_TRUE(std::isfinite(certified));
        // Only what is certified far beyond any use needs noise without a last bit.
        EXPECT_EQ(plan->ideal_noise, certified > 20) << certified;
        if (certified > 20) {
          EXPECT_THAT(describe(result->statement), HasSubstr("last bits"));
        }
      }
    }
  }
}

TEST(PaperMethod, SaysWhatToChangeWhereTheTheoremDoesNotApply) {
  const Dataset data = small_data();
  const auto message = [&](auto change) {
    TrainingRequest request = request_for(1);
    change(request);
    const auto plan = paper_plan(request, without_groups(data));
    return plan ? std::string("planned") : plan.error().message;
  };
  EXPECT_EQ(message([](TrainingRequest&) {}), "planned");
  EXPECT_THAT(message([](TrainingRequest& r) {
                r.batch = 5;
                r.epochs = 1;
              }),
              HasSubstr("take more steps"));
  EXPECT_THAT(message([](TrainingRequest& r) { r.epsilon = 40; }), HasSubstr("smaller epsilon"));
  EXPECT_THAT(message([](TrainingRequest& r) { r.tau = 2; }), HasSubstr("`tau`"));
  TrainingRequest steered = request_for(1);
  steered.lambda.reset();
  steered.max_violation = 0.05;
  EXPECT_THAT(plan_training(steered, data, 1).error().message, HasSubstr("`lambda`"));
  EXPECT_THAT(message([](TrainingRequest& r) { r.dual = DualRule::kBestResponse; }),
              HasSubstr("ascends"));
  EXPECT_THAT(message([](TrainingRequest& r) { r.notion = FairnessNotion::kEqualOpportunity; }),
              HasSubstr("equalized odds"));
  EXPECT_THAT(message([](TrainingRequest& r) { r.adjacency = Adjacency::kAddRemoveRecord; }),
              HasSubstr("add-remove-record"));
}

}  // namespace
}  // namespace dpfermi
