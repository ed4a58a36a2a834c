#include "vision/principal_components.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace dpfermi {
namespace {

/// Rows of four values, of which three are wanted: 3 a + 1 along (1, 1, 0) / sqrt 2, b along the
/// third axis, and something else that was not asked for.
struct Cloud {
  std::vector<float> table;
  std::vector<std::uint32_t> rows;
};

Cloud invent(std::size_t n) {
  std::mt19937 random(5);
  std::normal_distribution<float> normal;
  Cloud cloud;
  for (std::size_t i = 0; i < n; ++i) {
    const float a = 3 * normal(random) + 1;
    cloud.table.insert(cloud.table.end(), {a * std::sqrt(0.5F), a * std::sqrt(0.5F), normal(random),
                                           100 * normal(random)});
    if (i % 2 == 0) cloud.rows.push_back(static_cast<std::uint32_t>(i));
  }
  return cloud;
}

TEST(PrincipalComponents, FindTheDirectionsOfLargestVariance) {
  const Cloud cloud = invent(4000);
  const PrincipalComponents found = principal_components(cloud.table, 4, 3, cloud.rows, 2);
  ASSERT_EQ(found.count(), 2U);
  EXPECT_NEAR(std::abs(found.map[0]), std::sqrt(0.5), 0.02);
  EXPECT_NEAR(found.map[0], found.map[1], 1e-6);
  EXPECT_NEAR(std::abs(found.map[2]), 0, 0.02);
  EXPECT_NEAR(std::abs(found.map[6]), 1, 0.02);
}

TEST(PrincipalComponents, AreCentredAndUncorrelatedOverTheFittedRows) {
  const Cloud cloud = invent(1000);
  const PrincipalComponents found = principal_components(cloud.table, 4, 3, cloud.rows, 9);
  ASSERT_EQ(found.count(), 3U);
  double sums[3] = {}, product = 0;
  for (const std::uint32_t row : cloud.rows) {
    std::vector<float> values;
    found.append(std::span(cloud.table).subspan(row * 4, 3), values);
    for (int j = 0; j < 3; ++j) sums[j] += values[j];
    product += values[0] * values[1];
  }
  const auto n = static_cast<double>(cloud.rows.size());
  for (const double sum : sums) EXPECT_NEAR(sum / n, 0, 1e-5);
  EXPECT_NEAR(product / n, 0, 1e-4);
}

TEST(PrincipalComponents, SideBySideAreThoseOfEachPart) {
  const Cloud cloud = invent(500);
  const PrincipalComponents first = principal_components(cloud.table, 4, 3, cloud.rows, 2);
  const PrincipalComponents second = principal_components(std::span(cloud.table).subspan(2), 4, 2,
                                                          std::span(cloud.rows).first(200), 2);
  const PrincipalComponents both = side_by_side(first, second);
  const std::vector<float> row = {0.3F, -2, 1, 5, 7};
  std::vector<float> wanted, got;
  first.append(std::span(row).first(3), wanted);
  second.append(std::span(row).last(2), wanted);
  both.append(row, got);
  ASSERT_EQ(got.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_FLOAT_EQ(got[i], wanted[i]);
}

TEST(PrincipalComponents, AreAbsentWhereNoneAreAskedFor) {
  const Cloud cloud = invent(10);
  EXPECT_EQ(principal_components(cloud.table, 4, 3, cloud.rows, 0).count(), 0U);
}

}  // namespace
}  // namespace dpfermi
