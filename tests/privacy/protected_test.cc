#include "dpfermi/privacy/protected.h"

#include <gmock/gmock.h>

namespace dpfermi {
namespace {

using Groups = std::vector<int>;
using Rows = std::vector<std::uint32_t>;

TEST(Protected, SelectsRowsInTheOrderGiven) {
  const Protected<Groups> groups(Groups{10, 11, 12, 13});
  const auto chosen = groups.select(Rows{3, 0, 2});
  ASSERT_TRUE(chosen.has_value());
  EXPECT_THAT(ExactForHolder::read(*chosen), testing::ElementsAre(13, 10, 12));
  EXPECT_TRUE(groups.select(Rows{}).has_value());
}

// A million copies of one row, counted, would tell that row's value through any noise.
TEST(Protected, RefusesARowTwiceAndARowThatIsNotThere) {
  const Protected<Groups> groups(Groups{10, 11, 12, 13});
  for (const Rows& rows : {Rows{2, 2}, Rows{0, 1, 0}, Rows(1'000'000, 3), Rows{4}, Rows{0, ~0U}}) {
    const auto chosen = groups.select(rows);
    ASSERT_FALSE(chosen.has_value());
    EXPECT_EQ(chosen.error().kind, ErrorKind::kUsage);
  }
}

TEST(Protected, OtherNamesForItsValuesStayProtectedAndSynthetic) {
  using Indices = std::vector<std::uint16_t>;
  const auto groups = Protected<Indices>::rehearsal({0, 2, 1, 2, 5}, Invented::kGroups);
  const auto merged = groups.relabelled(Indices{0, 1, 1});
  EXPECT_THAT(ExactForHolder::read(merged), testing::ElementsAre(0, 1, 1, 1, 5));
  EXPECT_EQ(merged.invented(), Invented::kGroups);
}

}  // namespace
}  // namespace dpfermi
