// What inputs do to the log-odds of a class, against probabilities that the model itself computes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "artifact/fixtures.h"
#include "export/effects.h"
#include "model/network.h"

namespace dpfermi {
namespace {

using testing_support::income_model;

/// Three classes from the pipeline of the small model.
TrainedModel three_classes() {
  TrainedModel model = income_model();
  model.spec.classes = 3;
  model.classes = {"low", "mid", "high"};
  model.theta.clear();
  for (std::size_t i = 0; i < model.spec.parameter_count(); ++i) {
    model.theta.push_back(std::sin(static_cast<float>(i)));
  }
  return model;
}

/// Log-probabilities of the classes for a row with this age and this job.
std::vector<double> log_probabilities(const TrainedModel& model, const std::string& age,
                                      const std::string& job) {
  const Table table = testing_support::read_text("age,job\n" + age + "," + job + "\n",
                                                 prediction_schema(model), TableUse::kApply)
                          .value();
  const auto encoded = model.pipeline.apply(table, testing_support::all_rows(table)).value();
  const std::vector<double> theta(model.theta.begin(), model.theta.end());
  std::vector<double> logs;
  for (const float p : predict(Network(model.spec), theta, encoded.data.x)) {
    logs.push_back(std::log(static_cast<double>(p)));
  }
  return logs;
}

/// Against the other class, or the mean of all.
double log_odds(const std::vector<double>& logs, std::size_t own) {
  if (logs.size() == 2) return logs[own] - logs[1 - own];
  return logs[own] - (logs[0] + logs[1] + logs[2]) / 3;
}

const Effect& effect_of(const ClassEffects& effects, const std::string& column,
                        const std::optional<std::string>& value) {
  return *std::ranges::find_if(effects.effects, [&](const Effect& effect) {
    return effect.input.column == column && effect.input.value == value;
  });
}

TEST(Effects, AreWhatOneMoreOfANumberAddsToTheLogOdds) {
  for (const TrainedModel& model : {income_model(), three_classes()}) {
    const std::vector<MemberEffects> members = member_effects(model);
    ASSERT_EQ(members.size(), 1U);
    const auto at30 = log_probabilities(model, "30", "cook");
    const auto at31 = log_probabilities(model, "31", "cook");
    for (std::size_t j = 0; j < model.classes.size(); ++j) {
      const ClassEffects& own = members[0].classes[j];
      EXPECT_EQ(own.name, model.classes[j]);
      EXPECT_NEAR(effect_of(own, "age", {}).per_unit(), log_odds(at31, j) - log_odds(at30, j),
                  1e-5);
    }
  }
}

TEST(Effects, OfCategoriesAreWhatTheyAddToNone) {
  for (const TrainedModel& model : {income_model(), three_classes()}) {
    const auto none = log_probabilities(model, "30", "unheard of");
    const auto cook = log_probabilities(model, "30", "cook");
    for (std::size_t j = 0; j < model.classes.size(); ++j) {
      const ClassEffects own = member_effects(model)[0].classes[j];
      EXPECT_NEAR(effect_of(own, "job", "cook").weight, log_odds(cook, j) - log_odds(none, j),
                  1e-5);
    }
  }
}

TEST(Effects, AreSortedAndComplete) {
  const TrainedModel model = three_classes();
  const std::vector<MemberEffects> members = member_effects(model);
  for (const ClassEffects& own : members[0].classes) {
    EXPECT_EQ(own.effects.size(), model.spec.inputs);
    EXPECT_TRUE(std::ranges::is_sorted(own.effects, std::ranges::greater{},
                                       [](const Effect& e) { return std::abs(e.weight); }));
  }
}

TEST(Effects, OfAMixtureAreThoseOfItsMembers) {
  TrainedModel model = income_model();
  model.theta.insert(model.theta.end(), model.theta.size(), 0.0F);
  model.rule.weights = {0.25, 0.75};
  const std::vector<MemberEffects> members = member_effects(model);
  ASSERT_EQ(members.size(), 2U);
  EXPECT_EQ(members[1].share, 0.75);
  EXPECT_EQ(members[1].classes[0].effects[0].weight, 0);
}

TEST(Effects, OfANetworkAreNotGiven) {
  EXPECT_TRUE(member_effects(income_model({3})).empty());
}

}  // namespace
}  // namespace dpfermi
