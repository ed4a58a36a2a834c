// The noise that a run really adds to theta and W has the theorem's standard deviations.
#include <gtest/gtest.h>

#include "objective/reference_problem.h"
#include "optimize/paper_fixtures.h"
#include "privacy/research_ledger.h"

namespace dpfermi {
namespace {

using testing_support::biased_rows;
using testing_support::settled_plan;
using testing_support::to_dataset;

/// The first step of a run: its checkpoint is all that was released so far.
SolverState first_step(const Dataset& data, const TrainingPlan& plan, std::uint64_t seed) {
  ResearchLedger ledger;
  SolverState state;
  TrainingHooks hooks;
  hooks.checkpoint_every = 1;
  hooks.checkpoint = [&](const TrainingCheckpoint& checkpoint) -> Status {
    state = checkpoint.state;
    return {};
  };
  EXPECT_TRUE(dp_fermi_paper(data, plan, ledger,
                             NoiseSource(ReproducibleSeed::from_number(seed).value()), hooks));
  return state;
}

double square_sum(const std::vector<double>& actual, const reference::Vector& expected,
                  double unit) {
  double sum = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    const double deviation = (actual[i] - expected[i]) / unit;
    sum += deviation * deviation;
  }
  return sum;
}

// 600 runs, each with 3 draws for theta and 4 for W. Sums of squares of N standard normals have
// standard deviation sqrt(2 N); beyond six of them both tests together fail by chance with
// probability below 1e-7 (chi-square, N >= 1800).
TEST(PaperNoise, IsTheTheorems) {
  constexpr std::uint64_t kRuns = 600;
  constexpr double kLambda = 2.5;
  reference::Data rows = biased_rows(400, 0.3, 8);
  for (double& x : rows.x) x = static_cast<float>(x);
  const Dataset data = to_dataset(rows, 2, 2);
  TrainingRequest request;
  request.lambda = kLambda;
  request.epochs = 2;  // of one batch each: everybody is in it
  request.theta_rate = 1;
  const TrainingPlan plan = settled_plan(request, data).value();
  ASSERT_EQ(plan.q, 1);
  ASSERT_EQ(plan.steps, 2U);

  const reference::Problem problem{.lambda = kLambda};
  const reference::Model model{.inputs = 2};
  const reference::Vector logits(2 * rows.rows.size());
  const reference::Vector zero(4);
  const reference::Vector marginals = reference::group_marginals(problem, rows.rows);
  reference::Vector theta = reference::total_theta_gradient(
      model, reference::Vector(3), rows.x,
      reference::logit_gradient(problem, rows.rows, logits, marginals, zero));
  for (double& value : theta) value *= -plan.theta_rate;
  reference::Vector w = reference::w_gradient(problem, rows.rows, logits, marginals, zero);
  for (double& value : w) value *= plan.w_rate;

  double theta_squares = 0;
  double w_squares = 0;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const SolverState state = first_step(data, plan, seed);
    theta_squares +=
        square_sum(state.theta, theta, plan.theta_rate * kLambda * plan.paper()->sigma_theta);
    w_squares += square_sum(state.w, w, plan.w_rate * plan.paper()->sigma_w);
  }
  EXPECT_NEAR(theta_squares, 3 * kRuns, 6 * std::sqrt(2.0 * 3 * kRuns));
  EXPECT_NEAR(w_squares, 4 * kRuns, 6 * std::sqrt(2.0 * 4 * kRuns));
}

}  // namespace
}  // namespace dpfermi
