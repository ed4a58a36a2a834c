#include "evaluate/compared_violation.h"

#include <gtest/gtest.h>

#include "data/dataset.h"
#include "objective/fairness_setting.h"

namespace dpfermi {
namespace {

/// Three groups of two rows of label 0 and two of label 1. Decisions for class 1: among label 0 by
/// group 0, 1, 2; among label 1 by group 2, 2, 0.
struct Decided {
  Dataset data;
  std::vector<std::uint16_t> decisions;
};

Decided decided() {
  Decided made;
  std::vector<std::uint16_t> s;
  const std::size_t favoured[2][3] = {{0, 1, 2}, {2, 2, 0}};
  for (std::uint16_t y = 0; y < 2; ++y) {
    for (std::uint16_t group = 0; group < 3; ++group) {
      for (std::size_t i = 0; i < 2; ++i) {
        made.data.y.push_back(y);
        s.push_back(group);
        made.data.units.push_back(static_cast<std::uint32_t>(s.size() - 1));
        made.decisions.push_back(i < favoured[y][group] ? 1 : 0);
      }
    }
  }
  made.data.s = Protected(std::move(s));
  made.data.groups = 3;
  made.data.classes = 2;
  made.data.unit_count = 12;
  return made;
}

TEST(ComparedViolation, IsTheLargestDifferenceBetweenKnownGroups) {
  const Decided made = decided();
  const FairnessSetting odds{FairnessNotion::kEqualizedOdds, 3, 2, 1};
  const auto of = [&](const std::vector<bool>& known) {
    return compared_violation(made.decisions, made.data, odds, known);
  };
  EXPECT_EQ(of({true, true, true, true, true, true}), 1);
  EXPECT_EQ(of({true, true, false, true, true, false}), 0.5);
  EXPECT_EQ(of({true, false, false, true, true, false}), 0);
  const FairnessSetting parity{FairnessNotion::kDemographicParity, 3, 2, 1};
  // Rates of 2/4, 3/4 and 2/4.
  EXPECT_EQ(compared_violation(made.decisions, made.data, parity, {true, true, true}), 0.25);
  EXPECT_EQ(compared_violation(made.decisions, made.data, parity, {}), 0.25);
  EXPECT_EQ(compared_violation(made.decisions, made.data, parity, {true, false, true}), 0);
}

TEST(ComparedViolation, OfFewerThanTwoGroupsIsNothing) {
  Decided made = decided();
  const FairnessSetting parity{FairnessNotion::kDemographicParity, 3, 2, 1};
  EXPECT_FALSE(compared_violation(made.decisions, made.data, parity, {false, true, false}));
  EXPECT_FALSE(compared_violation(made.decisions, made.data, parity, {false, false, false}));
  // Known, but without rows.
  made.data.s = Protected(std::vector<std::uint16_t>(made.data.y.size(), 1));
  EXPECT_FALSE(compared_violation(made.decisions, made.data, parity, {}));
}

}  // namespace
}  // namespace dpfermi
