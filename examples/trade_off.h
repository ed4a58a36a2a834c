#pragma once

/// Curves of error against violation, compared at equal violation.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace dpfermi::examples {

struct Point {
  double gap = 0;
  double error = 0;
  double train_gap = 0;
  /// What the gap is the largest of, with signs: rates of group 0 minus rates of group 1.
  std::array<double, 2> differences{};
};

/// A mixture of two models of a curve: model `low` with probability 1 - share, else `high`.
struct Mixture {
  std::size_t low = 0;
  std::size_t high = 0;
  double share = 0;

  double error(std::span<const Point> points) const {
    return (1 - share) * points[low].error + share * points[high].error;
  }
};

/// The points that no other beats in both, by growing gap: their errors fall.
inline std::vector<std::size_t> frontier(std::span<const Point> points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return points[a].gap != points[b].gap ? points[a].gap < points[b].gap
                                          : points[a].error < points[b].error;
  });
  std::vector<std::size_t> best;
  for (const std::size_t i : order) {
    if (best.empty() || points[i].error < points[best.back()].error) best.push_back(i);
  }
  return best;
}

/// The mixture of neighbours on the frontier whose violation is `level`, its last point above; none
/// where no point violates less.
inline std::optional<Mixture> mixture_at(std::span<const Point> points, double level) {
  const std::vector<std::size_t> best = frontier(points);
  if (best.empty() || points[best[0]].gap > level) return std::nullopt;
  for (std::size_t i = 1; i < best.size(); ++i) {
    const Point& low = points[best[i - 1]];
    const Point& high = points[best[i]];
    if (high.gap > level) {
      return Mixture{best[i - 1], best[i], (level - low.gap) / (high.gap - low.gap)};
    }
  }
  return Mixture{best.back(), best.back(), 0};
}

/// A method's points: model after model for each split of the data.
struct Curve {
  std::vector<double> lambdas;
  std::vector<std::vector<Point>> by_split;

  std::vector<Point> column(std::size_t model) const {
    std::vector<Point> points;
    for (const std::vector<Point>& split : by_split) points.push_back(split[model]);
    return points;
  }

  /// Means over splits. A mean of gaps is too large by what few test rows make of no gap at all.
  std::vector<Point> means() const {
    std::vector<Point> means;
    for (std::size_t j = 0; j < lambdas.size(); ++j) {
      Point mean;
      for (const Point& point : column(j)) {
        mean.gap += point.gap / static_cast<double>(by_split.size());
        mean.error += point.error / static_cast<double>(by_split.size());
        mean.train_gap += point.train_gap / static_cast<double>(by_split.size());
        for (std::size_t c = 0; c < mean.differences.size(); ++c) {
          mean.differences[c] += point.differences[c] / static_cast<double>(by_split.size());
        }
      }
      means.push_back(mean);
    }
    return means;
  }

  /// Means over splits, the gap being that of the mean rates: chance differences cancel.
  std::vector<Point> pooled() const {
    std::vector<Point> points = means();
    for (Point& point : points) {
      point.gap = std::max(std::abs(point.differences[0]), std::abs(point.differences[1]));
    }
    return points;
  }

  /// Means over splits, the gap being that on training rows: more rows, less chance.
  std::vector<Point> on_training_rows() const {
    std::vector<Point> points = means();
    for (Point& point : points) point.gap = point.train_gap;
    return points;
  }
};

/// `count` levels from the least gap that both curves reach to the largest that both have.
inline std::vector<double> common_levels(std::span<const Point> a, std::span<const Point> b,
                                         int count) {
  const auto [low_a, high_a] = std::ranges::minmax(a, {}, &Point::gap);
  const auto [low_b, high_b] = std::ranges::minmax(b, {}, &Point::gap);
  const double low = std::max(low_a.gap, low_b.gap);
  const double high = std::min(high_a.gap, high_b.gap);
  std::vector<double> levels;
  for (int i = 0; i < count; ++i) levels.push_back(low + (high - low) * i / (count - 1));
  return levels;
}

}  // namespace dpfermi::examples
