#pragma once

/// Curves of error against violation, compared at equal violation.

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

namespace dpfermi::examples {

struct Point {
  double gap = 0;
  double error = 0;
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

}  // namespace dpfermi::examples
