#include "objective/smallest_ball.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <optional>

namespace dpfermi {
namespace {

using Vector = std::vector<double>;
using Point = std::span<const double>;

/// Below this, relative to the extent of the points, a length is rounding.
constexpr double kTiny = 1e-12;

double dot(Point a, Point b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

Vector difference(Point a, Point b) {
  Vector result(a.size());
  for (std::size_t j = 0; j < a.size(); ++j) result[j] = a[j] - b[j];
  return result;
}

/// a -= factor * b
void subtract(Vector& a, double factor, const Vector& b) {
  for (std::size_t j = 0; j < a.size(); ++j) a[j] -= factor * b[j];
}

/// |a - b| without overflow or underflow of the squares.
double distance(Point a, Point b) {
  double largest = 0;
  for (std::size_t j = 0; j < a.size(); ++j) largest = std::max(largest, std::abs(a[j] - b[j]));
  if (largest == 0) return 0;
  double squares = 0;
  for (std::size_t j = 0; j < a.size(); ++j) {
    const double part = (a[j] - b[j]) / largest;
    squares += part * part;
  }
  return largest * std::sqrt(squares);
}

class Walk {
 public:
  Walk(std::span<const double> points, std::size_t dimension)
      : dimension_(dimension), points_(points.begin(), points.end()) {}

  Vector centre() {
    // In coordinates where the points lie in a box of size one around the first of them, tolerances
    // have a meaning.
    const Vector origin(points_.begin(), points_.begin() + static_cast<std::ptrdiff_t>(dimension_));
    double extent = 0;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      points_[i] -= origin[i % dimension_];
      extent = std::max(extent, std::abs(points_[i]));
    }
    if (extent == 0) return origin;
    for (double& coordinate : points_) coordinate /= extent;
    walk();
    Vector result = origin;
    for (std::size_t j = 0; j < dimension_; ++j) result[j] += extent * centre_[j];
    return result;
  }

 private:
  std::size_t count() const { return points_.size() / dimension_; }
  Point point(std::size_t i) const { return Point(points_).subspan(i * dimension_, dimension_); }

  void walk() {
    centre_.assign(dimension_, 0.0);
    std::size_t farthest = 0;
    for (std::size_t i = 1; i < count(); ++i) {
      if (distance(point(i), centre_) > distance(point(farthest), centre_)) farthest = i;
    }
    support_ = {farthest};
    // Exact arithmetic ends after finitely many steps; degenerate points and rounding might not.
    const std::size_t limit = 50 * (count() + dimension_);
    for (std::size_t step = 0; step < limit; ++step) {
      const std::optional<Projection> nearest = project_centre();
      if (!nearest) return;
      if (dot(nearest->offset, nearest->offset) > kTiny * kTiny) {
        advance(nearest->offset);
        continue;
      }
      const Vector& weights = nearest->weights;
      const auto least = std::min_element(weights.begin(), weights.end());
      if (*least >= -kTiny) return;
      support_.erase(support_.begin() + (least - weights.begin()));
    }
  }

  /// The point of the support's affine hull that is nearest to the centre.
  struct Projection {
    Vector weights;  ///< as an affine combination of the support
    Vector offset;   ///< as seen from the centre
  };

  /// By orthogonal columns (modified Gram-Schmidt); nothing where rounding made the support
  /// dependent.
  std::optional<Projection> project_centre() const {
    const std::size_t columns = support_.size() - 1;
    std::vector<Vector> basis;
    std::vector<Vector> triangle(columns, Vector(columns, 0.0));  // of the factor R, row by row
    Vector offset = difference(point(support_[0]), centre_);
    Vector target(columns);
    for (std::size_t i = 0; i < columns; ++i) {
      Vector column = difference(point(support_[i + 1]), point(support_[0]));
      for (std::size_t e = 0; e < i; ++e) {
        triangle[e][i] = dot(basis[e], column);
        subtract(column, triangle[e][i], basis[e]);
      }
      triangle[i][i] = std::sqrt(dot(column, column));
      if (triangle[i][i] == 0) return std::nullopt;
      for (double& coordinate : column) coordinate /= triangle[i][i];
      target[i] = -dot(column, offset);
      subtract(offset, -target[i], column);
      basis.push_back(std::move(column));
    }
    Vector weights(columns + 1);
    weights[0] = 1;
    for (std::size_t i = columns; i-- > 0;) {
      double value = target[i];
      for (std::size_t e = i + 1; e < columns; ++e) value -= triangle[i][e] * weights[e + 1];
      weights[i + 1] = value / triangle[i][i];
      weights[0] -= weights[i + 1];
    }
    return Projection{std::move(weights), std::move(offset)};
  }

  /// Moves along `direction`, or as far as the next point that the shrinking ball would lose.
  void advance(const Vector& direction) {
    const Point touching = point(support_[0]);
    const double radius = distance(touching, centre_);
    const double length = std::sqrt(dot(direction, direction));
    double fraction = 1;
    std::optional<std::size_t> met;
    for (std::size_t i = 0; i < count(); ++i) {
      if (std::find(support_.begin(), support_.end(), i) != support_.end()) continue;
      // |centre + t direction - p| = |centre + t direction - touching|, solved for t. A point in
      // the plane of the support never is the first to be lost.
      const double approach = dot(direction, difference(point(i), touching));
      if (approach >= -std::max(kTiny * length, 1e-14)) continue;
      const double gap = distance(point(i), centre_);
      const double t = std::max(0.0, (gap - radius) * (gap + radius) / (2 * approach));
      if (t < fraction) {
        fraction = t;
        met = i;
      }
    }
    for (std::size_t j = 0; j < dimension_; ++j) centre_[j] += fraction * direction[j];
    if (met) support_.push_back(*met);
  }

  std::size_t dimension_;
  Vector points_;                     ///< count x dimension
  Vector centre_;                     ///< equally far from all points of the support
  std::vector<std::size_t> support_;  ///< affinely independent points on the ball
};

}  // namespace

Ball smallest_ball(std::span<const double> points, std::size_t dimension) {
  assert(dimension > 0 && !points.empty() && points.size() % dimension == 0);
  Ball ball;
  if (points.size() == 2 * dimension) {
    ball.centre.resize(dimension);
    for (std::size_t j = 0; j < dimension; ++j) {
      ball.centre[j] = points[j] / 2 + points[dimension + j] / 2;
    }
  } else {
    ball.centre = Walk(points, dimension).centre();
  }
  for (std::size_t i = 0; i < points.size(); i += dimension) {
    ball.radius = std::max(ball.radius, distance(points.subspan(i, dimension), ball.centre));
  }
  // A sum of `dimension` squares and its root are off by less than this many last places.
  const double slack =
      2 * static_cast<double>(dimension + 4) * std::numeric_limits<double>::epsilon();
  if (ball.radius > 0) ball.radius = std::nextafter(ball.radius * (1 + slack), HUGE_VAL);
  return ball;
}

}  // namespace dpfermi
