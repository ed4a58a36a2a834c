#include "sketch/minimise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace dpfermi {
namespace {

TEST(Minimise, FindsTheEndOfACurvedValley) {
  const SmoothFunction rosenbrock = [](std::span<const double> x, std::span<double> g) {
    const double a = 1 - x[0];
    const double b = x[1] - x[0] * x[0];
    g[0] = -2 * a - 400 * x[0] * b;
    g[1] = 200 * b;
    return a * a + 100 * b * b;
  };
  std::vector<double> x{-1.2, 1};
  const Minimum minimum = minimise(rosenbrock, x, {500, 1e-10, 0}).value();
  EXPECT_NEAR(x[0], 1, 1e-6);
  EXPECT_NEAR(x[1], 1, 1e-6);
  EXPECT_LT(minimum.value, 1e-12);
}

TEST(Minimise, StopsWhereItIsToldTo) {
  std::size_t calls = 0;
  const SmoothFunction bowl = [&](std::span<const double> x, std::span<double> g) {
    ++calls;
    double value = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double scale = std::pow(10.0, static_cast<double>(i));
      g[i] = scale * x[i];
      value += scale * x[i] * x[i] / 2;
    }
    return value;
  };
  std::vector<double> x(6, 1);
  const Minimum early = minimise(bowl, x, {3, 0, 0}).value();
  EXPECT_EQ(early.evaluations, calls);
  EXPECT_LT(calls, 20U);
  EXPECT_GT(early.value, 1e-8);
}

TEST(Minimise, RefusesWhatIsNotFinite) {
  const SmoothFunction broken = [](std::span<const double>, std::span<double> g) {
    g[0] = std::numeric_limits<double>::quiet_NaN();
    return std::numeric_limits<double>::quiet_NaN();
  };
  std::vector<double> x{1};
  EXPECT_FALSE(minimise(broken, x).has_value());
  EXPECT_EQ(x[0], 1);
  std::vector<double> none;
  EXPECT_FALSE(minimise(broken, none).has_value());
}

}  // namespace
}  // namespace dpfermi
