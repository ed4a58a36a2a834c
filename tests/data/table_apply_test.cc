// Reading tables that a trained model is used on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/table_reader.h"

namespace dpfermi {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Table> apply_to(const std::string& text, const Schema& schema) {
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(memory_source("t.csv", text));
  return read_table(std::move(sources), schema, TableUse::kApply);
}

/// What a model keeps of a schema: columns are listed with their types.
Schema kept_schema() {
  Schema schema;
  schema.target = {.column = "income", .positive = "", .bins = {}, .values = {"low", "high"}};
  schema.sensitive = {{.column = "sex", .values = {"m", "f"}}};
  schema.drop = {"note"};
  schema.columns["age"].type = ColumnType::kNumeric;
  schema.columns["job"].type = ColumnType::kCategorical;
  schema.columns["sex"].recode = {{"w", "f"}};
  return schema;
}

TEST(TableUse, AppliesToTablesWithMoreColumns) {
  Schema schema = kept_schema();
  schema.missing = MissingPolicy::kError;  // a missing value in an unused column is not an error
  const auto table = apply_to("extra,sex,job,age,note,income\n?,w,cook,30,x,low\n", schema);
  ASSERT_TRUE(table) << table.error().message;
  ASSERT_EQ(table->features.size(), 2U);
  EXPECT_EQ(table->features[0].name, "job");
  EXPECT_EQ(table->features[1].name, "age");
  EXPECT_THAT(ExactForHolder::read(table->groups), ElementsAre(1));
  // One class is enough: nothing is learnt from this table.
  EXPECT_THAT(table->labels.y, ElementsAre(0));
  schema.adjacency = Adjacency::kReplaceRecord;  // types of ignored columns need no declaration
  EXPECT_TRUE(apply_to("extra,sex,job,age,income\n1,f,cook,30,low\n", schema));
}

TEST(TableUse, AppliesWithoutProtectedColumns) {
  const Table table = apply_to("age,job,income\n30,cook,low\n", kept_schema()).value();
  EXPECT_EQ(table.domain.size(), 0U);
  EXPECT_EQ(table.features.size(), 2U);
  Schema two = kept_schema();
  two.sensitive.push_back({.column = "ethnicity", .values = {"a", "b"}});
  EXPECT_THAT(apply_to("age,job,sex,income\n30,cook,m,low\n", two).error().message,
              HasSubstr("t.csv: has no column 'ethnicity'"));
}

TEST(TableUse, AppliesWithoutATargetButNotWithoutFeatures) {
  Schema schema = kept_schema();
  EXPECT_THAT(apply_to("age,job\n30,cook\n", schema).error().message,
              HasSubstr("has no column 'income'"));
  schema.target = {};
  const Table table = apply_to("age,job,income\n30,cook,\n", schema).value();
  EXPECT_EQ(table.rows, 1U);
  EXPECT_TRUE(table.labels.classes.empty());
  EXPECT_THAT(apply_to("age,income\n30,low\n", schema).error().message,
              HasSubstr("has no column 'job'"));
}

}  // namespace
}  // namespace dpfermi
