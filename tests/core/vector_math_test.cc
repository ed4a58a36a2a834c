#include "core/vector_math.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace dpfermi {
namespace {

std::vector<double> arguments() {
  std::mt19937_64 random(1);
  std::normal_distribution<double> normal;
  std::vector<double> values{0,  -0.0, 1e-300, 1e-9, -1e-9, 0.0099, 0.0101,
                             36, -36,  700,    -700, 1e6,   -1e6};
  for (int i = 0; i < 20000; ++i) values.push_back(normal(random) * std::exp(3 * normal(random)));
  return values;
}

TEST(VectorMath, SigmoidIsExactToRounding) {
  const std::vector<double> x = arguments();
  std::vector<double> f(x.size());
  sigmoid(x, 2, f);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double exact = 1 / (1 + std::exp(-2 * std::clamp(x[i], -350.0, 350.0)));
    ASSERT_NEAR(f[i], exact, 1e-15 * (1 + 1e3 * (std::abs(x[i]) > 300))) << x[i];
    if (exact <= 1e-290) continue;
    ASSERT_NEAR(f[i] / exact, 1, 1e-14) << x[i];
  }
}

TEST(VectorMath, TwoSigmoidsAreThoseOfOneEach) {
  const std::vector<double> x = arguments();
  std::vector<double> f(x.size()), sharp(x.size()), expected(x.size()), expected_sharp(x.size());
  sigmoid_twice(x, f, sharp);
  sigmoid(x, 1, expected);
  sigmoid(x, 2, expected_sharp);
  EXPECT_EQ(f, expected);
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(sharp[i], expected_sharp[i], 1e-14 * expected_sharp[i] + 1e-300) << x[i];
  }
}

TEST(VectorMath, TanhIsExactToRounding) {
  const std::vector<double> x = arguments();
  std::vector<double> f = x;
  hyperbolic_tangent(f);
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_NEAR(f[i], std::tanh(x[i]), 1e-13 * std::abs(std::tanh(x[i])) + 1e-300) << x[i];
  }
}

TEST(VectorMath, SoftmaxSumsToOneWhateverTheLogits) {
  const std::vector<double> x{0, 1e300, -5, 3, 3, 3, -1e300, -1e300, 700};
  std::vector<double> f(x.size());
  softmax(x, 3, 1, f);
  for (std::size_t row = 0; row < 3; ++row) {
    EXPECT_NEAR(f[3 * row] + f[3 * row + 1] + f[3 * row + 2], 1, 1e-15);
  }
  EXPECT_NEAR(f[1], 1, 1e-15);
  EXPECT_NEAR(f[4], 1.0 / 3, 1e-15);
}

TEST(VectorMath, NotANumberStaysOne) {
  std::vector<double> values{NAN};
  sigmoid(values, 1, values);
  EXPECT_TRUE(std::isnan(values[0]));
}

}  // namespace
}  // namespace dpfermi
