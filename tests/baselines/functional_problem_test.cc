// Gradients of loss plus functionals against differences of a plain-loop value.

#include "baselines/functional_problem.h"

#include <gmock/gmock.h>

#include <numeric>

#include "baselines/baseline_data.h"
#include "dpfermi/privacy/mechanism/privatizer.h"
#include "parameter_name.h"

namespace dpfermi {
namespace {

using testing_support::probabilities;
using testing_support::seeded_noise;
using testing_support::small_census;
using testing_support::waves;

constexpr double kTau = 1.7;
constexpr double kFunctionalNoise = 1e-3;  // small enough to compare, large enough to be drawn

FunctionalOptions options_for(Adjacency adjacency, double histogram_weight = 0) {
  return {.adjacency = adjacency,
          .setting = {FairnessNotion::kEqualizedOdds, 2, 2, 1},
          .tau = kTau,
          .clip_norm = 40,  // longer than any gradient here
          .histogram_weight = histogram_weight};
}

/// mean loss + <v_{y,s}, F>, two classes: v counts F_1.
double functional_value(const Dataset& data, std::span<const double> theta,
                        std::span<const double> v) {
  const auto& s = ExactForHolder::read(data.s);
  double sum = 0;
  for (std::uint32_t row = 0; row < data.rows(); ++row) {
    sum -= std::log(probabilities(data, row, theta, 1)[data.y[row]]);
    sum += v[data.y[row] * 2U + s[row]] * probabilities(data, row, theta, kTau)[1];
  }
  return sum / static_cast<double>(data.rows());
}

/// The gradient of a problem over everybody: public part and released part.
Gradients gradient_of(FunctionalProblem& problem, const Dataset& data, Adjacency adjacency,
                      std::span<const double> theta) {
  Gradients gradients{std::vector<double>(problem.theta_size()), {}};
  problem.begin_step(theta, {});
  if (features_are_public(adjacency)) {
    std::vector<std::uint32_t> all(data.rows());
    std::iota(all.begin(), all.end(), 0U);
    problem.add_public(all, gradients, nullptr);
  }
  const auto units = static_cast<std::uint32_t>(data.unit_count);
  const Batch batch = Batch::everyone(units);
  const PrivacyEvent event = gaussian_event(adjacency, batch.sampling(), kFunctionalNoise).value();
  ResearchLedger ledger;
  NoiseSource noise = seeded_noise(1);
  Privatizer privatizer =
      Privatizer::create(ContributionLayout::create(problem.segments(), 36).value(), adjacency,
                         kFunctionalNoise, ledger.charge({"test", event, 1, {}, true}).value(),
                         noise.open(Purpose::kGradientNoise).value())
          .value();
  ClippedSum sum = problem.clipped_sum(privatizer, Batch::everyone(units), nullptr).value();
  problem.add_released(privatizer.release(std::move(sum)).value(), gradients);
  return gradients;
}

class FunctionalGradient : public testing::TestWithParam<Adjacency> {};

TEST_P(FunctionalGradient, IsThatOfTheValue) {
  const Dataset& data = small_census();
  FunctionalProblem problem(data, Network({data.x.columns(), 2, {}}), options_for(GetParam()));
  const std::vector<double> v{0.8, -0.4, 0.1, 1.5};
  problem.set_functionals(v);
  const std::vector<double> theta = waves(problem.theta_size());
  const Gradients gradients = gradient_of(problem, data, GetParam(), theta);
  const auto value = [&](std::span<const double> at) { return functional_value(data, at, v); };
  // Noise and truncation of a mean are far below the tolerance.
  for (const std::size_t j : {std::size_t{0}, std::size_t{3}, theta.size() - 1}) {
    EXPECT_NEAR(gradients.theta[j], testing_support::slope(value, theta, j), 0.001) << j;
  }
}

INSTANTIATE_TEST_SUITE_P(Adjacencies, FunctionalGradient,
                         testing::Values(Adjacency::kSensitive, Adjacency::kReplaceRecord),
                         testing_support::by_word);

TEST(FunctionalProblem, HistogramCountsProbabilitiesByLabelAndGroup) {
  const Dataset& data = small_census();
  FunctionalProblem problem(data, Network({data.x.columns(), 2, {}}),
                            options_for(Adjacency::kReplaceRecord, 0.5));
  const std::vector<double> theta = waves(problem.theta_size());
  gradient_of(problem, data, Adjacency::kReplaceRecord, theta);
  std::vector<double> expected(2 * 2 * 2);
  const auto& s = ExactForHolder::read(data.s);
  for (std::uint32_t row = 0; row < data.rows(); ++row) {
    const std::vector<double> f = probabilities(data, row, theta, kTau);
    const std::size_t cell = data.y[row] * 2U + s[row];
    for (std::size_t j = 0; j < 2; ++j) {
      expected[cell * 2 + j] += f[j] / static_cast<double>(data.rows());
    }
  }
  EXPECT_THAT(problem.histogram(), testing::Pointwise(testing::DoubleNear(1e-5), expected));
}

TEST(FunctionalProblem, WithoutTermsNothingSecretEntersTheGradient) {
  const Dataset& data = small_census();
  FunctionalProblem problem(data, Network({data.x.columns(), 2, {}}),
                            options_for(Adjacency::kSensitive));
  problem.set_functionals(std::vector<double>(4));
  EXPECT_EQ(problem.noise_scale(), 0);
  // The same vector for both groups is public as well.
  problem.set_functionals(std::vector<double>{0.5, 0.5, -1, -1});
  EXPECT_LT(problem.noise_scale(), 1e-12);
}

}  // namespace
}  // namespace dpfermi
