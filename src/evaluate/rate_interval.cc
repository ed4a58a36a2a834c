#include "evaluate/rate_interval.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/special_functions/beta.hpp>
#include <cmath>

namespace dpfermi {
namespace {

/// The deviation of the noise of u * yes + v * no, for disjoint sets of cells.
double deviation(const TableNoise& noise, double u, double yes_cells, double v, double no_cells) {
  const double sum = u * yes_cells + v * no_cells;
  const double variance =
      noise.own * (u * u * yes_cells + v * v * no_cells) - noise.shared * sum * sum;
  return noise.sigma * std::sqrt(std::max(variance, 0.0));
}

double half_width(const Part& part, const TableNoise& noise, double z) {
  if (part.cells == 0) return 0;
  return z * deviation(noise, 1, part.cells, 0, 0) + noise.slack;
}

/// Where `rejects` ends, which is true at `from`, false at `to` and changes once in between.
template <class Rejects>
double end_of(const Rejects& rejects, double from, double to) {
  for (int i = 0; i < 60; ++i) {
    const double middle = (from + to) / 2;
    (rejects(middle) ? from : to) = middle;
  }
  // The side that is rejected: outward.
  return from;
}

/// The values of p that the test keeps. The two one-sided differences are concave in p (sd is
/// convex), so each rejects an interval; what is rejected next to 0 and next to 1 goes.
Interval kept_rates(const Part& yes, const Part& no, const TableNoise& noise, double z) {
  const auto rejects = [&](double p, double side) {
    const double off = (1 - p) * yes.value - p * no.value;
    return side * off > z * deviation(noise, 1 - p, yes.cells, -p, no.cells) + noise.slack;
  };
  Interval kept;
  for (const double side : {1.0, -1.0}) {
    const auto here = [&](double p) { return rejects(p, side); };
    // Everything is rejected: the noise was larger than the interval covers.
    if (here(0) && here(1)) return {};
    if (here(0)) kept.low = end_of(here, 0, 1);
    if (here(1)) kept.high = end_of(here, 1, 0);
  }
  return kept.low <= kept.high ? kept : Interval{};
}

}  // namespace

double two_sided_quantile(double tail) {
  return boost::math::quantile(boost::math::complement(boost::math::normal(), tail / 2));
}

Interval count_interval(const Part& part, const TableNoise& noise, double z) {
  const double width = half_width(part, noise, z);
  return {std::clamp(part.value - width, 0.0, part.most),
          std::clamp(part.value + width, 0.0, part.most)};
}

Interval rate_interval(const Part& yes, const Part& no, const TableNoise& noise, double z,
                       double fewest) {
  if (yes.cells + no.cells == 0 && fewest > 0) {
    const double exact = yes.value / (yes.value + no.value);
    return {exact, exact};
  }
  const Interval kept = kept_rates(yes, no, noise, z);
  if (fewest <= 0) return kept;
  const Interval possible{std::max(0.0, 1 - no.most / fewest), std::min(1.0, yes.most / fewest)};
  const Interval both{std::max(kept.low, possible.low), std::min(kept.high, possible.high)};
  return both.low <= both.high ? both : possible;
}

Interval population_interval(const Part& yes, const Part& no, const TableNoise& noise, double z,
                             double tail) {
  // Counts of records are whole.
  const auto whole = [&](const Part& part) {
    const Interval box = count_interval(part, noise, z);
    return Interval{std::ceil(box.low - 1e-9), std::floor(box.high + 1e-9)};
  };
  const Interval successes = whole(yes);
  const Interval failures = whole(no);
  Interval interval;
  if (successes.low > 0) {
    interval.low = boost::math::ibeta_inv(successes.low, failures.high + 1, tail / 2);
  }
  if (failures.low > 0) {
    interval.high = boost::math::ibetac_inv(successes.high + 1, failures.low, tail / 2);
  }
  return interval;
}

}  // namespace dpfermi
