#include "artifact/trained_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "artifact/fixtures.h"
#include "artifact/model_card.h"
#include "artifact/network_softmax.h"

namespace dpfermi {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;
using testing_support::income_model;
using testing_support::read_text;

TEST(ModelSchema, ReadsTheTrainingTableAlike) {
  const Table table = testing_support::income_table();
  const Schema schema = model_schema(table);
  EXPECT_TRUE(schema.drop.empty());
  EXPECT_TRUE(schema.id.empty());
  const Table again = read_text(testing_support::kIncomeText, schema, TableUse::kApply).value();
  EXPECT_EQ(again.rows, table.rows);
  EXPECT_EQ(again.labels.y, table.labels.y);
  EXPECT_EQ(again.labels.classes, table.labels.classes);
  EXPECT_EQ(again.labels.positive, table.labels.positive);
  EXPECT_EQ(again.domain.names(), table.domain.names());
  EXPECT_EQ(ExactForHolder::read(again.groups), ExactForHolder::read(table.groups));
  ASSERT_THAT(again.features, SizeIs(2));
}

/// With a declared domain, what a model says about the protected columns is the declaration.
TEST(ModelSchema, DoesNotDependOnS) {
  const auto schema_with = [](const std::string& sex, const std::string& band) {
    const std::string text = "who,note,age,job,sex,band,income\na,x,30,clerk," + sex + "," + band +
                             ",low\nb,y,40,cook,f,40,high\n";
    const Table table = read_text(text, testing_support::income_schema(), TableUse::kFit).value();
    std::string kept = to_json(model_schema(table));
    for (const std::string& name : table.domain.names()) kept += name;
    return kept;
  };
  for (const char* sex : {"f", "x", "", "\xFF"}) {
    for (const char* band : {"20", "99", "?", "old"}) {
      EXPECT_EQ(schema_with(sex, band), schema_with("m", "20"));
    }
  }
}

TEST(ModelSchema, SettlesWhatWasComputedFromTheLabels) {
  Schema schema;
  schema.target = {.column = "y", .positive = ">median"};
  const std::string text = "x,y\n1,1\n2,2\n3,3.3\n4,40\n";
  const Table table = read_text(text, schema, TableUse::kFit).value();
  const Schema kept = model_schema(table);
  EXPECT_EQ(kept.target.positive, ">2.65");
  // One row has its own median; the model's threshold counts.
  const Table one = read_text("x,y\n9,3\n", kept, TableUse::kApply).value();
  EXPECT_THAT(one.labels.y, ElementsAre(1));
  EXPECT_EQ(one.labels.classes, table.labels.classes);
  schema.target = {.column = "y", .positive = "", .bins = {2, 3}, .values = {}};
  const Table bins = read_text(text, schema, TableUse::kFit).value();
  const Table again = read_text(text, model_schema(bins), TableUse::kApply).value();
  EXPECT_EQ(again.labels.classes, bins.labels.classes);
  EXPECT_EQ(again.labels.y, bins.labels.y);
  EXPECT_EQ(again.labels.positive, bins.labels.positive);
}

TEST(ModelSchema, KeepsADomainThatWasReadFromTheTable) {
  Schema schema = testing_support::income_schema();
  schema.sensitive = {{.column = "sex"}};
  schema.groups_from_data = true;
  const Table table = read_text(testing_support::kIncomeText, schema, TableUse::kFit).value();
  EXPECT_FALSE(table.domain.declared());
  EXPECT_THAT(model_schema(table).sensitive[0].values, ElementsAre("f", "m", "x"));
}

TEST(PredictionSchema, NeedsTheFeaturesAlone) {
  const TrainedModel model = income_model();
  const Schema schema = prediction_schema(model);
  const auto table = read_text("job,age\nkoch,40\n?,?\n", schema, TableUse::kApply);
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->rows, 2U);  // training dropped such rows; a prediction is for every row
  const auto encoded = model.pipeline.apply(*table, testing_support::all_rows(*table));
  ASSERT_TRUE(encoded) << encoded.error().message;
  const Table trained = testing_support::income_table();
  const Dataset then = model.pipeline.apply(trained, testing_support::all_rows(trained))->data;
  for (std::size_t j = 0; j < model.pipeline.columns(); ++j) {
    EXPECT_EQ(encoded->data.x.at(0, j), then.x.at(1, j));
    EXPECT_EQ(encoded->data.x.at(1, j), 0);
  }
  // The target and the protected columns play no part, whatever they hold.
  EXPECT_EQ(read_text("job,age,income,sex\ncook,40,,\n", schema, TableUse::kApply)->rows, 1U);
}

TEST(PredictionSchema, KeepsProtectedColumnsThatAreFeatures) {
  Schema schema;
  schema.adjacency = Adjacency::kReplaceRecord;
  schema.target = {.column = "y", .positive = "", .bins = {}, .values = {"0", "1"}};
  schema.sensitive = {{.column = "sex", .values = {"m", "f"}}};
  schema.sensitive_features = {"sex"};
  schema.columns["sex"] = {.type = ColumnType::kCategorical, .values = {"m", "f"}};
  const Table table = read_text("sex,y\nm,0\nf,1\n", schema, TableUse::kFit).value();
  TrainedModel model = income_model();
  model.schema = model_schema(table);
  model.pipeline = Pipeline::fit(table, testing_support::all_rows(table)).value();
  EXPECT_TRUE(read_text("sex\nf\n", prediction_schema(model), TableUse::kApply));
  EXPECT_THAT(describe_card(model), HasSubstr("except sex, which are features as well"));
}

TEST(CheckModel, TheMapOfComponentsGivesThoseThatAreInputs) {
  const auto fits = [](std::size_t components, std::size_t map, bool pictures) {
    std::vector<NumericFeature> numbers = {{"log_probability1", Standardizer{}}};
    for (std::size_t j = 1; j <= components; ++j) {
      numbers.push_back({"component" + std::to_string(j), Standardizer{}});
    }
    TrainedModel model = income_model({});
    for (const NumericFeature& number : numbers) {
      model.schema.columns[number.column].type = ColumnType::kNumeric;
    }
    model.pipeline = Pipeline::create(std::move(numbers), {}).value();
    model.spec = {components + 1, 2, {}};
    model.theta.assign(model.spec.parameter_count(), 1);
    model.network = ImageNetwork{"small", 4, "", 0, {1}, std::vector<float>(map)};
    model.network->pictures = pictures;
    return check_model(model).has_value();
  };
  EXPECT_TRUE(fits(0, 0, false));
  EXPECT_TRUE(fits(3, 3 * 9, false));
  EXPECT_FALSE(fits(0, 9, false));
  EXPECT_FALSE(fits(3, 0, false));
  EXPECT_FALSE(fits(3, 3, false));  // an offset alone
  EXPECT_FALSE(fits(3, 3 * 9 + 1, false));
  // A picture of 4 x 4 pixels has 24 numbers; a channel and the offset come on top.
  EXPECT_TRUE(fits(3, 3 * 26, true));
  EXPECT_FALSE(fits(3, 3 * 25, true));
  EXPECT_FALSE(fits(0, 0, true));
}

TEST(ModelCard, SaysWhatWasTrainedAndWhatIsPromised) {
  const std::string card = describe_card(income_model({8}));
  EXPECT_THAT(card, HasSubstr("trained with differential privacy"));
  EXPECT_THAT(card, HasSubstr("network of tanh layers of 8 units"));
  EXPECT_THAT(card, HasSubstr("income: high (favourable), low"));
  EXPECT_THAT(
      card, HasSubstr("dp-fermi for equalized-odds, lambda = 1.5, steered to a violation of 0.05"));
  EXPECT_THAT(card, HasSubstr("600 steps (60 epochs, batches of about 1) on 3 persons"));
  EXPECT_THAT(card, HasSubstr("3 columns from 2 features: age, job"));
  EXPECT_THAT(card, HasSubstr("2 public"));
  EXPECT_THAT(card, HasSubstr("25% of the rows for testing (split seed 7)"));
  EXPECT_THAT(card, HasSubstr("sex, band"));
  EXPECT_THAT(card, HasSubstr("m/<=30"));
  EXPECT_THAT(card, HasSubstr("  Guarantee: epsilon = 1, delta = 1e-09"));
  EXPECT_THAT(card, HasSubstr("share of m/<=30 = 0.25 (noise of standard deviation 0.01)"));
  EXPECT_THAT(card, HasSubstr("rate of m/<=30 = 0.5\n"));
  EXPECT_THAT(card, HasSubstr("exact, not private"));
}

// A network's own softmax is told apart from a last layer on what it says.
TEST(ModelCard, NamesTheNetworkThatIsTheModel) {
  TrainedModel model = income_model({});
  std::vector<NumericFeature> numbers;
  for (const char* name : {"log_probability1", "log_probability2"}) {
    numbers.push_back({name, Standardizer{-15, 15, std::pair(-30.0, 0.0)}});
  }
  model.pipeline = Pipeline::create(std::move(numbers), {}).value();
  model.spec = {2, 2, {}};
  model.network = ImageNetwork{"small", 16, "random start", 0, std::vector<float>(7'812), {}};
  const std::vector<double> theta = network_softmax(model.pipeline, 2).value();
  model.theta.assign(theta.begin(), theta.end());
  EXPECT_THAT(describe_card(model),
              AllOf(HasSubstr("  model      network small on images of 16 x 16 pixels, 7,812 "
                              "parameters, in this file\n"),
                    Not(HasSubstr("softmax regression"))));
  model.theta.back() += 1;
  EXPECT_THAT(describe_card(model), AllOf(HasSubstr("  model      softmax regression\n"),
                                          HasSubstr("  network    small on images")));
}

TEST(ModelCard, IsPlainAboutModelsWithoutPrivacyOrFairness) {
  TrainedModel model = income_model();
  model.privacy.cost.reset();
  model.training.fairness = FairnessNotion::kNone;
  model.released.clear();
  EXPECT_THAT(describe_card(model), AllOf(HasSubstr("NOT PRIVATE"), HasSubstr("Guarantee: none"),
                                          HasSubstr("Nothing was done about fairness"),
                                          HasSubstr("none: no figures"), Not(HasSubstr("lambda"))));
}

TEST(ModelCard, NamesCannotForgeLines) {
  TrainedModel model = income_model();
  model.classes[0] = "x\nPrivacy: perfect";
  model.training.data = "a\nPrivacy: perfect";
  model.released[0].name = "b\nPrivacy: perfect";
  EXPECT_THAT(describe_card(model), Not(HasSubstr("\nPrivacy: perfect")));
}

}  // namespace
}  // namespace dpfermi
