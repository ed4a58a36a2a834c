#include "data/table_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "temp_folder.h"

namespace dpfermi {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<Table> read(const std::string& text, Schema schema,
                   Adjacency adjacency = Adjacency::kSensitive) {
  schema.adjacency = adjacency;
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(memory_source("t.csv", text));
  return read_table(std::move(sources), schema);
}

std::string error_of(const std::string& text, const Schema& schema,
                     Adjacency adjacency = Adjacency::kSensitive) {
  const auto table = read(text, schema, adjacency);
  return table ? "no error" : table.error().message;
}

Schema income_by_sex() {
  Schema schema;
  schema.target.column = "income";
  schema.sensitive = {{.column = "sex", .values = {"m", "f"}}};
  return schema;
}

const std::string kPeople =
    "age,job,sex,income\n"
    "30,clerk,m,low\n"
    "40,cook,f,high\n"
    "?,clerk,x,low\n"
    "50,,f,high\n";

TEST(TableReader, InfersTypesAndKeepsMissingValues) {
  const Table table = read(kPeople, income_by_sex()).value();
  ASSERT_EQ(table.rows, 4U);
  ASSERT_EQ(table.features.size(), 2U);
  EXPECT_EQ(table.features[0].name, "age");
  const auto& age = std::get<NumericColumn>(table.features[0].data).values;
  EXPECT_EQ(age[1], 40);
  EXPECT_TRUE(std::isnan(age[2]));
  EXPECT_TRUE(table.features[1].is_missing(3));
  EXPECT_THAT(table.labels.classes, ElementsAre("high", "low"));
  EXPECT_EQ(table.labels.classes_provenance, Provenance::kPublic);
  EXPECT_EQ(table.schema.columns.at("age").type, ColumnType::kNumeric);
  EXPECT_EQ(table.schema.columns.at("job").type, ColumnType::kCategorical);
}

TEST(TableReader, PutsUndeclaredValuesOfSIntoOther) {
  const Table table = read(kPeople, income_by_sex()).value();
  EXPECT_THAT(table.domain.names(), ElementsAre("m", "f", "other"));
  EXPECT_TRUE(table.domain.declared());
  EXPECT_THAT(ExactForHolder::read(table.groups), ElementsAre(0, 1, 2, 1));
}

TEST(TableReader, FoldsUndeclaredValuesWhereAsked) {
  Schema schema = income_by_sex();
  schema.sensitive[0].other = "f";
  const Table table = read(kPeople, schema).value();
  EXPECT_THAT(table.domain.names(), ElementsAre("m", "f"));
  EXPECT_THAT(ExactForHolder::read(table.groups), ElementsAre(0, 1, 1, 1));
}

TEST(TableReader, RefusesGroupsThatAreNotDeclared) {
  Schema schema = income_by_sex();
  schema.sensitive[0].values.clear();
  EXPECT_EQ(read(kPeople, schema).error().kind, ErrorKind::kUsage);
  EXPECT_THAT(error_of(kPeople, schema), HasSubstr("`sensitive_values` 'sex=a,b,c'"));
  constexpr auto kRecords = Adjacency::kReplaceRecord;
  EXPECT_THAT(error_of(kPeople, schema, kRecords), testing::Not(HasSubstr("groups_from_data")));
  schema.groups_from_data = true;
  EXPECT_THAT(error_of(kPeople, schema, kRecords), HasSubstr("leave out `groups_from_data`"));
}

TEST(TableReader, StampsADomainReadFromTheTable) {
  Schema schema = income_by_sex();
  schema.sensitive[0].values.clear();
  schema.groups_from_data = true;
  const Table table = read(kPeople, schema).value();
  EXPECT_FALSE(table.domain.declared());
  EXPECT_THAT(table.domain.names(), ElementsAre("f", "m", "x"));
}

TEST(TableReader, CombinesSeveralSensitiveColumns) {
  Schema schema;
  schema.target.column = "y";
  schema.sensitive = {{.column = "sex", .values = {"m", "f"}}, {.column = "age", .bins = {30, 60}}};
  const Table table =
      read("x,sex,age,y\n1,m,30,0\n2,f,31,1\n3,f,old,1\n4,m,99,0\n", schema).value();
  EXPECT_THAT(table.domain.names(),
              ElementsAre("m/<=30", "m/(30,60]", "m/>60", "f/<=30", "f/(30,60]", "f/>60", "other"));
  EXPECT_THAT(ExactForHolder::read(table.groups), ElementsAre(0, 4, 6, 2));
}

/// Whatever stands in the protected column, everything but the groups is the same: rows kept, rows
/// dropped, labels, features, success.
TEST(TableReader, NothingButTheGroupsDependsOnS) {
  const std::vector<std::string> values = {"m",  "f",        "",      "?",
                                           "NA", "\xFF\xFE", "1e999", "\"a\"\"b\""};
  for (const MissingPolicy policy :
       {MissingPolicy::kDrop, MissingPolicy::kCategory, MissingPolicy::kError}) {
    for (const bool bins : {false, true}) {
      Schema schema = income_by_sex();
      schema.missing = policy;
      if (bins) schema.sensitive[0] = {.column = "sex", .bins = {1, 2}};
      for (const std::string& value : values) {
        const auto table = read("age,sex,income\n30," + value + ",low\n40,f,high\n", schema);
        ASSERT_TRUE(table) << value << ": " << table.error().message;
        EXPECT_EQ(table->rows, 2U);
        EXPECT_EQ(table->rows_dropped, 0U);
        EXPECT_EQ(table->features.size(), 1U);
        EXPECT_EQ(table->domain.size(), bins ? 4U : 3U);
        EXPECT_THAT(table->labels.y, ElementsAre(1, 0));
      }
    }
  }
}

/// Without a header the first record holds a value of s: it must not decide what is a header, nor
/// be printed as a column name.
TEST(TableReader, AGuessedHeaderDoesNotDependOnS) {
  Schema schema;
  schema.target.column = "column3";
  schema.sensitive = {{.column = "column2", .values = {"m", "f"}}};
  for (const std::string s : {"m", "f", "clerk", "", "7"}) {
    const auto table = read("clerk," + s + ",yes\ncook,f,no\n", schema);
    ASSERT_TRUE(table) << s << ": " << table.error().message;
    EXPECT_EQ(table->rows, 2U);
  }
  schema.target.column = "pay";
  for (const std::string s : {"m", "f", "clerk", "", "7"}) {
    EXPECT_EQ(error_of("clerk," + s + ",yes\ncook,f,no\n", schema),
              "t.csv: has no column 'pay'; its first line was taken for a row; if it names the "
              "columns, give `format.header`");
  }
}

TEST(TableReader, AKeyOfTheSensitiveFileBelongsToOneUnit) {
  const test::TempFolder folder;
  const std::string data = (folder / "data.csv").string();
  const std::string locked = (folder / "locked.csv").string();
  std::ofstream(data) << "patient,visit,income\na,1,low\na,2,high\n";
  std::ofstream(locked) << "patient,sex\na,f\n";
  TableRequest request{.files = {data}, .schema = income_by_sex()};
  request.schema.sensitive_file = locked;
  request.schema.join = "patient";
  request.schema.id = "visit";
  EXPECT_THAT(read_table(request).error().message, HasSubstr("use `id` 'patient'"));
  request.schema.id = "patient";
  EXPECT_TRUE(read_table(request));
}

TEST(TableReader, DropsRowsWithMissingFeaturesOrTarget) {
  Schema schema = income_by_sex();
  schema.missing = MissingPolicy::kDrop;
  const Table table = read(kPeople + "60,cook,m,\n", schema).value();
  EXPECT_EQ(table.rows, 2U);
  EXPECT_EQ(table.rows_dropped, 3U);
  EXPECT_THAT(ExactForHolder::read(table.groups), ElementsAre(0, 1));
}

TEST(TableReader, CutsNumericTargets) {
  Schema schema;
  schema.target = {.column = "y", .positive = ">2.5"};
  const std::string text = "x,y\n1,1\n2,2\n3,3\n4,40\n";
  Table table = read(text, schema).value();
  EXPECT_THAT(table.labels.y, ElementsAre(0, 0, 1, 1));
  EXPECT_EQ(table.labels.classes_provenance, Provenance::kGiven);
  schema.target.positive = ">median";
  table = read(text, schema).value();
  EXPECT_EQ(table.labels.threshold, 2.5);
  EXPECT_EQ(table.labels.classes_provenance, Provenance::kPublic);
  schema.target = {.column = "y", .bins = {1, 3}};
  table = read(text, schema).value();
  EXPECT_THAT(table.labels.classes, ElementsAre("<=1", "(1,3]", ">3"));
  EXPECT_THAT(table.labels.y, ElementsAre(0, 1, 1, 2));
}

TEST(TableReader, KeepsClassNamesThatLookLikeThresholds) {
  Schema schema;
  schema.target = {.column = "y", .positive = ">50"};
  const Table table = read("x,y\n1,<=50\n2,>50\n", schema).value();
  EXPECT_THAT(table.labels.classes, ElementsAre("<=50", ">50"));
  EXPECT_EQ(table.labels.positive, 1U);
}

TEST(TableReader, RecodesAndNumbersPersons) {
  Schema schema;
  schema.target.column = "y";
  schema.id = "who";
  schema.columns["e"].recode = {{"5", "4"}, {"6", "4"}};
  const Table table = read("who,e,y\nann,4,0\nbob,5,1\nann,6,0\n", schema).value();
  EXPECT_THAT(std::get<CategoryColumn>(table.features[0].data).levels, ElementsAre("4"));
  EXPECT_THAT(table.units, ElementsAre(0, 1, 0));
  EXPECT_EQ(table.unit_count, 2U);
}

TEST(TableReader, JoinsSensitiveColumnsFromTheirOwnFile) {
  const test::TempFolder folder;
  const std::string data = (folder / "data.csv").string();
  const std::string locked = (folder / "locked.csv").string();
  std::ofstream(data) << "id,x,income\na,1,low\nb,2,high\nc,3,low\na,4,high\n";
  std::ofstream(locked) << "id;sex\nb;f\na;m\nz;f\n";
  TableRequest request{.files = {data}, .schema = income_by_sex()};
  request.schema.sensitive_file = locked;
  request.schema.join = "id";
  const Table table = read_table(request).value();
  EXPECT_THAT(ExactForHolder::read(table.groups), ElementsAre(0, 1, 2, 0));
  EXPECT_THAT(table.units, ElementsAre(0, 1, 2, 0));
  EXPECT_EQ(table.features.size(), 1U);
  // Who has no line in the locked file is in no group of it, declared or not.
  request.schema.sensitive[0].values.clear();
  request.schema.groups_from_data = true;
  const Table undeclared = read_table(request).value();
  EXPECT_THAT(undeclared.domain.names(), ElementsAre("f", "m", "other"));
  EXPECT_THAT(ExactForHolder::read(undeclared.groups), ElementsAre(1, 0, 2, 1));
  std::ofstream(locked) << "id,sex\nb,f\nb,m\n";
  EXPECT_EQ(read_table(request).error().message,
            locked + ", line 3: 'b' appears a second time in column 'id'; keep one line for each");
  std::ofstream(locked) << "id,sex\n0a,f\n0b,m\n";
  EXPECT_EQ(read_table(request).error().message, data + ": no value of 'id' occurs in " + locked +
                                                     "; write the keys alike in both files");
  request.schema.join = "key";
  EXPECT_THAT(read_table(request).error().message, HasSubstr("has no column 'key'"));
}

TEST(TableReader, SaysWhatIsWrongAndWhere) {
  Schema schema = income_by_sex();
  const std::string bad_number = "age,sex,income\n" + [] {
    std::string rows;
    for (int i = 0; i < 10'001; ++i) rows += "3,m,low\n4,f,high\n";
    return rows;
  }() + "3x,m,low\n";
  EXPECT_EQ(error_of(bad_number, schema),
            "t.csv, line 20004, column 'age': '3x' is not a number; correct it, add it to "
            "`format.missing`, or declare the column with `categorical` 'age'");
  EXPECT_EQ(error_of("age,sex,income\n3,m,low\n4,f,low\n", schema),
            "t.csv: the target column 'income' has one class ('low'); a classifier needs at least "
            "two");
  EXPECT_EQ(error_of("age,sex,income\n3,m,caf\xE9\n4,f,low\n", schema),
            "t.csv, line 2, column 'income': 'caf\\xE9' is not UTF-8 text; convert the file, for "
            "example with iconv -f latin1 -t utf-8");
  EXPECT_EQ(error_of("age,sex,income\n", schema), "t.csv: has a header but no rows");
  schema.missing = MissingPolicy::kError;
  EXPECT_EQ(error_of("age,sex,income\n3,m,low\n?,f,high\n", schema),
            "t.csv, line 3, column 'age': no value ('?'); use `missing` drop or category");
  schema.target.column = "incme";
  EXPECT_EQ(error_of("age,sex,income\n3,m,low\n", schema),
            "t.csv: has no column 'incme'; did you mean 'income'?");
}

TEST(TableReader, KeepsSOutOfPublicFeatures) {
  Schema schema = income_by_sex();
  schema.sensitive_features = {"sex"};
  EXPECT_THAT(error_of(kPeople, schema),
              HasSubstr("cannot be a feature under adjacency sensitive"));
  schema.target.values = {"low", "high"};
  EXPECT_THAT(error_of(kPeople, schema, Adjacency::kReplaceRecord),
              HasSubstr("nothing is read from records: declare age, job, sex ("));
  schema.columns["age"].bounds = {{0, 120}};
  for (const char* name : {"job", "sex"}) schema.columns[name].values = {"a", "b"};
  const Table table = read(kPeople, schema, Adjacency::kReplaceRecord).value();
  EXPECT_EQ(table.features.size(), 3U);
}

TEST(TableReader, ARepeatOfAProtectedColumnIsNoPublicFeatureWhateverItsType) {
  const std::string twice = "age,sex,income,sex\n1,m,low,m\n2,f,high,f\n";
  Schema schema = income_by_sex();
  schema.columns["sex.2"].type = ColumnType::kCategorical;
  EXPECT_EQ(error_of(twice, schema),
            "t.csv: sex.2 repeats the name of a protected column and would be a public feature; "
            "`drop` sex.2");
  schema.columns.clear();
  schema.drop = {"sex.2"};
  EXPECT_EQ(error_of(twice, schema), "no error");
  // The second one may be the protected one.
  Schema second = income_by_sex();
  second.sensitive[0].column = "sex.2";
  EXPECT_THAT(error_of(twice, second), HasSubstr("sex repeats the name of a protected column"));
  // Where records are protected, so is the repeat.
  schema.drop.clear();
  schema.target.values = {"low", "high"};
  schema.columns["age"].bounds = {{0, 120}};
  schema.columns["sex.2"].values = {"m", "f"};
  EXPECT_EQ(error_of(twice, schema, Adjacency::kReplaceRecord), "no error");
}

TEST(TableReader, ListsWhateverIsNotDeclaredAtOnceWhereRecordsAreProtected) {
  Schema schema = income_by_sex();
  schema.sensitive = {{.column = "sex"}, {.column = "job"}};
  EXPECT_EQ(error_of(kPeople, schema, Adjacency::kReplaceRecord),
            "under adjacency replace-record nothing is read from records: declare age (a number: "
            "`columns.bounds` 'age=0:100'; categories: `columns.values` 'age=a,b,c'; or `drop`); "
            "the groups of 'sex' (`sensitive_values` 'sex=a,b,c' or `sensitive_bins` "
            "'sex=25,40,60'); the groups of 'job' (`sensitive_values` 'job=a,b,c' or "
            "`sensitive_bins` 'job=25,40,60'); the classes of 'income' (`target.values` low,high)");
  EXPECT_EQ(error_of(kPeople, schema),
            "the groups of 'sex', 'job' are not declared; give `sensitive_values` 'sex=a,b,c' or "
            "`sensitive_bins` 'sex=25,40,60' for each, or `groups_from_data` to read the list from "
            "the data and treat it as public");
}

TEST(TableReader, CountsRowsWithoutADeclaredGroupForTheDescriptionAlone) {
  const std::string text = "sex,x,income\nm,1,low\nf,2,high\n,3,low\n?,4,low\nz,5,low\n";
  Schema schema = income_by_sex();
  const auto read_for = [&](TableUse use) {
    std::vector<std::unique_ptr<ByteSource>> sources;
    sources.push_back(memory_source("t.csv", text));
    return read_table(std::move(sources), schema, use).value();
  };
  const Table described = read_for(TableUse::kDescribe);
  const auto& without = ExactForHolder::read(described.without_value);
  ASSERT_EQ(without.size(), 1U);
  EXPECT_EQ(without[0].missing, 2U);
  EXPECT_EQ(without[0].undeclared, 1U);
  EXPECT_EQ(without[0].unmatched, 0U);
  EXPECT_TRUE(ExactForHolder::read(read_for(TableUse::kFit).without_value).empty());
}

TEST(TableReader, LengthsOfProtectedValuesDecideNothing) {
  // Column z turns into words after the sample; where that ends must not depend on s.
  const auto table_with = [](const std::string& s) {
    std::string text = "pad;sex;z;income\n";
    const std::string pad(1000, 'p');
    for (int row = 0; row < 9'000; ++row) {
      text += pad + ";" + (row < 8'000 ? s : "m") + (row < 8'800 ? ";1;low\n" : ";x;high\n");
    }
    return text;
  };
  for (const std::string s :
       {"m", "f", "much longer, and with commas, than any declared value is"}) {
    const Table table = read(table_with(s), income_by_sex()).value();
    EXPECT_EQ(table.schema.columns.at("z").type, ColumnType::kCategorical) << s;
    EXPECT_EQ(table.rows, 9'000U);
  }
}

TEST(TableReader, AProtectedFirstColumnIsNotReadAsAComment) {
  Schema schema = income_by_sex();
  schema.format.comment = "#";
  EXPECT_EQ(error_of("age,sex,income\n1,#,low\n2,m,high\n", schema), "no error");
  EXPECT_THAT(error_of("sex,age,income\nm,1,low\n#?,2,high\n", schema),
              HasSubstr("begins with the protected column 'sex'"));
}

TEST(TableReader, WillNotReadProtectedLabelsForTheirClasses) {
  Schema schema = income_by_sex();
  schema.columns["age"].bounds = {{0, 120}};
  schema.columns["job"].values = {"a", "b"};
  EXPECT_THAT(error_of(kPeople, schema, Adjacency::kAddRemoveRecord),
              HasSubstr("declare the classes of 'income' (`target.values` low,high)"));
  schema.target.values = {"low", "high"};
  EXPECT_EQ(error_of(kPeople, schema, Adjacency::kAddRemoveRecord), "no error");
  schema.target = {.column = "age", .positive = ">median"};
  schema.sensitive.clear();
  schema.columns = {{"x", {.bounds = {{0, 10}}}}};
  EXPECT_THAT(error_of("age,x\n1,2\n2,3\n", schema, Adjacency::kReplaceRecord),
              HasSubstr("the median of 'age' would be read from protected labels"));
}

}  // namespace
}  // namespace dpfermi
