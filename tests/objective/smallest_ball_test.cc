#include "objective/smallest_ball.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace dpfermi {
namespace {

using Vector = std::vector<double>;

double distance(const Vector& points, std::size_t i, const Vector& centre) {
  double squares = 0;
  for (std::size_t j = 0; j < centre.size(); ++j) {
    const double part = points[i * centre.size() + j] - centre[j];
    squares += part * part;
  }
  return std::sqrt(squares);
}

double radius_around(const Vector& points, const Vector& centre) {
  double radius = 0;
  for (std::size_t i = 0; i < points.size() / centre.size(); ++i) {
    radius = std::max(radius, distance(points, i, centre));
  }
  return radius;
}

Vector normal_points(std::mt19937_64& random, std::size_t count, std::size_t dimension) {
  std::normal_distribution<double> normal;
  Vector points(count * dimension);
  for (double& coordinate : points) coordinate = normal(random);
  return points;
}

/// The farthest distance is a convex function of the centre: a centre from which no small step
/// helps is the best one.
void expect_smallest(const Vector& points, const Ball& ball, std::mt19937_64& random) {
  const std::size_t dimension = ball.centre.size();
  EXPECT_LE(radius_around(points, ball.centre), ball.radius);
  for (const double step : {1e-3, 1e-5}) {
    for (int attempt = 0; attempt < 300; ++attempt) {
      const Vector direction = normal_points(random, 1, dimension);
      Vector moved = ball.centre;
      for (std::size_t j = 0; j < dimension; ++j) moved[j] += step * ball.radius * direction[j];
      ASSERT_GE(radius_around(points, moved), ball.radius * (1 - 1e-13));
    }
    // The steps that help if any does: towards each point, and away from the nearest ones.
    for (std::size_t i = 0; i < points.size() / dimension; ++i) {
      Vector moved = ball.centre;
      for (std::size_t j = 0; j < dimension; ++j) {
        moved[j] += step * (points[i * dimension + j] - ball.centre[j]);
      }
      ASSERT_GE(radius_around(points, moved), ball.radius * (1 - 1e-13));
    }
  }
}

/// In the plane: the smallest enclosing circle among those through two or three points.
double smallest_circle_by_trial(const Vector& p) {
  const std::size_t count = p.size() / 2;
  double best = std::numeric_limits<double>::infinity();
  const auto consider = [&](const Vector& centre, double radius) {
    if (radius_around(p, centre) <= radius * (1 + 1e-9)) best = std::min(best, radius);
  };
  for (std::size_t a = 0; a < count; ++a) {
    for (std::size_t b = a + 1; b < count; ++b) {
      const Vector middle = {(p[2 * a] + p[2 * b]) / 2, (p[2 * a + 1] + p[2 * b + 1]) / 2};
      consider(middle, distance(p, a, middle));
      for (std::size_t c = b + 1; c < count; ++c) {
        const double bx = p[2 * b] - p[2 * a];
        const double by = p[2 * b + 1] - p[2 * a + 1];
        const double cx = p[2 * c] - p[2 * a];
        const double cy = p[2 * c + 1] - p[2 * a + 1];
        const double area = 2 * (bx * cy - by * cx);
        if (std::abs(area) < 1e-12) continue;
        const double b2 = bx * bx + by * by;
        const double c2 = cx * cx + cy * cy;
        const Vector centre = {p[2 * a] + (cy * b2 - by * c2) / area,
                               p[2 * a + 1] + (bx * c2 - cx * b2) / area};
        consider(centre, distance(p, a, centre));
      }
    }
  }
  return best;
}

TEST(SmallestBall, OfTwoPointsIsCentredBetweenThem) {
  const Ball ball = smallest_ball(Vector{1, 2, 3, 6}, 2);
  EXPECT_EQ(ball.centre, (Vector{2, 4}));
  EXPECT_NEAR(ball.radius, std::sqrt(5.0), 1e-14);
}

TEST(SmallestBall, OfEqualPointsIsThePoint) {
  for (const std::size_t count : {1, 2, 3, 7}) {
    Vector points;
    for (std::size_t i = 0; i < count; ++i) points.insert(points.end(), {0.1, -7.3, 1e9});
    const Ball ball = smallest_ball(points, 3);
    EXPECT_EQ(ball.centre, (Vector{0.1, -7.3, 1e9}));
    EXPECT_EQ(ball.radius, 0);
  }
}

TEST(SmallestBall, InThePlaneMatchesTrialOfAllCircles) {
  std::mt19937_64 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    Vector points = normal_points(random, 2 + random() % 9, 2);
    // Every other time on a coarse grid: repeated, collinear and cocircular points.
    if (trial % 2 == 0) {
      for (double& coordinate : points) coordinate = std::round(2 * coordinate) / 2;
    }
    const Ball ball = smallest_ball(points, 2);
    EXPECT_LE(radius_around(points, ball.centre), ball.radius);
    if (ball.radius > 0) {
      EXPECT_NEAR(ball.radius, smallest_circle_by_trial(points), 1e-9) << "trial " << trial;
    }
  }
}

TEST(SmallestBall, CannotBeImprovedInAnyDimension) {
  std::mt19937_64 random(2);
  for (const std::size_t dimension : {1, 3, 10, 50}) {
    for (const std::size_t count : {3, 11, 60, 300}) {
      SCOPED_TRACE(testing::Message() << count << " points, dimension " << dimension);
      const Vector points = normal_points(random, count, dimension);
      expect_smallest(points, smallest_ball(points, dimension), random);
    }
  }
}

TEST(SmallestBall, EnclosesPointsInAPlane) {
  std::mt19937_64 random(3);
  for (const std::size_t dimension : {2, 5, 20}) {
    Vector points = normal_points(random, 40, dimension);
    for (std::size_t i = 0; i < points.size(); i += dimension) {
      double mean = 0;
      for (std::size_t j = 0; j < dimension; ++j) mean += points[i + j];
      mean /= static_cast<double>(dimension);
      for (std::size_t j = 0; j < dimension; ++j) points[i + j] -= mean;
    }
    const Ball ball = smallest_ball(points, dimension);
    expect_smallest(points, ball, random);
    double sum = 0;
    for (const double coordinate : ball.centre) sum += coordinate;
    EXPECT_NEAR(sum, 0, 1e-12);  // the centre lies in the plane as well
  }
}

TEST(SmallestBall, EnclosesManyPointsOnOneSphere) {
  std::mt19937_64 random(4);
  Vector cube;
  for (unsigned corner = 0; corner < 256; ++corner) {
    for (unsigned j = 0; j < 8; ++j) cube.push_back(((corner >> j) & 1U) != 0 ? 1.0 : -1.0);
  }
  const Ball ball = smallest_ball(cube, 8);
  EXPECT_NEAR(ball.radius, std::sqrt(8.0), 1e-12);
  Vector simplex(20 * 20, 0.0);
  for (std::size_t i = 0; i < 20; ++i) simplex[i * 20 + i] = 1;
  EXPECT_NEAR(smallest_ball(simplex, 20).radius, std::sqrt(1 - 1.0 / 20), 1e-12);
  expect_smallest(simplex, smallest_ball(simplex, 20), random);
}

TEST(SmallestBall, EnclosesAtAnyScale) {
  std::mt19937_64 random(5);
  for (const double scale : {1e-300, 1e-160, 1e-8, 1e8, 1e150}) {
    for (const std::size_t count : {2, 3, 12}) {
      Vector points = normal_points(random, count, 3);
      const double plain = smallest_ball(points, 3).radius;
      for (double& coordinate : points) coordinate *= scale;
      const Ball ball = smallest_ball(points, 3);
      EXPECT_NEAR(ball.radius / scale, plain, 1e-10 * plain);
      for (double& coordinate : points) coordinate /= ball.radius;
      Vector centre = ball.centre;
      for (double& coordinate : centre) coordinate /= ball.radius;
      EXPECT_LE(radius_around(points, centre), 1 + 1e-14);
    }
  }
}

TEST(SmallestBall, IsFoundFarFromTheOrigin) {
  std::mt19937_64 random(6);
  Vector points = normal_points(random, 30, 4);
  const double plain = smallest_ball(points, 4).radius;
  for (double& coordinate : points) coordinate += 1e6;
  const Ball ball = smallest_ball(points, 4);
  EXPECT_NEAR(ball.radius, plain, 1e-8);
  EXPECT_LE(radius_around(points, ball.centre), ball.radius);
}

TEST(SmallestBall, EnclosesRepeatedPointsOfEverySupport) {
  std::mt19937_64 random(8);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t dimension = 1 + random() % 8;
    Vector points = normal_points(random, 2 + random() % 10, dimension);
    const double once = smallest_ball(points, dimension).radius;
    const Vector copy = points;
    points.insert(points.end(), copy.begin(), copy.end());
    for (const double coordinate : copy) points.push_back(coordinate + 1e-15);
    const Ball ball = smallest_ball(points, dimension);
    EXPECT_NEAR(ball.radius, once, 1e-11) << "trial " << trial;
    EXPECT_LE(radius_around(points, ball.centre), ball.radius);
  }
}

TEST(SmallestBall, EnclosesAnOutlierAndATightCluster) {
  std::mt19937_64 random(7);
  Vector points = normal_points(random, 20, 5);
  for (double& coordinate : points) coordinate *= 1e-7;
  for (std::size_t j = 0; j < 5; ++j) points[j] = 1;
  const Ball ball = smallest_ball(points, 5);
  EXPECT_NEAR(ball.radius, std::sqrt(5.0) / 2, 1e-5);
  expect_smallest(points, ball, random);
}

}  // namespace
}  // namespace dpfermi
