// The penalties of fairness-lens against plain loops and differences.

#include "baselines/fairness_lens.h"

#include <gmock/gmock.h>

#include "baselines/baseline_data.h"
#include "baselines/lens_problem.h"
#include "dpfermi/privacy/mechanism/privatizer.h"

namespace dpfermi {
namespace {

using testing_support::probabilities;
using testing_support::run_baseline;
using testing_support::seeded_noise;
using testing_support::small_census;
using testing_support::waves;

constexpr double kLensNoise = 1e-4;

TrainingPlan plan_for(const Dataset& data, double clip_norm) {
  TrainingPlan plan;
  plan.model = {data.x.columns(), data.classes, {}};
  plan.units = static_cast<std::uint32_t>(data.unit_count);
  plan.steps = 100;
  plan.lambda = 0.7;
  plan.clip_norm = clip_norm;
  return plan;
}

/// One step over everybody, with hardly any noise.
Gradients step(LensProblem& problem, const Dataset& data, std::span<const double> theta) {
  const auto units = static_cast<std::uint32_t>(data.unit_count);
  const Adjacency adjacency = Adjacency::kReplaceRecord;
  const PrivacyEvent event =
      gaussian_event(adjacency, Batch::everyone(units).sampling(), kLensNoise).value();
  ResearchLedger ledger;
  NoiseSource noise = seeded_noise(1);
  Privatizer privatizer =
      Privatizer::create(ContributionLayout::create(problem.segments(), 36).value(), adjacency,
                         kLensNoise, ledger.charge({"test", event, 1, {}, true}).value(),
                         noise.open(Purpose::kGradientNoise).value())
          .value();
  Gradients gradients{std::vector<double>(problem.theta_size()), {}};
  problem.begin_step(theta, {});
  ClippedSum sum = problem.clipped_sum(privatizer, Batch::everyone(units), nullptr).value();
  problem.add_released(privatizer.release(std::move(sum)).value(), gradients);
  return gradients;
}

/// mean of loss + a_s <grad loss, u> + b_s (1 - sum F^2), two classes.
double lens_value(const Dataset& data, std::span<const double> theta, const LensTerms& terms) {
  const auto& s = ExactForHolder::read(data.s);
  double sum = 0;
  for (std::uint32_t row = 0; row < data.rows(); ++row) {
    const double f = probabilities(data, row, theta, 1)[1];
    double along = terms.bias.back();
    for (std::size_t j = 0; j < data.x.columns(); ++j) along += terms.bias[j] * data.x.at(row, j);
    sum -= std::log(data.y[row] == 1 ? f : 1 - f);
    sum += terms.gradient_weights[s[row]] * (f - data.y[row]) * along;
    sum += terms.closeness_weights[s[row]] * 2 * f * (1 - f);
  }
  return sum / static_cast<double>(data.rows());
}

TEST(LensProblem, GradientIsThatOfThePenalties) {
  const Dataset& data = small_census();
  LensProblem problem(data, plan_for(data, 40), 0.1);  // nothing is clipped
  const LensTerms terms{{0.6, -0.9},
                        {-0.4, 1.1},
                        waves(problem.theta_size(), 0.2),
                        std::vector<double>(problem.theta_size())};
  problem.set_terms(terms);
  const std::vector<double> theta = waves(problem.theta_size());
  const Gradients gradients = step(problem, data, theta);
  const auto value = [&](std::span<const double> at) { return lens_value(data, at, terms); };
  for (const std::size_t j : {std::size_t{0}, std::size_t{5}, theta.size() - 1}) {
    EXPECT_NEAR(gradients.theta[j], testing_support::slope(value, theta, j), 0.001) << j;
  }
}

TEST(LensStatistics, TermsFollowFromMeans) {
  LensStatistics statistics(2, 2);
  // Two thirds in group 0. g = (.2, .15), g_0 = (.3, 0), g_1 = (0, .45), g - gbar = (.05, 0).
  statistics.add({{2. / 3, 1. / 3}, {.2, .15}, {.2, 0, 0, .15}, {.05, 0}}, 1);
  const LensTerms terms = statistics.terms(0.7, 0.01);
  EXPECT_THAT(terms.bias, testing::ElementsAre(0.05, 0));
  // <g_0 - g, bias> > 0 > <g_1 - g, bias>; closeness of group 0, .3, is below the mean, .35.
  const double first = 1.5 - 1;  // of a member of group 0, for a = 0
  EXPECT_NEAR(terms.gradient_weights[0], 0.7 * (first + 1), 1e-12);
  EXPECT_NEAR(terms.gradient_weights[1], 0.7 * (-1 - 2), 1e-12);
  EXPECT_NEAR(terms.closeness_weights[0], 0.7 * (-first - 1), 1e-12);
  EXPECT_NEAR(terms.closeness_weights[1], 0.7 * (1 + 2), 1e-12);
  // (g_0 - g) - (g_1 - g) = g_0 - g_1.
  EXPECT_NEAR(terms.unevenness[0], 0.7 * 0.3, 1e-12);
  EXPECT_NEAR(terms.unevenness[1], -0.7 * 0.45, 1e-12);
}

TEST(LensStatistics, AStepMakesUpItsShare) {
  LensStatistics statistics(2, 1);
  statistics.add({{.5, .5}, {.1, .1}, {.2, .4}, {1}}, 1);
  statistics.add({{.5, .5}, {.1, .1}, {.2, .4}, {3}}, 0.25);
  EXPECT_DOUBLE_EQ(statistics.terms(1, 0.01).bias[0], 1.5);
}

TEST(FairnessLens, ASeedFixesTheModelWithinTheBudget) {
  const auto run = [](std::uint64_t seed) {
    FairnessLensOptions options;
    options.adjacency = Adjacency::kReplaceRecord;
    options.steps = 100;
    options.lambda = 0.3;
    ResearchLedger ledger;
    return fairness_lens(small_census(), options, ledger, seeded_noise(seed)).value();
  };
  const TrainingResult first = run(1);
  EXPECT_LE(first.statement.cost->epsilon, 1);
  EXPECT_EQ(first.theta, run(1).theta);
  EXPECT_NE(first.theta, run(2).theta);
}

}  // namespace
}  // namespace dpfermi
