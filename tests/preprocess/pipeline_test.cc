#include "preprocess/pipeline.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/all_rows.h"
#include "data/table_reader.h"

namespace dpfermi {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::all_rows;

Table read(const std::string& text, Schema schema) {
  schema.target = {.column = "y", .positive = "", .bins = {}, .values = {"0", "1"}};
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(memory_source("t.csv", text));
  return read_table(std::move(sources), schema).value();
}

const std::string kTable =
    "n,c,y\n"
    "1,red,0\n"
    "3,blue,1\n"
    "?,?,0\n"
    "5,red,1\n";

TEST(Pipeline, StandsForTheDenseOneHotMatrix) {
  const Table table = read(kTable, {});
  const Pipeline pipeline = Pipeline::fit(table, all_rows(table)).value();
  EXPECT_THAT(pipeline.column_names(),
              ElementsAre("n", "n=(missing)", "c=blue", "c=red", "c=(missing)"));
  const Dataset data = pipeline.apply(table, all_rows(table))->data;
  ASSERT_EQ(data.x.columns(), 5U);
  const float z = 2 / std::sqrt(8.0F / 3);  // mean 3, variance (4+0+4)/3
  const float expected[4][5] = {
      {-z, 0, 0, 1, 0}, {0, 0, 1, 0, 0}, {0, 1, 0, 0, 1}, {z, 0, 0, 1, 0}};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 5; ++j) EXPECT_FLOAT_EQ(data.x.at(i, j), expected[i][j]) << i << j;
  }
  EXPECT_THAT(data.y, ElementsAre(0, 1, 0, 1));
}

TEST(Pipeline, CountsCategoriesUnseenInTraining) {
  const Table table = read("n,c,y\n1,red,0\n3,blue,1\n5,green,1\n6,green,0\n", {});
  const std::vector<std::uint32_t> train = {0, 1};
  const Pipeline pipeline = Pipeline::fit(table, train).value();
  EXPECT_EQ(pipeline.columns(), 3U);
  const EncodedDataset encoded = pipeline.apply(table, all_rows(table)).value();
  ASSERT_EQ(encoded.unseen.size(), 1U);
  EXPECT_EQ(encoded.unseen[0].column, "c");
  EXPECT_EQ(encoded.unseen[0].cells, 2U);
  EXPECT_EQ(encoded.data.x.at(2, 1), 0);
  EXPECT_EQ(encoded.data.x.at(2, 2), 0);
}

TEST(Pipeline, SurvivesConstantColumns) {
  const Table table = read("n,y\n0.1,0\n0.1,1\n0.1,1\n", {});
  const Pipeline pipeline = Pipeline::fit(table, all_rows(table)).value();
  const Dataset data = pipeline.apply(table, all_rows(table))->data;
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(data.x.at(i, 0), 0, 1e-6);
}

TEST(Pipeline, ReadsNothingFromProtectedFeatures) {
  Schema schema;
  schema.adjacency = Adjacency::kReplaceRecord;
  schema.columns["n"].type = ColumnType::kNumeric;
  schema.columns["c"].type = ColumnType::kCategorical;
  const auto error_of = [&] {
    Table table = read(kTable, {});
    table.schema = schema;
    const auto fit = Pipeline::fit(table, all_rows(table));
    return fit ? "none" : fit.error().message;
  };
  EXPECT_THAT(error_of(), HasSubstr("`columns.bounds` 'n=0:100'"));
  schema.columns["n"].bounds = {{0, 4}};
  EXPECT_THAT(error_of(), HasSubstr("`columns.values` 'c=a,b,c'"));
  schema.columns["c"].values = {"red", "blue"};
  EXPECT_EQ(error_of(), "none");
  const Table table = read(kTable, schema);
  const Pipeline pipeline = Pipeline::fit(table, all_rows(table)).value();
  EXPECT_EQ(pipeline.numeric()[0].standardizer.provenance, Provenance::kGiven);
  EXPECT_EQ(pipeline.categories()[0].categories.provenance, Provenance::kGiven);
  const Dataset data = pipeline.apply(table, all_rows(table))->data;
  EXPECT_EQ(data.x.at(0, 0), -0.5F);
  EXPECT_EQ(data.x.at(3, 0), 1.0F);  // 5 is clamped to the declared 4
  // The shape follows from the declaration: fitting on other rows changes nothing.
  const std::vector<std::uint32_t> one = {0};
  EXPECT_EQ(Pipeline::fit(table, one)->column_names(), pipeline.column_names());
}

TEST(Pipeline, AsksForItsColumns) {
  const Table table = read(kTable, {});
  const Pipeline pipeline = Pipeline::fit(table, all_rows(table)).value();
  const Table other = read("m,c,y\n1,red,0\n2,blue,1\n", {});
  EXPECT_THAT(pipeline.apply(other, all_rows(other)).error().message, HasSubstr("no column 'n'"));
}

TEST(Pipeline, RenumbersPersonsOfASubset) {
  Schema schema;
  schema.id = "who";
  const Table table = read("who,n,y\nann,1,0\nbob,2,1\ncid,3,0\nbob,4,1\n", schema);
  const Pipeline pipeline = Pipeline::fit(table, all_rows(table)).value();
  const Dataset data = pipeline.apply(table, std::vector<std::uint32_t>{1, 2, 3})->data;
  EXPECT_THAT(data.units, ElementsAre(0, 1, 0));
  EXPECT_EQ(data.unit_count, 2U);
}

}  // namespace
}  // namespace dpfermi
