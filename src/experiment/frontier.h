#pragma once

/// Curves of error against violation, compared at equal violation.
///
/// Two models can be mixed: a coin decides which one predicts. Error and group rates of a mixture
/// are the mixtures of those of its models, and its violation is at most the mixture of theirs, so
/// straight lines between the points of a curve can be reached, and interpolating along them
/// favours no method.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace dpfermi {

struct Estimate {
  double mean = 0;
  double error = 0;  ///< standard error; 0 for a single value
};

/// Of independent values, at least one.
Estimate estimate(std::span<const double> values);

struct TradeOffPoint {
  double violation = 0;
  double error = 0;

  bool operator==(const TradeOffPoint&) const = default;
};

/// Indices of the points that no other beats in both, by growing violation: their errors fall.
std::vector<std::size_t> pareto_frontier(std::span<const TradeOffPoint> points);

/// Point `low` with probability 1 - share, else `high`.
struct Mixture {
  std::size_t low = 0;
  std::size_t high = 0;
  double share = 0;

  double of(std::span<const double> values) const {
    return (1 - share) * values[low] + share * values[high];
  }
};

/// The mixture of neighbours on the frontier with the violation `level`; above the frontier its
/// last point; none where no point violates less.
std::optional<Mixture> mixture_at(std::span<const TradeOffPoint> points, double level);

/// How fast the error falls along the frontier at a mixture, by violation; 0 at a single point.
double slope_at(std::span<const TradeOffPoint> points, const Mixture& mixture);

}  // namespace dpfermi
