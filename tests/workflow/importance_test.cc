// Permutation importance: what it finds, what it reads and what it refuses.

#include "workflow/importance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "model/network.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;

/// Two numbers and a category of two values; the first number decides the label.
Dataset rows_with_one_cause(std::size_t rows) {
  Dataset data;
  data.x = HybridMatrix(rows, 2, {2});
  data.classes = 2;
  data.unit_count = rows;
  for (std::size_t i = 0; i < rows; ++i) {
    HybridMatrix::MutableRow row = data.x.row(i);
    row.numbers[0] = i % 2 == 0 ? 1.0F : -1.0F;
    row.numbers[1] = static_cast<float>(i % 7) - 3;
    row.ones[0] = static_cast<std::uint16_t>(2 + i % 3 % 2);
    data.y.push_back(i % 2 == 0 ? 1 : 0);
    data.units.push_back(static_cast<std::uint32_t>(i));
  }
  return data;
}

TrainedModel model_of_one_cause() {
  TrainedModel model;
  model.pipeline = Pipeline::create({{.column = "cause"}, {.column = "noise"}},
                                    {{.column = "kind", .categories = {.values = {"a", "b"}}}})
                       .value();
  model.spec = {4, 2, {}};
  model.theta = {2, 0, 0, 0, 0};
  model.classes = {"no", "yes"};
  model.favourable = 1;
  return model;
}

TEST(Importance, FindsTheColumnThatDecides) {
  const Importance found =
      permutation_importance(model_of_one_cause(), rows_with_one_cause(2000), 4, 1).value();
  EXPECT_EQ(found.error, 0);
  ASSERT_EQ(found.columns.size(), 3U);
  EXPECT_EQ(found.columns[0].column, "cause");
  // Half of the rows get another label's value.
  EXPECT_NEAR(found.columns[0].increase, 0.5, 0.05);
  EXPECT_GT(found.columns[0].standard_deviation, 0);
  for (const std::size_t idle : {1U, 2U}) {
    EXPECT_EQ(found.columns[idle].increase, 0);
    EXPECT_EQ(found.columns[idle].standard_deviation, 0);
  }
}

TEST(Importance, IsTheSameForTheSameSeed) {
  const Dataset data = rows_with_one_cause(300);
  const auto first = permutation_importance(model_of_one_cause(), data, 3, 5).value();
  const auto second = permutation_importance(model_of_one_cause(), data, 3, 5).value();
  const auto other = permutation_importance(model_of_one_cause(), data, 3, 6).value();
  EXPECT_EQ(first.columns[0].increase, second.columns[0].increase);
  EXPECT_NE(first.columns[0].increase, other.columns[0].increase);
}

TEST(Importance, DoesNotDependOnTheProtectedAttribute) {
  Dataset data = rows_with_one_cause(300);
  data.groups = 2;
  std::vector<std::uint16_t> s(300);
  data.s = Protected(s);
  const auto first = permutation_importance(model_of_one_cause(), data, 2, 5).value();
  std::ranges::fill(s, std::uint16_t{1});
  data.s = Protected(s);
  const auto second = permutation_importance(model_of_one_cause(), data, 2, 5).value();
  EXPECT_EQ(first.error, second.error);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(first.columns[i].increase, second.columns[i].increase);
  }
}

TEST(Importance, RefusesAModelThatDecidesByTheGroup) {
  TrainedModel model = model_of_one_cause();
  model.rule.group_table = {0.5, 0.5, 0.5, 0.5};
  const auto found = permutation_importance(model, rows_with_one_cause(10), 1, 1);
  ASSERT_FALSE(found);
  EXPECT_THAT(found.error().message, HasSubstr("decides by the protected attribute"));
}

}  // namespace
}  // namespace dpfermi
