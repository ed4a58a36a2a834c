// Codes against the plain definition: a code stands for the columns of the row it came from.

#include "core/column_codes.h"

#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

namespace dpfermi {
namespace {

constexpr std::size_t kFirst = 3;

/// A random column of each category, or none.
std::vector<std::uint16_t> random_ones(const std::vector<std::size_t>& sizes,
                                       std::mt19937_64& random) {
  const std::size_t columns = std::accumulate(sizes.begin(), sizes.end(), kFirst);
  std::vector<std::uint16_t> ones;
  std::size_t first = kFirst;
  for (const std::size_t size : sizes) {
    const std::size_t value = random() % (size + 1);
    ones.push_back(static_cast<std::uint16_t>(value == size ? columns : first + value));
    first += size;
  }
  return ones;
}

class Codes : public testing::TestWithParam<std::vector<std::size_t>> {
 protected:
  std::vector<std::size_t> sizes_ = GetParam();
  ColumnCodes codes_{kFirst, sizes_};

  std::vector<std::uint16_t> encode(std::span<const std::uint16_t> ones) const {
    std::vector<std::uint16_t> codes(codes_.per_row(ones.size()));
    codes_.encode(ones, codes);
    return codes;
  }
};

TEST_P(Codes, WeightsAndCountsAreThoseOfTheColumns) {
  std::mt19937_64 random(1);
  std::vector<double> weights(codes_.columns());
  std::iota(weights.begin(), weights.end(), 1.0);
  std::vector<double> of_codes(codes_.size(), NAN);
  codes_.expand(weights, of_codes);
  for (int trial = 0; trial < 500; ++trial) {
    const std::vector<std::uint16_t> ones = random_ones(sizes_, random);
    double expected = 0;
    unsigned count = 0;
    for (const std::uint16_t column : ones) {
      if (column == codes_.columns()) continue;
      expected += weights[column];
      ++count;
    }
    double sum = 0;
    unsigned codes_count = 0;
    for (const std::uint16_t code : encode(ones)) {
      ASSERT_LT(code, codes_.size());
      sum += of_codes[code];
      codes_count += codes_.ones(code);
    }
    ASSERT_EQ(sum, expected);
    ASSERT_EQ(codes_count, count);
  }
}

TEST_P(Codes, SumsOverCodesAreSumsOverColumns) {
  std::mt19937_64 random(2);
  std::vector<double> expected(codes_.columns(), 7);
  std::vector<double> sums = expected;
  std::vector<double> of_codes(codes_.size());
  for (int trial = 0; trial < 500; ++trial) {
    const std::vector<std::uint16_t> ones = random_ones(sizes_, random);
    const auto value = static_cast<double>(random() % 1000);
    for (const std::uint16_t column : ones) {
      if (column < codes_.columns()) expected[column] += value;
    }
    for (const std::uint16_t code : encode(ones)) of_codes[code] += value;
  }
  codes_.fold(of_codes, sums);
  EXPECT_EQ(sums, expected);
}

INSTANTIATE_TEST_SUITE_P(Sizes, Codes,
                         testing::Values(std::vector<std::size_t>{}, std::vector<std::size_t>{5},
                                         std::vector<std::size_t>{2, 3},
                                         std::vector<std::size_t>{1, 1, 1, 1},
                                         std::vector<std::size_t>{7, 16, 7, 14, 6, 5, 41},
                                         std::vector<std::size_t>{2000, 3, 3},
                                         std::vector<std::size_t>(12, 4)));

TEST(Codes, AreAsFewAsTheLimitAllows) {
  // Adult: {42, 8}, {17, 15} and {8, 7, 6} values.
  const std::vector<std::size_t> adult{7, 16, 7, 14, 6, 5, 41};
  const ColumnCodes codes(6, adult);
  EXPECT_EQ(codes.per_row(7), 3U);
  EXPECT_EQ(codes.size(), 336U + 255U + 336U);
  const std::vector<std::size_t> bits(10, 1);
  EXPECT_EQ(ColumnCodes(0, bits).per_row(10), 1U);
  const std::vector<std::size_t> large{900, 900, 900};
  EXPECT_FALSE(ColumnCodes(0, large).merged());
}

}  // namespace
}  // namespace dpfermi
