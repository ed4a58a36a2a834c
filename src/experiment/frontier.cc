#include "experiment/frontier.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dpfermi {

Estimate estimate(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double square = 0;
  for (const double value : values) square += (value - mean) * (value - mean);
  return {mean, count > 1 ? std::sqrt(square / (count - 1) / count) : 0};
}

std::vector<std::size_t> pareto_frontier(std::span<const TradeOffPoint> points) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    return points[a].violation != points[b].violation ? points[a].violation < points[b].violation
                                                      : points[a].error < points[b].error;
  });
  std::vector<std::size_t> best;
  for (const std::size_t i : order) {
    if (best.empty() || points[i].error < points[best.back()].error) best.push_back(i);
  }
  return best;
}

std::optional<Mixture> mixture_at(std::span<const TradeOffPoint> points, double level) {
  const std::vector<std::size_t> best = pareto_frontier(points);
  if (best.empty() || points[best[0]].violation > level) return std::nullopt;
  for (std::size_t i = 1; i < best.size(); ++i) {
    const double low = points[best[i - 1]].violation;
    const double high = points[best[i]].violation;
    if (high > level) return Mixture{best[i - 1], best[i], (level - low) / (high - low)};
  }
  return Mixture{best.back(), best.back(), 0};
}

double slope_at(std::span<const TradeOffPoint> points, const Mixture& mixture) {
  const TradeOffPoint& low = points[mixture.low];
  const TradeOffPoint& high = points[mixture.high];
  return mixture.low == mixture.high ? 0
                                     : (high.error - low.error) / (high.violation - low.violation);
}

}  // namespace dpfermi
