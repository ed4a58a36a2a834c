#include "experiment/comparison.h"

#include <algorithm>
#include <cmath>

namespace dpfermi {
namespace {

/// The errors of a curve at a level, split by split.
std::optional<std::vector<double>> errors_at(const Curve& curve, double level, ViolationOf rows) {
  const std::vector<TradeOffPoint> means = curve.means(rows);
  const std::optional<Mixture> mixture = mixture_at(means, level);
  if (!mixture) return std::nullopt;
  const CurveModel& low = curve.models[mixture->low];
  const CurveModel& high = curve.models[mixture->high];
  const double slope = slope_at(means, *mixture);
  std::vector<double> errors;
  for (std::size_t i = 0; i < std::min(low.error.size(), high.error.size()); ++i) {
    const double violations[] = {low.violations(rows)[i], high.violations(rows)[i]};
    const double own[] = {low.error[i], high.error[i]};
    const Mixture here{0, 1, mixture->share};
    errors.push_back(here.of(own) + slope * (level - here.of(violations)));
  }
  // Above the frontier there is no way along it: the last point stands for itself.
  if (mixture->low == mixture->high) return low.error;
  return errors;
}

Estimate difference(const std::vector<double>& first, const std::vector<double>& second) {
  if (first.size() == second.size()) {
    std::vector<double> paired;
    for (std::size_t i = 0; i < first.size(); ++i) paired.push_back(first[i] - second[i]);
    return estimate(paired);
  }
  const Estimate a = estimate(first);
  const Estimate b = estimate(second);
  return {a.mean - b.mean, std::hypot(a.error, b.error)};
}

struct Range {
  double low = 0, high = 0;
};

Range frontier_range(const std::vector<TradeOffPoint>& points) {
  const std::vector<std::size_t> best = pareto_frontier(points);
  return {points[best.front()].violation, points[best.back()].violation};
}

bool worse_somewhere(const std::vector<MatchedLevel>& levels) {
  return std::ranges::any_of(levels, [](const MatchedLevel& level) {
    return level.difference.mean > level.difference.error;
  });
}

bool better_somewhere(const std::vector<MatchedLevel>& levels) {
  return std::ranges::any_of(levels, [](const MatchedLevel& level) {
    return level.difference.mean < -level.difference.error;
  });
}

Verdict judge(const Comparison& comparison) {
  if (comparison.levels.empty()) return Verdict::kNone;
  const bool worse = worse_somewhere(comparison.levels);
  const bool better = better_somewhere(comparison.levels);
  if (!worse && !better) return Verdict::kLevel;
  if (better && !worse && comparison.mean_difference < 0) return Verdict::kBetter;
  if (worse && !better && comparison.mean_difference > 0) return Verdict::kWorse;
  return Verdict::kMixed;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::kBetter:
      return "dominates";
    case Verdict::kLevel:
      return "level";
    case Verdict::kMixed:
      return "mixed";
    case Verdict::kWorse:
      return "dominated";
    case Verdict::kOneSplit:
      return "one split: no verdict";
    case Verdict::kNone:
      return "-";
  }
  return "-";
}

std::optional<Estimate> error_at(const Curve& curve, double level, ViolationOf rows) {
  const auto errors = errors_at(curve, level, rows);
  if (!errors) return std::nullopt;
  return estimate(*errors);
}

Comparison compare(const Curve& first, const Curve& second, ViolationOf rows, std::size_t count) {
  Comparison comparison;
  if (first.models.empty() || second.models.empty()) return comparison;
  const Range a = frontier_range(first.means(rows));
  const Range b = frontier_range(second.means(rows));
  comparison.reach = a.low;
  comparison.other_reach = b.low;
  const double low = std::max(a.low, b.low);
  const double width = std::max(a.high, b.high) - low;
  for (std::size_t i = 0; i < count; ++i) {
    // The ends exactly: rounding must not put the first level below the frontier.
    const double level =
        i + 1 == count ? low + width
                       : low + width * static_cast<double>(i) / static_cast<double>(count - 1);
    const auto mine = errors_at(first, level, rows);
    const auto other = errors_at(second, level, rows);
    if (mine && other) comparison.levels.push_back({level, difference(*mine, *other)});
  }
  for (std::size_t i = 1; i < comparison.levels.size(); ++i) {
    const MatchedLevel& left = comparison.levels[i - 1];
    const MatchedLevel& right = comparison.levels[i];
    comparison.area +=
        (right.violation - left.violation) * (left.difference.mean + right.difference.mean) / 2;
  }
  if (!comparison.levels.empty()) {
    comparison.mean_difference =
        width > 0 ? comparison.area / width : comparison.levels.front().difference.mean;
  }
  const bool chance_known =
      std::max(first.models.front().error.size(), second.models.front().error.size()) > 1;
  comparison.verdict = judge(comparison);
  if (!chance_known && !comparison.levels.empty()) comparison.verdict = Verdict::kOneSplit;
  return comparison;
}

std::optional<double> epsilon_needed(const Panel& panel, const std::string& method,
                                     const Curve& reference, ViolationOf rows) {
  std::optional<double> least;
  for (const Curve& curve : panel.curves) {
    if (curve.method != method || !curve.epsilon) continue;
    const Comparison comparison = compare(curve, reference, rows);
    const bool known =
        comparison.verdict != Verdict::kNone && comparison.verdict != Verdict::kOneSplit;
    if (known && !worse_somewhere(comparison.levels) && (!least || *curve.epsilon < *least))
      least = curve.epsilon;
  }
  return least;
}

}  // namespace dpfermi
