#include "baselines/published_split.h"

#include <gmock/gmock.h>

#include <numeric>

namespace dpfermi {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

/// sum of place * value: differs for any two orders of interest.
std::uint64_t fingerprint(const std::vector<std::uint32_t>& order) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < order.size(); ++i) sum += (i + 1) * order[i];
  return sum;
}

std::vector<std::uint32_t> first_ten(const std::vector<std::uint32_t>& order) {
  return {order.begin(), order.begin() + 10};
}

// Golden values: numpy 1.24.2, RandomState(seed).permutation(n).
TEST(NumpyPermutation, IsNumpys) {
  EXPECT_THAT(numpy_permutation(100, 1), ElementsAre(0));
  EXPECT_THAT(numpy_permutation(100, 2), ElementsAre(1, 0));
  EXPECT_THAT(numpy_permutation(100, 10), ElementsAre(7, 6, 1, 5, 4, 2, 0, 3, 9, 8));
  EXPECT_THAT(numpy_permutation(0, 12), ElementsAre(6, 11, 4, 10, 2, 8, 1, 7, 9, 3, 0, 5));
  const std::vector<std::uint32_t> credit = numpy_permutation(100, 30'000);
  EXPECT_THAT(first_ten(credit),
              ElementsAre(6102, 2539, 21576, 19574, 12804, 24030, 20273, 7538, 3196, 12935));
  EXPECT_EQ(fingerprint(credit), 6'750'703'259'827U);
  const std::vector<std::uint32_t> adult = numpy_permutation(100, 60'324);
  EXPECT_THAT(first_ten(adult),
              ElementsAre(16056, 20826, 2663, 54977, 11838, 49130, 4287, 5011, 53315, 821));
  EXPECT_EQ(fingerprint(adult), 54'750'582'732'302U);
}

TEST(PublishedSplit, IsAPartition) {
  // 0.75 n is 4.5 for n = 6: to even, as pandas rounds.
  for (const auto& [n, train] : std::vector<std::pair<std::uint32_t, std::size_t>>{
           {3, 2}, {6, 4}, {10, 8}, {60'324, 45'243}}) {
    const Split split = published_split(n).value();
    EXPECT_EQ(split.train.size(), train);
    EXPECT_TRUE(std::ranges::is_sorted(split.test));
    std::vector<std::uint32_t> all = split.train;
    all.insert(all.end(), split.test.begin(), split.test.end());
    std::ranges::sort(all);
    std::vector<std::uint32_t> rows(n);
    std::iota(rows.begin(), rows.end(), 0U);
    EXPECT_THAT(all, ElementsAreArray(rows));
  }
  EXPECT_EQ(published_split(30'000)->train.front(), 6102U);
  EXPECT_FALSE(published_split(2).has_value());
}

}  // namespace
}  // namespace dpfermi
