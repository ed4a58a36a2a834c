#include "data/table_profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "data/schema_template.h"

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
  EXPECT_THAT(remarks_of(one_number("arrest", filled(10), yes)),
              ElementsAre(HasSubstr("decides 200 rows, nearly all 'yes'; known only afterwards")));
  EXPECT_THAT(remarks_of(one_number("visit", filled(5), yes)), IsEmpty());
  // Too few rows to say so.
  EXPECT_THAT(remarks_of(one_number("rare", filled(50), yes)), IsEmpty());
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

TEST(SchemaTemplate, FollowsTheRemarksUnlessColumnsAreDeclared) {
  Table table = one_number(
      "row", [](std::size_t i) { return static_cast<double>(i); },
      [](std::size_t i) { return i % 2 == 0; });
  table.schema.target.column = "y";
  table.schema.drop = {"other"};
  const TableProfile found = profile(table);
  const Schema followed =
      parse_schema(schema_template(table, found, Adjacency::kSensitive), "s.json").value();
  EXPECT_THAT(followed.drop, ElementsAre("other", "row"));
  table.schema.columns["row"].type = ColumnType::kNumeric;
  const Schema declared =
      parse_schema(schema_template(table, found, Adjacency::kSensitive), "s.json").value();
  EXPECT_THAT(declared.drop, ElementsAre("other"));
  // What records hold decides nothing where they are protected.
  table.schema.columns.clear();
  EXPECT_THAT(schema_template(table, found, Adjacency::kReplaceRecord),
              HasSubstr("\"drop\": [\n    \"other\"\n  ]"));
}

TEST(SchemaTemplate, HoldsNothingOfProtectedRecords) {
  Table table = one_number(
      "x", [](std::size_t i) { return static_cast<double>(i % 7); },
      [](std::size_t i) { return i % 3 == 0; });
  table.schema.target.column = "y";
  table.schema.sensitive = {{.column = "sex", .values = {"secret-a", "secret-b"}}};
  table.schema.groups_from_data = true;
  const TableProfile found = profile(table);
  const std::string closed = schema_template(table, found, Adjacency::kReplaceRecord);
  EXPECT_THAT(closed, HasSubstr("fill in one of: bounds"));
  for (const char* read : {"numeric", "secret-a", "\"yes\""}) {
    EXPECT_THAT(closed, Not(HasSubstr(read)));
  }
  const std::string open = schema_template(table, found, Adjacency::kSensitive);
  EXPECT_THAT(open, HasSubstr("numeric"));
  EXPECT_THAT(open, Not(HasSubstr("secret-a")));
  const Schema read = parse_schema(open, "open.json").value();
  EXPECT_EQ(read.columns.at("x").type, ColumnType::kNumeric);
  EXPECT_FALSE(check_groups_declared(read));
}

}  // namespace
}  // namespace dpfermi
