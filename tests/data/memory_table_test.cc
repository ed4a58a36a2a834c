// Columns in memory become the table that a file with the same texts becomes.

#include "data/memory_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "data/table_reader.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct People {
  std::vector<double> age = {30, 40.125, kNan, 1e-300};
  std::vector<std::int32_t> job = {0, 1, 2, -1};
  std::vector<std::int32_t> sex = {0, 1, 77, 1};
  std::vector<std::int32_t> income = {0, 1, 0, 1};

  MemoryTable table() const {
    return {"people",
            4,
            {{.name = "age", .numeric = true, .numbers = age},
             {.name = "job", .codes = job, .levels = {"a,b", "say \"no\"", " c"}},
             {.name = "sex", .codes = sex, .levels = {"m", "f"}},
             {.name = "income", .codes = income, .levels = {"low", "high"}}}};
  }
};

Schema memory_schema() {
  Schema schema;
  schema.target.column = "income";
  schema.sensitive = {{.column = "sex", .values = {"m", "f"}}};
  return schema;
}

TEST(MemoryTableReader, ReadsWhatAFileWithTheSameTextsHolds) {
  const People people;
  const Table memory = read_table(people.table(), memory_schema()).value();
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(
      memory_source("people.csv",
                    "age,job,sex,income\n30,\"a,b\",m,low\n"
                    "40.125,\"say \"\"no\"\"\",f,high\n,\" c\",,low\n1e-300,,f,high\n"));
  const Table file = read_table(std::move(sources), memory_schema()).value();
  ASSERT_EQ(memory.rows, file.rows);
  const auto& ages = std::get<NumericColumn>(memory.features[0].data).values;
  const auto& texts = std::get<NumericColumn>(file.features[0].data).values;
  for (std::size_t row = 0; row < 4; ++row) {
    EXPECT_TRUE(ages[row] == texts[row] || (std::isnan(ages[row]) && std::isnan(texts[row])));
    EXPECT_EQ(memory.features[1].is_missing(row), file.features[1].is_missing(row));
  }
  EXPECT_EQ(std::get<CategoryColumn>(memory.features[1].data).levels,
            std::get<CategoryColumn>(file.features[1].data).levels);
  EXPECT_EQ(memory.labels.classes, file.labels.classes);
  EXPECT_EQ(memory.labels.y, file.labels.y);
  EXPECT_EQ(memory.domain.names(), file.domain.names());
  EXPECT_EQ(to_json(memory.schema), to_json(file.schema));
}

TEST(MemoryTableReader, GivesEveryFieldTheTextOfTheFile) {
  const People people;
  const MemoryTable table = people.table();
  MemoryReader reader(table);
  ASSERT_TRUE(reader.next().value());
  ASSERT_TRUE(reader.next().value());
  EXPECT_THAT(reader.fields(), testing::ElementsAre("40.125", "say \"no\"", "f", "high"));
  ASSERT_TRUE(reader.next().value());
  EXPECT_THAT(reader.fields(), testing::ElementsAre("", " c", "", "low"));
  ASSERT_TRUE(reader.next().value());
  EXPECT_FALSE(reader.next().value());
}

TEST(MemoryTableReader, NamesTheRowAndTheColumnOfAnInfiniteNumber) {
  People people;
  people.age[1] = std::numeric_limits<double>::infinity();
  const auto table = read_table(people.table(), memory_schema());
  ASSERT_FALSE(table);
  EXPECT_THAT(table.error().message, HasSubstr("people, row 1, column 'age': 'inf'"));
}

TEST(MemoryTableReader, ReadsNumbersWrittenAsCategoriesWhereAModelExpectsNumbers) {
  const People people;
  MemoryTable table = people.table();
  table.columns[1].levels = {"1", "2.5", "3"};
  Schema schema = memory_schema();
  schema.columns["job"].type = ColumnType::kNumeric;
  schema.columns["age"].type = ColumnType::kCategorical;
  const Table read = read_table(table, schema).value();
  EXPECT_EQ(std::get<CategoryColumn>(read.features[0].data).levels.front(), "30");
  EXPECT_EQ(std::get<NumericColumn>(read.features[1].data).values[1], 2.5);
  EXPECT_TRUE(read.features[1].is_missing(3));
}

TEST(MemoryTableReader, LeavesOutTheRowsThatAFileWouldLeaveOut) {
  People people;
  people.age = {30, 40.125, kNan, -1};
  people.job[3] = 0;
  people.income[1] = 9;  // no such level
  Schema schema = memory_schema();
  schema.missing = MissingPolicy::kDrop;
  const auto read = read_table(people.table(), schema);
  ASSERT_TRUE(read) << read.error().message;
  const Table& table = *read;
  EXPECT_EQ(table.rows, 2);
  EXPECT_EQ(table.rows_dropped, 2);
  EXPECT_THAT(std::get<NumericColumn>(table.features[0].data).values, testing::ElementsAre(30, -1));
  EXPECT_EQ(std::get<CategoryColumn>(table.features[1].data).codes.size(), 2);
  schema.missing = MissingPolicy::kError;
  EXPECT_THAT(read_table(people.table(), schema).error().message,
              HasSubstr("people, row 2, column 'age': no value"));
}

TEST(MemoryTableReader, ReadsANumberThatStandsForAMissingOne) {
  People people;
  people.age[3] = -1;
  Schema schema = memory_schema();
  schema.format.missing = {"-1"};
  const Table table = read_table(people.table(), schema).value();
  EXPECT_FALSE(table.features[0].is_missing(1));
  EXPECT_TRUE(table.features[0].is_missing(2));
  EXPECT_TRUE(table.features[0].is_missing(3));
  EXPECT_EQ(people.age[3], -1);
}

TEST(MemoryTableReader, BorrowsNumbersThatNeedNoChange) {
  const People people;
  const Table table = read_table(people.table(), memory_schema()).value();
  EXPECT_EQ(std::get<NumericColumn>(table.features[0].data).values.data(), people.age.data());
}

TEST(MemoryTableReader, ReadsAProtectedColumnThatIsAFeatureAsBoth) {
  const People people;
  Schema schema = memory_schema();
  schema.adjacency = Adjacency::kReplaceRecord;
  schema.target.values = {"low", "high"};
  schema.sensitive_features = {"sex"};
  schema.columns["sex"].values = {"m", "f"};
  schema.columns["age"].bounds = {0, 100};
  schema.columns["job"].values = {"a,b", " c"};
  const Table table = read_table(people.table(), schema).value();
  EXPECT_EQ(table.features.size(), 3);
  EXPECT_TRUE(table.features[2].is_missing(2));
  EXPECT_EQ(table.domain.names(), (std::vector<std::string>{"m", "f", "other"}));
}

TEST(MemoryTableReader, RefusesColumnsThatDoNotFit) {
  const People people;
  MemoryTable table = people.table();
  table.columns[0].numbers = table.columns[0].numbers.first(3);
  EXPECT_THAT(read_table(table, memory_schema()).error().message, HasSubstr("has 3 rows"));
  table = people.table();
  table.columns[1].name = "age";
  EXPECT_THAT(read_table(table, memory_schema()).error().message, HasSubstr("appears twice"));
  table.columns[1].name = "";
  EXPECT_THAT(read_table(table, memory_schema()).error().message, HasSubstr("empty"));
}

TEST(MemoryTableReader, ReadsMissingValuesWhateverElseStandsForThem) {
  const People people;
  Schema schema = memory_schema();
  schema.format.missing = {"?"};
  const Table table = read_table(people.table(), schema).value();
  EXPECT_TRUE(table.features[1].is_missing(3));
}

}  // namespace
}  // namespace dpfermi
