#include "dpfermi/objective/fairness_notion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace dpfermi {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr FairnessNotion kNone = FairnessNotion::kNone;
constexpr FairnessNotion kDemographicParity = FairnessNotion::kDemographicParity;
constexpr FairnessNotion kEqualizedOdds = FairnessNotion::kEqualizedOdds;
constexpr FairnessNotion kEqualOpportunity = FairnessNotion::kEqualOpportunity;

TEST(FairnessNotion, NamesReadBack) {
  for (const FairnessNotion notion :
       {kNone, kDemographicParity, kEqualizedOdds, kEqualOpportunity}) {
    EXPECT_EQ(parse_fairness_notion(to_string(notion)).value(), notion);
  }
  EXPECT_EQ(parse_fairness_notion("dp").value(), kDemographicParity);
  EXPECT_EQ(parse_fairness_notion("eo").value(), kEqualizedOdds);
  EXPECT_EQ(parse_fairness_notion("eopp").value(), kEqualOpportunity);
}

TEST(FairnessNotion, AnUnknownNameIsAnsweredWithTheChoices) {
  for (const char* text : {"", "Dp", "parity", "equalized_odds"}) {
    const auto result = parse_fairness_notion(text);
    ASSERT_FALSE(result) << text;
    EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
    EXPECT_THAT(result.error().message,
                AllOf(HasSubstr(std::string("'") + text + "'"), HasSubstr("demographic-parity"),
                      HasSubstr("equalized-odds"), HasSubstr("equal-opportunity"),
                      HasSubstr("none"), Not(HasSubstr("\n"))));
  }
}

TEST(FairnessNotion, ConditionsFollowFromTheLabel) {
  constexpr std::size_t kClasses = 3;
  constexpr std::size_t kFavourable = 2;
  EXPECT_EQ(condition_count(kNone, kClasses), 0);
  EXPECT_EQ(condition_count(kDemographicParity, kClasses), 1);
  EXPECT_EQ(condition_count(kEqualizedOdds, kClasses), 3);
  EXPECT_EQ(condition_count(kEqualOpportunity, kClasses), 1);
  for (std::size_t y = 0; y < kClasses; ++y) {
    EXPECT_EQ(condition_of(kNone, y, kFavourable), std::nullopt);
    EXPECT_EQ(condition_of(kDemographicParity, y, kFavourable), 0);
    EXPECT_EQ(condition_of(kEqualizedOdds, y, kFavourable), y);
  }
  EXPECT_EQ(condition_of(kEqualOpportunity, 0, kFavourable), std::nullopt);
  EXPECT_EQ(condition_of(kEqualOpportunity, 1, kFavourable), std::nullopt);
  EXPECT_EQ(condition_of(kEqualOpportunity, 2, kFavourable), 0);
}

TEST(FairnessNotion, OnlyEqualizedOddsWeighsItsConditions) {
  EXPECT_EQ(condition_weight(kDemographicParity, 1.0), 1.0);
  EXPECT_EQ(condition_weight(kEqualizedOdds, 0.25), 0.25);
  EXPECT_EQ(condition_weight(kEqualOpportunity, 0.25), 1.0);
}

}  // namespace
}  // namespace dpfermi
