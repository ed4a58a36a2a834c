#include "dpfermi/data/schema.h"

#include <gtest/gtest.h>

namespace dpfermi {
namespace {

TEST(Schema, ReadsBackItsOwnJson) {
  Schema schema;
  schema.target.column = "income";
  schema.sensitive = {{.column = "sex", .values = {"m", "f"}}};
  schema.groups_from_data = true;
  schema.adjacency = Adjacency::kAddRemoveRecord;
  schema.sensitive_file = "locked.csv";
  schema.join = "id";
  schema.format = {.delimiter = ';',
                   .header = HeaderRule::kNo,
                   .names = {"a", "b"},
                   .skip_lines = 2,
                   .comment = "#",
                   .missing = {"-"}};
  schema.target.bins = {1, 2.5};
  schema.columns["a"] = {.type = ColumnType::kNumeric, .values = {}, .bounds = {{0, 9}}};
  schema.columns["b"].recode = {{"x", "y"}};
  schema.id = "who";
  schema.image = "file";
  schema.drop = {"c"};
  schema.missing = MissingPolicy::kDrop;
  const std::string json = to_json(schema);
  const auto read_back = parse_schema(json, "s.json");
  ASSERT_TRUE(read_back) << read_back.error().message;
  EXPECT_EQ(to_json(*read_back), json);
}

TEST(Schema, RefusesUnknownKeysAndContradictions) {
  EXPECT_EQ(parse_schema(R"({"sensitve": []})", "s.json").error().message,
            "s.json: unknown key 'sensitve' in the schema; did you mean 'sensitive'?");
  EXPECT_EQ(parse_schema(R"({"missing": "maybe"})", "s.json").error().message,
            "s.json: unknown policy for missing values 'maybe': use drop, category or error");
  EXPECT_FALSE(parse_schema("{", "s.json"));
  EXPECT_FALSE(parse_schema("[]", "s.json"));
  Schema schema;
  schema.target.column = "income";
  schema.sensitive = {{.column = "sex"}};
  schema.id = "sex";
  EXPECT_EQ(check_schema(schema).error().message,
            "column 'sex' cannot be both sensitive and the id");
}

}  // namespace
}  // namespace dpfermi
