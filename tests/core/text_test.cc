#include "core/text.h"

#include <gtest/gtest.h>

#include <limits>

namespace dpfermi {
namespace {

TEST(Text, NumbersAreWholeAndFinite) {
  EXPECT_EQ(parse_number("3.38e-005"), 3.38e-5);
  EXPECT_EQ(parse_number("+7"), 7.0);
  EXPECT_EQ(parse_number("-0.5"), -0.5);
  for (const char* bad : {"", "7 ", "1,5", "nan", "inf", "1e999", "0x10", "--1", "+"}) {
    EXPECT_FALSE(parse_number(bad)) << bad;
  }
}

TEST(Text, SplitsListsAndTrims) {
  EXPECT_EQ(split_list("a, b ,c"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(split_list("a,"), (std::vector<std::string>{"a", ""}));
  EXPECT_TRUE(split_list("").empty());
}

TEST(Text, SuggestsOnlyLikelyTypos) {
  const std::vector<std::string> names = {"income", "sex", "education"};
  EXPECT_EQ(nearest_name("incme", names), "income");
  EXPECT_EQ(nearest_name("Sex", names), "sex");
  EXPECT_EQ(nearest_name("zzz", names), std::nullopt);
}

TEST(Text, FindsTheFirstInvalidByte) {
  EXPECT_EQ(find_invalid_utf8("caf\xC3\xA9 \xF0\x9F\x98\x80"), std::string_view::npos);
  EXPECT_EQ(find_invalid_utf8("caf\xE9"), 3U);
  EXPECT_EQ(find_invalid_utf8("\xC0\xAF"), 0U);          // overlong
  EXPECT_EQ(find_invalid_utf8("a\xED\xA0\x80"), 1U);     // surrogate
  EXPECT_EQ(find_invalid_utf8("\xF4\x90\x80\x80"), 0U);  // past U+10FFFF
}

TEST(Text, PrintableNeverBreaksALine) {
  EXPECT_EQ(printable("a\nb\xFF"), "a\\x0Ab\\xFF");
  EXPECT_EQ(printable("caf\xC3\xA9"), "caf\xC3\xA9");
  EXPECT_EQ(printable("abcdef", 4), "abcd...");
}

TEST(Text, WhatIsLeftIsNeverRoundedUp) {
  EXPECT_EQ(rounded_down(0.99985), "0.9998");
  EXPECT_EQ(rounded_down(1.0002998), "1");
  EXPECT_EQ(rounded_down(0.3), "0.3");
  EXPECT_EQ(rounded_down(0.1 + 0.2), "0.3");
  EXPECT_EQ(rounded_down(9.930555e-07), "9.93e-07");
  EXPECT_EQ(rounded_down(0), "0");
}

TEST(Text, RoundedFiguresAreNeverTooSmall) {
  EXPECT_EQ(rounded_up(0.999355), "0.9994");
  EXPECT_EQ(rounded_up(0.999301), "0.9994");
  EXPECT_EQ(rounded_up(0.99999), "1");
  EXPECT_EQ(rounded_up(1), "1");
  EXPECT_EQ(rounded_up(0.1 + 0.2), "0.3");
  EXPECT_EQ(rounded_up(0.3000000001), "0.3001");
  EXPECT_EQ(rounded_up(0.5), "0.5");
  EXPECT_EQ(rounded_up(4.44401e-9), "4.445e-09");
  EXPECT_EQ(rounded_up(0), "0");
  EXPECT_EQ(rounded_up(2.7182, 3), "2.72");
  EXPECT_EQ(rounded_up(std::numeric_limits<double>::infinity()), "inf");
}

TEST(Text, GroupsThousands) {
  EXPECT_EQ(counted(0, "step"), "0 steps");
  EXPECT_EQ(counted(1, "step"), "1 step");
  EXPECT_EQ(counted(1200, "step"), "1,200 steps");
  EXPECT_EQ(counted(1, "entry"), "1 entry");
  EXPECT_EQ(counted(2, "entry"), "2 entries");
  EXPECT_EQ(counted(1, "class"), "1 class");
  EXPECT_EQ(counted(3, "class"), "3 classes");
  EXPECT_EQ(with_thousands(0), "0");
  EXPECT_EQ(with_thousands(999), "999");
  EXPECT_EQ(with_thousands(45222), "45,222");
  EXPECT_EQ(with_thousands(1234567), "1,234,567");
}

}  // namespace
}  // namespace dpfermi
