#include <gmock/gmock.h>

#include "experiment/trade_off.h"

namespace dpfermi {
namespace {

CurveModel model(std::optional<double> lambda, std::vector<double> errors,
                 std::vector<double> violations) {
  CurveModel made;
  made.lambda = lambda;
  made.error = std::move(errors);
  made.violation = violations;
  made.train_violation = std::move(violations);
  for (std::uint32_t split = 0; split < made.error.size(); ++split) made.splits.push_back(split);
  return made;
}

/// Two splits: from .1 at .2 to .3, and from .2 at .4 to .4.
std::vector<Curve> with_coin() {
  Curve coin{.method = "coin", .models = {}};
  coin.models = {model(0.0, {0.1, 0.2}, {0.2, 0.4}), model(1.0, {0.3, 0.4}, {0, 0})};
  return {coin};
}

TEST(FreeLine, IsStraightBetweenThePlainModelAndTheConstant) {
  const FreeLine line{{0.2, 0.1}, {0, 0.3}};
  EXPECT_DOUBLE_EQ(line.error_at(0), 0.3);
  EXPECT_DOUBLE_EQ(line.error_at(0.05), 0.25);
  EXPECT_DOUBLE_EQ(line.error_at(0.2), 0.1);
  EXPECT_DOUBLE_EQ(line.error_at(0.5), 0.1);
  // Where the plain model is no better than the constant, the constant is all there is.
  EXPECT_DOUBLE_EQ((FreeLine{{0.2, 0.3}, {0, 0.3}}.error_at(0.1)), 0.3);
}

TEST(FreeLine, ModelsAreComparedSplitBySplit) {
  const auto lines = free_lines(with_coin(), ViolationOf::kTest);
  ASSERT_EQ(lines.size(), 2U);
  // On the line in the first split (.2 at .1), .02 above it in the second (.3 at .2).
  const auto above = above_line(model(1.0, {0.2, 0.32}, {0.1, 0.2}), lines, ViolationOf::kTest);
  ASSERT_TRUE(above);
  EXPECT_NEAR(above->excess.mean, 0.01, 1e-12);
  EXPECT_NEAR(above->excess.error, 0.01, 1e-12);
  EXPECT_NEAR(above->over_constant.mean, -0.09, 1e-12);
}

TEST(FreeLine, IsUnknownWithoutACoin) {
  EXPECT_TRUE(free_lines({Curve{.method = "fermi", .models = {}}}, ViolationOf::kTest).empty());
  EXPECT_FALSE(above_line(model(1.0, {0.2}, {0.1}), {}, ViolationOf::kTest));
}

}  // namespace
}  // namespace dpfermi
