// Columns with the class probabilities of another model.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/table_reader.h"

namespace dpfermi {
namespace {

using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;

Result<Table> read_scored(const std::string& text, const Schema& schema,
                          TableUse use = TableUse::kFit) {
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(memory_source("t.csv", text));
  return read_table(std::move(sources), schema, use);
}

std::string score_error(const std::string& text, const Schema& schema) {
  const auto table = read_scored(text, schema);
  return table ? "no error" : table.error().message;
}

Schema by_prefix() {
  Schema schema;
  schema.target = {.column = "income", .positive = "low"};
  schema.score_prefix = "p_";
  return schema;
}

Schema by_column() {
  Schema schema = by_prefix();
  schema.score_prefix.clear();
  schema.scores = {"p"};
  return schema;
}

TEST(Scores, AreInTheOrderOfTheClassesAndNoFeatures) {
  const Table table =
      read_scored(
          "p_mid,age,p_low,p_high,income\n.2,30,.5,.3,low\n.1,40,0,.9,high\n.1,40,0,.9,mid\n",
          by_prefix())
          .value();
  EXPECT_THAT(table.labels.classes, ElementsAre("high", "low", "mid"));
  EXPECT_THAT(table.schema.scores, ElementsAre("p_high", "p_low", "p_mid"));
  EXPECT_EQ(table.schema.score_prefix, "");
  EXPECT_THAT(table.scores, ElementsAre(.3F, .5F, .2F, .9F, 0, .1F, .9F, 0, .1F));
  ASSERT_EQ(table.features.size(), 1U);
  EXPECT_EQ(table.features[0].name, "age");
}

TEST(Scores, OneColumnIsThatOfTheFavourableClass) {
  const Table table = read_scored("p,age,income\n.25,30,low\n1,40,high\n", by_column()).value();
  EXPECT_THAT(table.schema.scores, ElementsAre("", "p"));
  EXPECT_THAT(table.scores, ElementsAre(.75F, .25F, 0, 1));
}

TEST(Scores, AreReadWithoutLabelsAsTheyWereInTraining) {
  Schema schema;
  schema.scores = {"", "p"};
  schema.columns["age"].type = ColumnType::kNumeric;
  const Table table = read_scored("p,age\n.25,30\n", schema, TableUse::kApply).value();
  EXPECT_THAT(table.scores, ElementsAre(.75F, .25F));
}

TEST(Scores, OfDroppedRowsAreDropped) {
  Schema schema = by_column();
  schema.missing = MissingPolicy::kDrop;
  const Table table =
      read_scored("p,age,income\n.25,30,low\n.5,?,low\n1,40,high\n", schema).value();
  EXPECT_THAT(table.scores, ElementsAre(.75F, .25F, 0, 1));
}

TEST(Scores, AreMadeToSumToOne) {
  const Table table =
      read_scored("p_low,p_high,age,income\n.5,.495,30,low\n1,0,40,high\n", by_prefix()).value();
  EXPECT_THAT(table.scores[0] + table.scores[1], FloatNear(1, 1e-6F));
}

TEST(Scores, AreRefusedWhereTheyAreNotProbabilities) {
  for (const std::string text : {"1.5", "-.1", "", "nan", "high"}) {
    EXPECT_THAT(score_error("p,age,income\n.5,30,low\n" + text + ",40,high\n", by_column()),
                HasSubstr("t.csv, line 3, column 'p': '" + text + "' is not a probability"));
  }
  EXPECT_THAT(score_error("p_low,p_high,age,income\n.5,.3,30,low\n1,0,40,high\n", by_prefix()),
              HasSubstr("line 2, the scores of the row sum to 0.8, not to 1"));
}

TEST(Scores, AreRefusedWhereTheyDoNotFitTheClasses) {
  EXPECT_THAT(score_error("p_low,age,income\n1,30,low\n1,40,high\n", by_prefix()),
              HasSubstr("has no column 'p_high' with the scores of class 'high'"));
  EXPECT_THAT(
      score_error("p_low,p_high,p_x,age,income\n1,0,0,30,low\n1,0,0,40,high\n", by_prefix()),
      HasSubstr("'p_x' is a column of scores for a class that the target does not have"));
  EXPECT_THAT(score_error("p,age,income\n1,30,low\n1,40,high\n1,40,mid\n", by_column()),
              HasSubstr("the target has 3 classes, but 1 column of scores"));
  EXPECT_THAT(score_error("q,age,income\n1,30,low\n1,40,high\n", by_column()),
              HasSubstr("has no column 'p'"));
  Schema both = by_column();
  both.score_prefix = "p_";
  EXPECT_THAT(score_error("p,age,income\n1,30,low\n", both), HasSubstr("exclude each other"));
  Schema feature = by_column();
  feature.target.column = "p";
  EXPECT_THAT(score_error("p,age,income\n1,30,low\n", feature), HasSubstr("cannot be both"));
}

TEST(Scores, AreWrittenInTheSchemaFile) {
  Schema schema = by_column();
  EXPECT_THAT(parse_schema(to_json(schema), "s").value().scores, ElementsAre("p"));
  EXPECT_EQ(parse_schema(to_json(by_prefix()), "s").value().score_prefix, "p_");
}

TEST(Scores, AreNeverAProtectedColumn) {
  Schema schema = by_prefix();
  schema.sensitive = {{.column = "p_sex", .values = {"f", "m"}}};
  schema.id = "p_id";
  const std::string header = "p_low,p_high,p_sex,p_id,age,income\n";
  for (const char* sex : {"f", "x", "1", "0.5", ""}) {
    const auto table =
        read_scored(header + ".2,.8," + sex + ",a,30,low\n.5,.5,m,b,31,high\n", schema);
    ASSERT_TRUE(table) << table.error().message;
    EXPECT_THAT(table->schema.scores, ElementsAre("p_high", "p_low"));
    EXPECT_EQ(table->features.size(), 1U);
  }
}

Schema weighted() {
  Schema schema;
  schema.target = {.column = "income", .positive = "low"};
  schema.missing = MissingPolicy::kDrop;
  schema.weight = "w";
  return schema;
}

TEST(Weights, AreReadBesideTheFeatures) {
  const auto table =
      read_scored("age,w,income\n1,0.5,low\n?,7,low\n3,0,high\n4,1e6,low\n", weighted());
  ASSERT_TRUE(table) << table.error().message;
  EXPECT_EQ(table->features.size(), 1);
  // A row that is left out takes its weight along.
  EXPECT_THAT(table->weights, ElementsAre(0.5F, 0.0F, 1e6F));
}

TEST(Weights, AreNumbersFromZeroOn) {
  for (const char* weight : {"-1", "inf", "nan", "many", "", "1e31"}) {
    EXPECT_THAT(
        score_error(std::string("age,w,income\n1,1,low\n2,") + weight + ",high\n", weighted()),
        HasSubstr("is not a weight"))
        << weight;
  }
}

// How often scores are right is said beforehand: that would be about protected labels.
TEST(Scores, AreRefusedWhereRecordsAreProtected) {
  for (Schema schema : {by_column(), by_prefix()}) {
    EXPECT_TRUE(check_schema(schema));
    schema.adjacency = Adjacency::kReplaceRecord;
    EXPECT_THAT(check_schema(schema).error().message, HasSubstr("scores are public"));
  }
}

TEST(Weights, HaveTheirOwnRole) {
  Schema schema = weighted();
  schema.scores = {"w"};
  EXPECT_FALSE(check_schema(schema));
  schema = weighted();
  schema.adjacency = Adjacency::kReplaceRecord;
  EXPECT_THAT(check_schema(schema).error().message, HasSubstr("weights are public"));
  const auto again = parse_schema(to_json(weighted()), "schema");
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->weight, "w");
}

}  // namespace
}  // namespace dpfermi
