// Model files of repaired models.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "artifact/fixtures.h"
#include "artifact/model_card.h"
#include "artifact/model_file.h"

namespace dpfermi {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::income_model;

/// Of scores that come with the rows.
TrainedModel repaired_model() {
  TrainedModel model = income_model();
  model.theta.clear();
  model.schema.scores = {"", "p_low"};
  model.training.method = "repair";
  const std::size_t k = model.groups.size();
  RepairRule rule;
  rule.groups = k;
  rule.clip_norm = 1.5;
  rule.kappa = 0.1;
  rule.condition_by_label = {0, 1};
  for (std::size_t i = 0; i < 2 * (model.spec.inputs + 1) * rule.width(); ++i) {
    rule.beta.push_back(0.1F * static_cast<float>(i) - 1);
  }
  for (std::size_t i = 0; i < 2 * (2 * k * 2); ++i)
    rule.costs.push_back(1 / (1 + static_cast<double>(i)));
  model.rule = {{0.25, 0.75}, {}, std::move(rule)};
  return model;
}

std::string repair_complaint(const TrainedModel& model) {
  const Status checked = check_model(model);
  return checked ? "accepted" : checked.error().message;
}

TEST(RepairedModel, ReadsBackExactly) {
  TrainedModel model = repaired_model();
  for (const bool own_scores : {false, true}) {
    if (own_scores) {
      model.theta = income_model().theta;
      model.schema.scores.clear();
    }
    const auto read = decode_model(encode_model(model).value(), "m.dpf");
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->rule, model.rule);
    EXPECT_EQ(read->theta, model.theta);
    EXPECT_EQ(read->schema.scores, model.schema.scores);
  }
}

TEST(RepairedModel, ReadsScoresToPredictAndNoProtectedColumn) {
  const Schema schema = prediction_schema(repaired_model());
  EXPECT_THAT(schema.scores, ElementsAre("", "p_low"));
  EXPECT_TRUE(schema.sensitive.empty());
  EXPECT_TRUE(schema.target.column.empty());
}

TEST(RepairedModel, SaysHowItDecides) {
  const std::string card = describe_card(repaired_model());
  EXPECT_THAT(card, HasSubstr("another one, whose class probabilities come with the rows: p_low"));
  EXPECT_THAT(card, HasSubstr("each by one of 2 tables of costs"));
  EXPECT_THAT(card, HasSubstr("repair for equalized-odds, steered to a violation of 0.05"));
}

TEST(RepairedModel, IsRefusedWhenItsPartsDoNotFit) {
  TrainedModel model = repaired_model();
  EXPECT_EQ(repair_complaint(model), "accepted");
  model.theta = {1};
  EXPECT_THAT(repair_complaint(model), HasSubstr("holds 1 parameters, but its shape needs 0"));
  model = repaired_model();
  model.schema.scores.clear();
  EXPECT_THAT(repair_complaint(model), HasSubstr("holds 0 parameters, but its shape needs"));
  model = repaired_model();
  model.rule.repair->beta.pop_back();
  EXPECT_THAT(repair_complaint(model),
              HasSubstr("the repair does not fit groups, classes and inputs"));
  model = repaired_model();
  model.schema.scores = {"p_low"};
  EXPECT_THAT(repair_complaint(model), HasSubstr("columns of scores"));
}

}  // namespace
}  // namespace dpfermi
