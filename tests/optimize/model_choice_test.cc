// What a run returns, from released rates and public errors.

#include "optimize/model_choice.h"

#include <gmock/gmock.h>

#include <cmath>

namespace dpfermi {
namespace {

using testing::ElementsAre;
using testing::Not;

constexpr double kClear = 0.025;

FairnessSetting parity(std::size_t groups) {
  return {FairnessNotion::kDemographicParity, groups, 2, 1};
}

/// Groups get class 1 at the given rates, each measured with the same noise.
NoisyRates rates_of(const std::vector<double>& values, double deviation) {
  NoisyRates noisy{{}, std::vector<bool>(values.size(), true)};
  for (const double value : values) noisy.rates.push_back({value, deviation});
  return noisy;
}

MeasuredModel model_of(double error, const std::vector<double>& rates, double deviation = 0.002) {
  return {{}, 1, error, rates_of(rates, deviation)};
}

/// Without fairness .20 at .40 apart; the constant errs on .50.
const MeasuredModel kUnfair = model_of(0.2, {0.3, 0.7});
const MeasuredModel kConstant = model_of(0.5, {1, 1}, 0);

TEST(ModelChoice, TheCheapestSingleModelWithinTheTargetIsReturned) {
  const std::vector<MeasuredModel> models = {kUnfair, model_of(0.3, {0.5, 0.51}),
                                             model_of(0.25, {0.5, 0.54}),
                                             model_of(0.22, {0.4, 0.6}), kConstant};
  EXPECT_THAT(choose_model(parity(2), models, 0.05, kClear, true).members, ElementsAre(2));
}

TEST(ModelChoice, AModelWithinTheTargetAsItIsNeedsNoFairness) {
  const std::vector<MeasuredModel> models = {model_of(0.2, {0.5, 0.52}), model_of(0.25, {0.5, 0.5}),
                                             kConstant};
  EXPECT_THAT(choose_model(parity(2), models, 0.05, kClear, true).members, ElementsAre(0));
}

// At .20 apart the free line errs on .35: the trained model, on .40, is not returned, and the
// mixture that is costs no more than the line, whatever is asked for.
TEST(ModelChoice, NothingAboveTheFreeLineIsReturned) {
  const std::vector<MeasuredModel> models = {kUnfair, model_of(0.4, {0.5, 0.7}), kConstant};
  for (const double target : {0.05, 0.2, 0.3}) {
    const ModelChoice choice = choose_model(parity(2), models, target, kClear, true);
    ASSERT_THAT(choice.members, ElementsAre(0, 2)) << target;
    const double error = choice.weights[0] * 0.2 + choice.weights[1] * 0.5;
    EXPECT_LE(error, 0.5 - 0.3 * (target - 0.005) / 0.4) << target;
    EXPECT_NEAR(choice.weights[0] * 0.4, target, 0.01) << target;
  }
  EXPECT_THAT(choose_model(parity(2), models, 0.05, kClear, false).members, ElementsAre(0));
}

TEST(ModelChoice, AModelWorseThanTheConstantIsNeverReturned) {
  const std::vector<MeasuredModel> models = {model_of(0.55, {0.3, 0.7}), model_of(0.6, {0.5, 0.5}),
                                             kConstant};
  for (const bool mixtures : {true, false}) {
    EXPECT_THAT(choose_model(parity(2), models, 0.05, kClear, mixtures).members, ElementsAre(2));
  }
}

TEST(ModelChoice, AMixtureMayHoldTheTrainedModel) {
  const std::vector<MeasuredModel> models = {kUnfair, model_of(0.25, {0.5, 0.6}), kConstant};
  const ModelChoice choice = choose_model(parity(2), models, 0.05, kClear, true);
  EXPECT_THAT(choice.members, ElementsAre(1, 2));
  EXPECT_NEAR(choice.weights[0], 0.5, 0.05);
}

// The third group's rate is the only one with much noise, and it lies between the others: the gap
// of .1 between those is seen clearly, and needs no distance from the target for its sake.
TEST(ModelChoice, AMixtureKeepsADistanceFromTheTargetForTheNoiseOnEachDifference) {
  MeasuredModel unfair = model_of(0.2, {0.3, 0.7, 0.5});
  MeasuredModel trained = model_of(0.25, {0.5, 0.6, 0.55});
  unfair.rates.rates[2].deviation = trained.rates.rates[2].deviation = 0.0125;
  const std::vector<MeasuredModel> models = {unfair, trained, model_of(0.5, {1, 1, 1}, 0)};
  const ModelChoice choice = choose_model(parity(3), models, 0.05, kClear, true);
  ASSERT_THAT(choice.members, ElementsAre(1, 2));
  EXPECT_NEAR(choice.weights[0], (0.05 - 2 * 0.002) / 0.1, 1e-6);
}

TEST(NoiseMargins, AreAStandardDeviationAndAQuarterOfTheTargetAtMost) {
  NoisyRates noisy = rates_of({0.5, 0.6}, 0.01);
  noisy.rates[1].deviation = 0.1;
  EXPECT_THAT(noise_margins(noisy, 0.08), ElementsAre(0.01, 0.02));
}

// A blurred rate shows nothing unless it sticks out by more than the largest of as many noises.
TEST(ModelChoice, BlurredRatesCountForNoMoreThanTheyShow) {
  NoisyRates noisy = rates_of({0.5, 0.53, 0.7}, 0.002);
  noisy.rates[2].deviation = 0.1;
  const MeasuredGap gap = measured_gap(parity(3), noisy, kClear);
  EXPECT_NEAR(gap.plain, 0.03, 1e-12);
  EXPECT_NEAR(gap.counted, 0.2 - std::sqrt(2 * std::log(3.0)) * 0.102, 0.03);
  EXPECT_NEAR(gap.blurriest, 0.1, 1e-12);
  EXPECT_EQ(gap.blurriest_cell, 2U);
  EXPECT_EQ(gap.compared, 3U);
}

// Noise of .15 on the third group's rate: for sure it shows nothing of either model. The trained
// one costs half of what lies between the first and the constant and may well be as unfair as
// before; the point of the line that costs as much has half the violation, whatever noise there is.
TEST(ModelChoice, AModelWhoseViolationNoiseHidesIsNoBetterThanTheLine) {
  const auto hidden = [](double error, const std::vector<double>& rates) {
    MeasuredModel model = model_of(error, rates);
    model.rates.rates[2].deviation = 0.15;
    return model;
  };
  const MeasuredModel constant = model_of(0.5, {1, 1, 1}, 0);
  const MeasuredModel unfair = hidden(0.2, {0.4, 0.5, 0.85});
  for (const bool mixtures : {true, false}) {
    const std::vector<MeasuredModel> models = {unfair, hidden(0.35, {0.5, 0.51, 0.9}), constant};
    const ModelChoice choice = choose_model(parity(3), models, 0.05, kClear, mixtures);
    EXPECT_THAT(choice.members, Not(testing::Contains(1U))) << mixtures;
  }
  // One that shows little of a difference is not in doubt.
  const std::vector<MeasuredModel> models = {unfair, hidden(0.35, {0.5, 0.51, 0.52}), constant};
  EXPECT_THAT(choose_model(parity(3), models, 0.05, kClear, true).members, ElementsAre(1));
}

TEST(JudgeTarget, IsStrictWhereNoiseIsSmall) {
  EXPECT_EQ(judge_target(parity(2), rates_of({0.5, 0.5499}, 0.02), 0.05).met, true);
  EXPECT_EQ(judge_target(parity(2), rates_of({0.5, 0.5501}, 0.02), 0.05).met, false);
}

// "Cannot be told" needs noise of more than half the target on a compared rate.
TEST(JudgeTarget, CannotBeToldWhereNoiseExceedsHalfTheTarget) {
  EXPECT_EQ(judge_target(parity(2), rates_of({0.5, 0.51}, 0.0251), 0.05).met, std::nullopt);
  EXPECT_EQ(judge_target(parity(2), rates_of({0.5, 0.51}, 0.0249), 0.05).met, true);
  const TargetVerdict far = judge_target(parity(2), rates_of({0.2, 0.9}, 0.03), 0.05);
  EXPECT_EQ(far.met, false);
  EXPECT_TRUE(far.blurred);
  EXPECT_LT(far.released, 0.7);  // less what noise may explain
  NoisyRates hidden = rates_of({0.5, 0.9}, 0.001);
  hidden.known = {true, false};
  EXPECT_EQ(judge_target(parity(2), hidden, 0.05).met, std::nullopt);
}

TEST(NextPoint, LiesOnTheStraightLineToTheTarget) {
  EXPECT_NEAR(next_point({0, 1}, {0.2, 0.0}, 0.05), 0.75, 1e-12);
  EXPECT_NEAR(next_point({0, 1, 0.75}, {0.2, 0.0, 0.1}, 0.05), 0.875, 1e-12);
  EXPECT_NEAR(next_point({0, 1}, {0.2, 0.1}, 0.05), 1.5, 1e-12);
  EXPECT_NEAR(next_point({0, 1}, {0.2, 0.08}, 0.05), 1.25, 1e-12);
  EXPECT_NEAR(next_point({0, 1}, {0.1, 0.3}, 0.05), 0.5, 1e-12);  // noise: not any farther
}

}  // namespace
}  // namespace dpfermi
