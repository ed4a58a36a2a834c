#include "dpfermi/privacy/ledger/amount.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace dpfermi {
namespace {

Amount up(const char* text) {
  return Amount::parse(text, Rounding::kUp).value();
}

TEST(Amount, TenTenthsAreOne) {
  Amount sum;
  for (int i = 0; i < 10; ++i) sum = sum + Amount::from(0.1, Rounding::kUp).value();
  EXPECT_EQ(sum, up("1"));
  EXPECT_EQ(sum.text(), "1");
}

TEST(Amount, ReadsEveryWayToWriteANumber) {
  EXPECT_EQ(up("0.00001"), up("1e-5"));
  EXPECT_EQ(up("1E-5"), up("0.1e-4"));
  EXPECT_EQ(up("+2.50"), up("25e-1"));
  EXPECT_EQ(up("3e+2"), up("300"));
  EXPECT_EQ(up("0"), Amount());
  EXPECT_EQ(up("0e99"), Amount());
  EXPECT_EQ(up(".5"), up("0.5"));
  EXPECT_EQ(up("5."), up("5"));
  EXPECT_EQ(up("999999999999999").text(), "999999999999999");
}

TEST(Amount, RefusesTextsThatAreNotAmounts) {
  for (const char* text : {"", "-1", "-0", "nan", "1e", "e5", ".", "1 ", "0x10", "1e5000000000",
                           "--1", "1.2.3", "infinity"}) {
    EXPECT_FALSE(Amount::parse(text, Rounding::kUp)) << text;
  }
  EXPECT_FALSE(Amount::from(std::nan(""), Rounding::kUp));
  EXPECT_FALSE(Amount::from(-1e-300, Rounding::kUp));
  EXPECT_EQ(Amount::from(-0.0, Rounding::kUp).value(), Amount());
}

TEST(Amount, RoundsInTheNamedDirection) {
  const Amount unit = up("1e-30");
  EXPECT_GT(unit, Amount());
  EXPECT_EQ(up("1e-31"), unit);
  EXPECT_EQ(Amount::parse("9e-31", Rounding::kDown).value(), Amount());
  EXPECT_EQ(Amount::from(std::numeric_limits<double>::denorm_min(), Rounding::kUp).value(), unit);
  EXPECT_EQ(up("0.9999999999999999999999999999999"), up("1"));
}

TEST(Amount, OverflowIsInfinite) {
  EXPECT_TRUE(up("1e15").is_infinite());
  EXPECT_TRUE(Amount::from(1e300, Rounding::kUp).value().is_infinite());
  EXPECT_TRUE((up("9e14") + up("9e14")).is_infinite());
  EXPECT_TRUE((Amount::infinite() + up("1")).is_infinite());
  EXPECT_GT(Amount::infinite(), up("999999999999999"));
  EXPECT_EQ(Amount::infinite().text(), "inf");
  EXPECT_EQ(up("inf"), Amount::infinite());
}

TEST(Amount, LessNeverGoesBelowZero) {
  EXPECT_EQ(up("1").less(up("1e-30")).text(), "0.999999999999999999999999999999");
  EXPECT_EQ(up("1").less(up("2")), Amount());
  EXPECT_EQ(up("1").less(Amount::infinite()), Amount());
  EXPECT_TRUE(Amount::infinite().less(up("1")).is_infinite());
  EXPECT_EQ(Amount::infinite().less(Amount::infinite()), Amount());
}

TEST(Amount, TextAndDoublesReadBack) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> exponent(-20, 6);
  for (int i = 0; i < 2000; ++i) {
    const double a = std::pow(10, exponent(random));
    const double b = std::pow(10, exponent(random));
    const Amount sum =
        Amount::from(a, Rounding::kUp).value() + Amount::from(b, Rounding::kUp).value();
    EXPECT_EQ(up(sum.text().c_str()), sum);
    EXPECT_EQ(sum.less(Amount::from(a, Rounding::kUp).value()),
              Amount::from(b, Rounding::kUp).value());
    EXPECT_GE(Amount::from(sum.to_double(Rounding::kUp), Rounding::kUp).value(), sum);
    EXPECT_LE(Amount::from(sum.to_double(Rounding::kDown), Rounding::kDown).value(), sum);
    EXPECT_NEAR(sum.to_double(Rounding::kUp), a + b,
                1e-15 * (a + b) + 2e-30);  // two units of the 30th place
  }
}

}  // namespace
}  // namespace dpfermi
