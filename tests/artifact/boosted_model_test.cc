// Model files that hold boosted trees.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "artifact/fixtures.h"
#include "artifact/model_card.h"
#include "artifact/model_file.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;
using testing_support::income_model;

/// A question about the last input, and a leaf.
TrainedModel boosted_model() {
  TrainedModel model = income_model();
  model.spec.hidden.clear();
  model.spec.boosted = true;
  model.rule = {};
  model.theta = {static_cast<float>(model.spec.inputs - 1),
                 0.5F,
                 2,
                 -1,
                 -0.75F,
                 0,
                 -1,
                 1.5F,
                 0,
                 -1,
                 0.125F,
                 0};
  model.spec.tree_nodes = model.theta.size() / 3;
  return model;
}

std::string boosted_complaint(const TrainedModel& model) {
  const Status checked = check_model(model);
  return checked ? "accepted" : checked.error().message;
}

TEST(BoostedModel, ReadsBackExactly) {
  const TrainedModel model = boosted_model();
  const auto read = decode_model(encode_model(model).value(), "m.dpf");
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_TRUE(read->spec == model.spec);
  EXPECT_EQ(read->theta, model.theta);
  EXPECT_EQ(model_digest(*read).value(), model_digest(model).value());
  EXPECT_THAT(describe_card(model), HasSubstr("gradient-boosted trees of 4 nodes"));
}

TEST(BoostedModel, KeepsItsGainsBesideWhatItsDigestCovers) {
  TrainedModel model = boosted_model();
  const std::string digest = model_digest(model).value();
  model.gains.assign(model.spec.inputs, 0);
  model.gains[1] = 12.3456789;
  EXPECT_EQ(decode_model(encode_model(model).value(), "m.dpf")->gains, model.gains);
  EXPECT_EQ(model_digest(model).value(), digest) << "gains compute nothing";
  for (const double impossible : {-1.0, std::numeric_limits<double>::infinity()}) {
    model.gains[0] = impossible;
    EXPECT_THAT(boosted_complaint(model), HasSubstr("gains of the trees do not fit"));
  }
  model.gains = {1};
  EXPECT_THAT(boosted_complaint(model), HasSubstr("gains of the trees do not fit"));
}

TEST(BoostedModel, IsRefusedWhereItsTreesAreBroken) {
  TrainedModel model = boosted_model();
  EXPECT_EQ(boosted_complaint(model), "accepted");
  for (const auto& [at, value] : {std::pair{0, static_cast<float>(model.spec.inputs)},
                                  {2, 1.0F},
                                  {2, 1e9F},
                                  {3, -2.0F},
                                  {5, 1.0F},
                                  {9, 0.0F}}) {
    TrainedModel broken = model;
    broken.theta[static_cast<std::size_t>(at)] = value;
    EXPECT_THAT(boosted_complaint(broken), HasSubstr("trees of the model are broken"))
        << at << " " << value;
    EXPECT_FALSE(encode_model(broken));
  }
  TrainedModel infinite = model;
  infinite.theta[1] = INFINITY;
  EXPECT_THAT(boosted_complaint(infinite), HasSubstr("not a finite number"));
}

TEST(BoostedModel, IsRefusedWhereItsPartsDoNotFit) {
  TrainedModel layers = boosted_model();
  layers.spec.hidden = {3};
  EXPECT_THAT(boosted_complaint(layers), HasSubstr("impossible"));
  TrainedModel mixture = boosted_model();
  mixture.rule.weights = {0.5, 0.5};
  EXPECT_NE(boosted_complaint(mixture), "accepted");
  TrainedModel short_of = boosted_model();
  short_of.theta.resize(9);
  EXPECT_THAT(boosted_complaint(short_of), HasSubstr("its shape needs 12"));
  TrainedModel regression = boosted_model();
  regression.spec.boosted = false;
  EXPECT_THAT(boosted_complaint(regression), HasSubstr("impossible"));
}

/// A file of another kind that says it holds trees: the numbers of a regression are none.
TEST(BoostedModel, IsNotMadeByAWordInTheHeader) {
  TrainedModel model = income_model();
  model.spec.hidden.clear();
  model.spec.boosted = true;
  model.spec.tree_nodes = model.theta.size() / 3;
  EXPECT_NE(boosted_complaint(model), "accepted");
}

}  // namespace
}  // namespace dpfermi
