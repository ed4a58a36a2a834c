#include "data/table_profile.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/byte_source.h"
#include "data/schema_template.h"
#include "data/table_reader.h"

namespace dpfermi {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::size_t kRows = 2000;

/// A table of one numeric feature with two classes, by functions of the row.
template <class X, class Y>
Table one_number(const std::string& name, X x, Y y) {
  Table table;
  table.rows = kRows;
  table.labels.classes = {"no", "yes"};
  Numbers numbers;
  for (std::size_t i = 0; i < kRows; ++i) {
    numbers.push_back(x(i));
    table.labels.y.push_back(y(i) ? 1 : 0);
  }
  table.features.push_back({name, NumericColumn(std::move(numbers))});
  return table;
}

/// A fixed scramble of the row number: 0 to 99.
std::size_t spread(std::size_t i) {
  return (i * 37 + i / 100 * 11) % 100;
}

std::vector<std::string> remarks_of(const Table& table) {
  return profile(table).columns[0].remarks;
}

TEST(TableProfile, CodesAreDistinguishedFromQuantities) {
  // Twelve values; the chance of yes jumps between neighbours, or rises from one to the next.
  const auto value = [](std::size_t i) { return static_cast<double>(i % 12); };
  const Table codes = one_number("branch", value, [](std::size_t i) {
    return spread(i / 12) < (i % 12 % 2 == 0 ? 80U : 20U);
  });
  EXPECT_THAT(remarks_of(codes), ElementsAre(HasSubstr("look like codes")));
  const Table quantity =
      one_number("years", value, [](std::size_t i) { return spread(i / 12) < 10 + 7 * (i % 12); });
  EXPECT_THAT(remarks_of(quantity), IsEmpty());
  // A curve is not a code: the middle differs from both ends, gradually.
  const Table curve = one_number("age", value, [](std::size_t i) {
    const double from_middle = std::abs(static_cast<double>(i % 12) - 5.5);
    return static_cast<double>(spread(i / 12)) < 90 - 14 * from_middle;
  });
  EXPECT_THAT(remarks_of(curve), IsEmpty());
  // Most people have a count of 0; the step to 1 is a trend.
  const Table counts = one_number(
      "arrests", [](std::size_t i) { return i % 20 < 15 ? 0.0 : static_cast<double>(i % 20 - 14); },
      [](std::size_t i) { return spread(i / 20) < (i % 20 < 15 ? 30U : 55 + 5 * (i % 20 - 14)); });
  EXPECT_THAT(remarks_of(counts), IsEmpty());
}

TEST(TableProfile, IdentifiersAndLeaksAreRemarked) {
  const auto by_half = [](std::size_t i) { return i % 2 == 0; };
  EXPECT_THAT(remarks_of(one_number(
                  "row", [](std::size_t i) { return static_cast<double>(i); }, by_half)),
              ElementsAre(HasSubstr("an identifier?")));
  EXPECT_THAT(remarks_of(one_number(
                  "x", [](std::size_t i) { return i % 2 == 0 ? 1.5 : -0.5; }, by_half)),
              ElementsAre(HasSubstr("too good to be true")));
  EXPECT_THAT(remarks_of(one_number(
                  "x", [](std::size_t) { return 3.0; }, by_half)),
              ElementsAre(HasSubstr("one value in every row")));
  // Numbers that differ in every row are no identifiers where they are not whole.
  EXPECT_THAT(remarks_of(one_number(
                  "x", [](std::size_t i) { return std::sin(static_cast<double>(i)); }, by_half)),
              IsEmpty());
}

TEST(TableProfile, ValuesThatAreKnownOnlyAfterwardsAreRemarked) {
  // Half of the rows are yes. A column is filled for a fifth of those alone; another for rows of
  // both.
  const auto yes = [](std::size_t i) { return i % 2 == 0; };
  const auto filled = [](std::size_t every) {
    return
        [every](std::size_t i) { return i % every == 0 ? 1.0 + static_cast<double>(i % 3) : NAN; };
  };
  EXPECT_THAT(
      remarks_of(one_number("arrest", filled(10), yes)),
      ElementsAre(HasSubstr("200 rows with one value of it, or with any, are 100.0 % 'yes'; "
                            "known only afterwards")));
  EXPECT_THAT(remarks_of(one_number("visit", filled(5), yes)), IsEmpty());
  // Fifty different days, known for half of one class and for few rows of the other. Where that
  // class is the rarer one they were known afterwards; where not, it is what a good feature has.
  const auto rarer = [](std::size_t i) { return i % 5 < 2; };
  const auto days_of = [&](bool of_rarer) {
    return [&rarer, of_rarer](std::size_t i) {
      const bool known = rarer(i) == of_rarer ? i % 2 == 0 : i % 60 == 4 || i % 60 == 1;
      return known ? static_cast<double>(i / 7 % 50) : NAN;
    };
  };
  EXPECT_THAT(remarks_of(one_number("days", days_of(true), rarer)),
              ElementsAre(HasSubstr("'yes'; known only afterwards")));
  EXPECT_THAT(remarks_of(one_number("days", days_of(false), rarer)), IsEmpty());
  // Too few rows to say so.
  EXPECT_THAT(remarks_of(one_number("rare", filled(50), yes)), IsEmpty());
}

TEST(TableProfile, TextsThatFewRowsShareAreTakenForNames) {
  const auto remarks_on = [](std::size_t rows_each) {
    std::string text = "first,y\n";
    for (std::size_t i = 0; i < kRows; ++i) {
      text += fmt::format("n{},{}\n", i / rows_each, i % 2);
    }
    std::vector<std::unique_ptr<ByteSource>> sources;
    sources.push_back(memory_source("t.csv", text));
    Schema schema;
    schema.target.column = "y";
    return profile(read_table(std::move(sources), schema).value()).columns[0];
  };
  EXPECT_TRUE(remarks_on(4).drop);
  EXPECT_THAT(remarks_on(4).remarks, ElementsAre("500 categories for 2,000 rows: a name or a "
                                                 "code? `drop` it"));
  EXPECT_FALSE(remarks_on(8).drop);
  EXPECT_THAT(remarks_on(8).remarks, ElementsAre(HasSubstr("250 categories are 250 inputs")));
}

TEST(TableProfile, NamesFeaturesThatTellTheGroup) {
  const auto yes = [](std::size_t i) { return i % 5 == 0; };
  // A recoded copy with one mistake in forty, and a feature that goes with the group now and then.
  Table table = one_number(
      "gender_code", [](std::size_t i) { return (i % 3 == 0) != (i % 40 == 7) ? 2.0 : 1.0; }, yes);
  table.features.push_back(
      one_number(
          "height", [](std::size_t i) { return i % 3 == 0 || i % 2 == 0 ? 180.0 : 160.0; }, yes)
          .features.front());
  std::vector<std::uint16_t> groups;
  for (std::size_t i = 0; i < kRows; ++i) groups.push_back(i % 3 == 0 ? 1 : 0);
  GroupDomain::Attribute sex{.column = "sex", .values = {"f", "m"}, .other = 0};
  table.domain = GroupDomain::create({std::move(sex)}, true).value();
  EXPECT_THAT(near_copies_of_groups(table, groups), ElementsAre("gender_code"));
}

TEST(TableProfile, RepeatedNamesAreComparedByTheirValues) {
  const auto value = [](std::size_t i) { return static_cast<double>(i % 7); };
  const auto yes = [](std::size_t i) { return spread(i) < 50; };
  Table table = one_number("score", value, yes);
  table.features.push_back(one_number("score.2", value, yes).features.front());
  table.features.push_back(
      one_number(
          "score.3", [](std::size_t i) { return static_cast<double>(i % 5); }, yes)
          .features.front());
  const TableProfile found = profile(table);
  EXPECT_THAT(found.columns[1].remarks, Contains(HasSubstr("with the same values")));
  EXPECT_THAT(found.columns[2].remarks, Contains(HasSubstr("with other values")));
}

TEST(TableProfile, CountsClassesMissingValuesAndCopies) {
  Table table = one_number(
      "x", [](std::size_t i) { return i % 4 == 0 ? NAN : static_cast<double>(i % 10) + 0.5; },
      [](std::size_t i) { return i % 5 == 0; });
  const TableProfile found = profile(table);
  EXPECT_THAT(found.class_rows, ElementsAre(kRows * 4 / 5, kRows / 5));
  EXPECT_EQ(found.columns[0].missing, kRows / 4);
  EXPECT_EQ(found.columns[0].distinct, 10U);
  // Rows repeat every 20: ten values or none, with the label of their place.
  EXPECT_EQ(found.copies, kRows - 12);
}

/// As the tool reads a table and writes its schema.
Schema written_schema(const std::string& text, Schema declared) {
  std::vector<std::unique_ptr<ByteSource>> sources;
  sources.push_back(memory_source("t.csv", text));
  const Table table = read_table(std::move(sources), declared, TableUse::kDescribe).value();
  return parse_schema(schema_template(table, profile(table), declared), "s.json").value();
}

TEST(SchemaTemplate, FollowsTheRemarksUnlessColumnsAreDeclared) {
  std::string text = "row,branch,other,y\n";
  for (std::size_t i = 0; i < 400; ++i) {
    const std::size_t branch = i * 7 % 5;
    const bool yes = (branch == 1 || branch == 3) == (i % 4 > 0);
    text += fmt::format("{},{},1.5,{}\n", i, 10 * branch, yes ? 1 : 0);
  }
  Schema declared;
  declared.target.column = "y";
  declared.drop = {"other"};
  const Schema followed = written_schema(text, declared);
  EXPECT_THAT(followed.drop, ElementsAre("other", "row"));
  EXPECT_EQ(followed.columns.at("branch").type, ColumnType::kCategorical);
  declared.columns["row"].type = ColumnType::kNumeric;
  declared.columns["branch"].type = ColumnType::kNumeric;
  const Schema kept = written_schema(text, declared);
  EXPECT_THAT(kept.drop, ElementsAre("other"));
  EXPECT_EQ(kept.columns.at("branch").type, ColumnType::kNumeric);
}

TEST(SchemaTemplate, LeavesOutWhatRepeatsAProtectedNameWhateverIsDeclared) {
  Schema declared;
  declared.target.column = "y";
  declared.sensitive = {{.column = "sex", .values = {"m", "f"}}};
  const std::string text = "sex,x,sex,y\nm,1,m,0\nf,2,f,1\n";
  EXPECT_THAT(written_schema(text, declared).drop, ElementsAre("sex.2"));
  declared.columns["sex.2"].type = ColumnType::kCategorical;
  EXPECT_THAT(written_schema(text, declared).drop, ElementsAre("sex.2"));
}

TEST(SchemaTemplate, HoldsNothingOfProtectedRecords) {
  Table table = one_number(
      "x", [](std::size_t i) { return static_cast<double>(i % 7); },
      [](std::size_t i) { return i % 3 == 0; });
  table.schema.target.column = "y";
  table.schema.sensitive = {{.column = "sex", .values = {"secret-a", "secret-b"}}};
  table.schema.groups_from_data = true;
  table.schema.drop = {"other"};
  const TableProfile found = profile(table);
  Schema declared;
  declared.adjacency = Adjacency::kReplaceRecord;
  const std::string closed = schema_template(table, found, declared);
  EXPECT_THAT(closed, HasSubstr("fill in one of: bounds"));
  EXPECT_THAT(closed, HasSubstr("\"drop\": [\n    \"other\"\n  ]"));
  for (const char* read : {"numeric", "secret-a", "\"yes\""}) {
    EXPECT_THAT(closed, Not(HasSubstr(read)));
  }
  const std::string open = schema_template(table, found, {});
  EXPECT_THAT(open, HasSubstr("numeric"));
  EXPECT_THAT(open, Not(HasSubstr("secret-a")));
  const Schema read = parse_schema(open, "open.json").value();
  EXPECT_EQ(read.columns.at("x").type, ColumnType::kNumeric);
  EXPECT_FALSE(check_groups_declared(read));
}

}  // namespace
}  // namespace dpfermi
