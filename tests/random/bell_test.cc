// The pieces of the rounded Gaussian that random tests reach too rarely: table, curve, near ties.
#include "random/bell.h"

#include <gmock/gmock.h>

#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dpfermi/random/noise_source.h"
#include "random/lane.h"
#include "random/rounded_gaussian.h"

namespace dpfermi::bell {
namespace {

/// Prepared words; running out is a failure of the test.
struct Script {
  std::vector<std::uint64_t> words;
  std::size_t used = 0;
  std::uint64_t next() { return words.at(used++); }
};

TEST(BellValue, AgreesWithMpmathTo200Bits) {
  struct Golden {
    Big numerator;
    int bits;
    const char* floor_of_2_to_200_f;  // mpmath 1.3, 90 digits
  };
  const Golden goldens[] = {
      {Big{1}, 0, "0x9b4597e37cb04ff3d675a35530cdd767e347bf8ad0e80abbce"},
      {Big{3}, 1, "0x531c6c91deac7f580c378a03213ed3b40e479c6d3475e9d70c"},
      {Big{17}, 2, "0x7d6c56c544363c07438e1a0e3a584aa41f6522949549a60"},
      {Big{153122387330609209}, 55, "0x7d6c56c5436d69fd6ef1a3e4b65f26f1f8309e2cbb6aefb"},
      {Big{5}, 0, "0x3e85da7ed1cd20421fc414f54befa1a1a4cb7337ebc746"},
      {Big{12}, 0, "0x1175af0cf60ec5278e7f49ec0"},
  };
  for (const Golden& golden : goldens) {
    const Big got = value(golden.numerator, golden.bits) >> (kFraction - 200);
    const Big expected(golden.floor_of_2_to_200_f);
    EXPECT_LE(got > expected ? got - expected : expected - got, 1) << golden.numerator;
  }
  EXPECT_EQ(value(Big{0}, 0), Big{1} << kFraction);
}

// Every column holds whole rows up to the curve's lowest point in it, then cut rows up to at least
// its highest: together they cover the region exactly once.
TEST(BellBoxes, CoverTheRegionOnce) {
  const Boxes& table = boxes();
  std::map<unsigned, unsigned> whole_rows;
  for (unsigned box = 0; box < table.whole; ++box) ++whole_rows[table.column[box]];
  std::map<unsigned, std::vector<unsigned>> cut_rows;
  for (unsigned box = table.whole; box < table.cut; ++box) {
    cut_rows[table.column[box]].push_back(table.row[box]);
  }
  for (unsigned column = 0; column < kColumns; ++column) {
    const long double left = std::exp(-0.5L * column * column / 1024);
    const long double right = std::exp(-0.5L * (column + 1) * (column + 1) / 1024);
    EXPECT_NEAR(table.left_value[column], static_cast<double>(left), 1e-16);
    EXPECT_LE(whole_rows[column] * kRowHeight, static_cast<double>(right));
    unsigned row = whole_rows[column];
    for (const unsigned cut : cut_rows[column]) EXPECT_EQ(cut, row++);
    EXPECT_GE(row * kRowHeight, static_cast<double>(left));
  }
  EXPECT_LT(table.cut, kBoxes);
  EXPECT_GT(table.whole, 7800U);
}

TEST(BellBoxes, TheTailsEnvelopeLiesAboveTheCurve) {
  for (int strip = 0; strip < kTailStrips; ++strip) {
    const double height = kRowHeight / 32 * 63 / 64 * std::pow(64.0, -strip);
    EXPECT_GE(height, std::exp(-0.5 * (4.25 + strip) * (4.25 + strip)));
  }
}

// For a point whose ordinate agrees with the curve to 64 bits, the next 64 bits decide, and they
// decide exactly where the curve runs.
TEST(UnderCurve, NearTiesAreDecidedByTheNextBits) {
  const Boxes& table = boxes();
  unsigned tried = 0;
  for (unsigned box = table.whole; box < table.cut; ++box) {
    const Point start{std::uint64_t{table.column[box]} << kPositionBits | 0x1234567890123};
    const Big curve = value(Big{start.x} << 64, kFractionBits + 64);
    const Big row_height = Big{kRowUnits} << (kFraction - 20);
    const Big bottom = row_height * table.row[box];
    if (curve <= bottom || curve >= bottom + row_height) continue;
    const Big position = ((curve - bottom) << 128) / row_height;  // v 2^128
    const auto v = static_cast<std::uint64_t>(position >> 64);
    const auto more = static_cast<std::uint64_t>(position & Big{~std::uint64_t{0}});
    if (more < 4096 || more > ~std::uint64_t{4096}) continue;
    for (const bool under : {true, false}) {
      Point point = start;
      Script script{{v, 0, under ? more - 4096 : more + 4096}};
      EXPECT_EQ(under_curve(table, point, box, script), under) << box;
      EXPECT_TRUE(point.refined);
      EXPECT_EQ(script.used, 3U);
    }
    ++tried;
  }
  EXPECT_GT(tried, 50U);
}

TEST(UnderCurve, ClearCasesNeedOneWord) {
  const Boxes& table = boxes();
  for (unsigned box = table.whole; box < table.cut; ++box) {
    Point point{std::uint64_t{table.column[box]} << kPositionBits};
    Script script{{std::uint64_t{1} << 63}};
    const double middle = (table.row[box] + 0.5) * kRowHeight;
    const double curve = table.left_value[table.column[box]];
    if (std::abs(middle - curve) < 1e-9) continue;
    EXPECT_EQ(under_curve(table, point, box, script), middle < curve);
    EXPECT_EQ(script.used, 1U);
  }
}

TEST(DrawTail, StripsAreCountedInSixZeroBits) {
  const auto strip_of = [](std::vector<std::uint64_t> zeros) {
    zeros.insert(zeros.end(), {0, 0, 0, 0});  // at the left edge, at the bottom
    Script script{std::move(zeros)};
    return (draw_tail(script).value().x - kEdge) >> kFractionBits;
  };
  EXPECT_EQ(strip_of({~std::uint64_t{0}}), 0U);
  EXPECT_EQ(strip_of({std::uint64_t{1} << 58}), 0U);
  EXPECT_EQ(strip_of({std::uint64_t{1} << 57}), 1U);
  EXPECT_EQ(strip_of({std::uint64_t{1} << 4}), 9U);
  EXPECT_EQ(strip_of({15, std::uint64_t{1} << 63}), 10U);
  Script never{{0, 0}};
  EXPECT_FALSE(draw_tail(never).has_value());
}

// Strip 16 is the last whose ordinates are whole numbers of 2^-256; later ones are given up.
TEST(DrawTail, EndsWhereTheArithmeticEnds) {
  const auto words_used = [](std::uint64_t zeros) {
    Script script{{15, zeros, 0, ~std::uint64_t{0}, 0, 0}};
    EXPECT_FALSE(draw_tail(script).has_value()) << "at the top of the strip, above the curve";
    return script.used;
  };
  EXPECT_EQ(words_used(std::uint64_t{1} << 27), 6U) << "strip 16 is compared with the curve";
  EXPECT_EQ(words_used(std::uint64_t{1} << 21), 2U) << "strip 17 is not";
  EXPECT_EQ(words_used(std::uint64_t{1} << 4), 2U) << "nor strip 19";
}

// Near a half-integer the 55 known bits of x cannot tell; sigma x = (s X + s U) / 2^shift reaches
// 1/2 at U = (2^(shift-1) - s X) / s, and the further bits decide exactly there.
TEST(RoundScaled, ReadsFurtherBitsOnlyNearAHalf) {
  const std::uint64_t significand = 0x1a2b3c4d5e6f71;
  const int shift = 55 + 52;
  const Big half = Big{1} << (shift - 1);
  const auto x = static_cast<std::uint64_t>(half / significand);
  const Big gap = half - Big{significand} * x;
  const auto threshold = static_cast<std::uint64_t>((gap << 64) / significand);
  const auto round = [&](Point point, std::vector<std::uint64_t> words) {
    Script script{std::move(words)};
    const std::uint64_t result = round_scaled(point, significand, shift, script);
    EXPECT_EQ(script.used, script.words.size());
    return result;
  };
  EXPECT_EQ(round({x - 1}, {}), 0U);
  EXPECT_EQ(round({x + 1}, {}), 1U);
  EXPECT_EQ(round({x}, {threshold - 1}), 0U);
  EXPECT_EQ(round({x}, {threshold + 1}), 1U);
  EXPECT_EQ(round({x}, {threshold, 0}), 0U);
  EXPECT_EQ(round({x}, {threshold, ~std::uint64_t{0}}), 1U);
  EXPECT_EQ(round({x, true, threshold - 1}, {}), 0U);
  EXPECT_EQ(round({x, true, threshold + 1}, {}), 1U);
}

TEST(Bernoulli, FollowsTheLongDivision) {
  const std::uint64_t third = 0x5555555555555555;  // 1/3 = 0.0101...
  Script low{{third - 1}};
  EXPECT_TRUE(bernoulli(1, 3, low));
  Script high{{third + 1}};
  EXPECT_FALSE(bernoulli(1, 3, high));
  Script deep{{third, third, third + 1}};
  EXPECT_FALSE(bernoulli(1, 3, deep));
  Script certain{{~std::uint64_t{0}, 0}};
  EXPECT_TRUE(bernoulli(7, 7, certain));
  Script never{{0}};
  EXPECT_FALSE(bernoulli(0, 7, never));
}

TEST(UniformBelow, RejectsExactlyTheExcess) {
  // 2^64 = 6148914691236517205 * 3 + 1: the one word whose low product is 0 is drawn again.
  Script script{{0, 1}};
  EXPECT_EQ(uniform_below(3, script), 0U);
  EXPECT_EQ(script.used, 2U);
  Script last{{~std::uint64_t{0}}};
  EXPECT_EQ(uniform_below(3, last), 2U);
  Script one{{123}};
  EXPECT_EQ(uniform_below(1, one), 0U);
}

/// A point under the curve, and the word that chose its box: box (13 bits), position (50 bits),
/// sign (1 bit). The curve is evaluated to 200 bits at every point of a cut box.
std::pair<Point, std::uint64_t> draw_point(KeyStream& stream) {
  const Boxes& table = boxes();
  for (;;) {
    const std::uint64_t word = stream.next();
    const auto box = static_cast<unsigned>(word >> 51);
    if (box > table.cut) continue;
    if (box == table.cut) {
      if (const std::optional<Point> tail = draw_tail(stream)) return {*tail, word};
      continue;
    }
    const Point point{std::uint64_t{table.column[box]} << 50 | word << 13 >> 14};
    if (box < table.whole) return {point, word};
    const Big row = Big{table.row[box]} << 64 | Big{stream.next()};
    const Big ordinate = (row * kRowUnits) << (kFraction - 64 - 20);
    if (ordinate < value(Big{point.x}, kFractionBits)) return {point, word};
  }
}

/// RoundedGaussian::draw without tricks, some hundred times slower.
void draw_plainly(double sigma, KeyStream& stream, std::span<std::int64_t> draws) {
  int exponent = 0;
  const auto significand = static_cast<std::uint64_t>(std::ldexp(std::frexp(sigma, &exponent), 53));
  for (std::int64_t& draw : draws) {
    const auto [point, word] = draw_point(stream);
    const auto size = static_cast<std::int64_t>(
        round_scaled(point, significand, kFractionBits + 53 - exponent, stream));
    draw = word % 2 == 0 ? size : -size;
  }
}

// The fast comparisons change nothing: same words, same draws.
TEST(RoundedGaussianDraws, EqualTheReference) {
  NoiseSource source{ReproducibleSeed::from_number(11).value()};
  const NoiseLane lane = source.open(Purpose::kGradientNoise).value();
  for (const double sigma : {0.001, 0.3, 1.0, 123.456, 65536.0, 1e9, 0x1.8p40, 0x1p50}) {
    const RoundedGaussian gaussian = RoundedGaussian::create(sigma).value();
    std::vector<std::int64_t> fast(100000);
    std::vector<std::int64_t> plain(fast.size());
    KeyStream first = LaneForTests::stream(lane, 0, 0);
    KeyStream second = LaneForTests::stream(lane, 0, 0);
    ASSERT_TRUE(gaussian.draw(first, fast).has_value());
    draw_plainly(sigma, second, plain);
    ASSERT_TRUE(second.status().has_value());
    EXPECT_EQ(fast, plain) << sigma;
    EXPECT_EQ(first.next(), second.next());
  }
}

TEST(RoundedGaussianDraws, RefuseWhatTheProofDoesNotCover) {
  for (const double sigma : {0.0, -1.0, 0x1p-17, 0x1.1p50, double{INFINITY}, double{NAN}}) {
    EXPECT_FALSE(RoundedGaussian::create(sigma).has_value()) << sigma;
  }
}

}  // namespace
}  // namespace dpfermi::bell
