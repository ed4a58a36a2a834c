#include "data/table_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "data/canonical_text.h"
#include "data/table_address.h"

namespace dpfermi {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string canonical(std::string_view text) {
  std::string buffer;
  return std::string(canonical_text(text, buffer));
}

TEST(CanonicalText, WritesANumberOneWay) {
  for (const std::string_view text : {"1.5", "1.50", "+1.5", "15e-1", " 1.5\t", "01.5", "1.5e0"}) {
    EXPECT_EQ(canonical(text), "1.5") << text;
  }
  for (const std::string_view text : {"0", "-0", "0.0", "-0.00", "0e5"}) {
    EXPECT_EQ(canonical(text), "0") << text;
  }
  EXPECT_EQ(canonical("123456789012345"), "123456789012345");
  EXPECT_EQ(canonical("1e15"), canonical("1000000000000000"));
  EXPECT_EQ(canonical("007"), "7");
}

TEST(CanonicalText, ChangesTextsOnlyInTheirBlanks) {
  for (const std::string_view text :
       {"Private", "10-20", "1.2.3", "-", "+", ".", "e5", "Infinity"}) {
    EXPECT_EQ(canonical(text), text);
    EXPECT_EQ(canonical(" " + std::string(text) + " "), text);
  }
}

TEST(CanonicalText, GivesMissingValuesOneText) {
  for (const std::string_view text : {"", " ", "?", "NA", "N/A", "NULL", "null", "NaN", "nan"}) {
    EXPECT_EQ(canonical(text), "") << text;
  }
}

TEST(TableAddress, TakesTableAndQueryOutOfAnAddress) {
  const auto table =
      parse_table_address("postgresql://me@host/db?sslmode=require&table=a.b&port=9").value();
  EXPECT_EQ(table.place, "postgresql://me@host/db?sslmode=require&port=9");
  EXPECT_EQ(table.table, "a.b");
  const auto query =
      parse_table_address("postgresql:///db?host=/tmp&query=SELECT a&b FROM t ORDER BY 1 ; ")
          .value();
  EXPECT_EQ(query.place, "postgresql:///db?host=/tmp");
  EXPECT_EQ(query.query, "SELECT a&b FROM t ORDER BY 1");
  EXPECT_EQ(parse_table_address("x?query=LIKE%20'a%25'").value().query, "LIKE 'a%'");
  EXPECT_THAT(parse_table_address("x?query=LIKE 'a%'").error().message, HasSubstr("write %25"));
  EXPECT_THAT(parse_table_address("x?table=%0").error().message, HasSubstr("write %25"));
  EXPECT_THAT(parse_table_address("x?table=t&query=s").error().message, HasSubstr("leave one"));
}

TEST(TableAddress, KnowsWhetherAQueryOrdersItsRows) {
  for (const std::string query : {"SELECT * FROM t ORDER BY id", "select * from t order\n by id",
                                  "SELECT (SELECT max(a) FROM u) FROM t /* ( */ ORDER BY 1",
                                  "SELECT ')' FROM t ORDER BY 1"}) {
    EXPECT_TRUE(check_ordered(query)) << query;
  }
  for (const std::string query :
       {"SELECT * FROM t", "SELECT * FROM (SELECT * FROM t ORDER BY id) u",
        "SELECT 'order by' FROM t", "SELECT \"order\" FROM t -- order by 1",
        "SELECT order_by FROM t", "SELECT rank() OVER (ORDER BY x) FROM t", ""}) {
    EXPECT_FALSE(check_ordered(query)) << query;
  }
}

TEST(TableTitle, HoldsNoHostAndNoQuery) {
  EXPECT_EQ(table_title("postgresql://me@host:5432/db?table=public.people"), "people");
  EXPECT_EQ(table_title("postgres://host/db?table=\"my.schema\".\"My People\""), "My People");
  EXPECT_EQ(table_title("postgresql://host/db?query=SELECT 1 ORDER BY 1"), "query");
  EXPECT_EQ(table_title("data/people.duckdb?table=people"), "people");
  EXPECT_EQ(table_title("data/people.csv"), "data/people.csv");
  EXPECT_EQ(table_title("-"), "standard input");
  EXPECT_THAT(name_parts("a.\"b.c\""), ElementsAre("a", "b.c"));
}

TEST(TableSource, RefusesAnAddressWithoutATable) {
  EXPECT_THAT(find_record_source("postgresql://host/db", nullptr).error().message,
              HasSubstr("names no table"));
  EXPECT_THAT(find_record_source("postgresql://host/db?query=SELECT 1", nullptr).error().message,
              HasSubstr("end it with ORDER BY"));
  EXPECT_EQ(find_record_source("nothing.csv", nullptr).value(), nullptr);
}

}  // namespace
}  // namespace dpfermi
