#pragma once

/// Goodness-of-fit helpers shared by the statistical tests. Seeds are fixed, so a test either
/// always passes or always fails; the stated false-alarm rate is the chance that a *correct*
/// sampler would have failed under the seed chosen, before anybody looked.

#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace dpfermi::statistics {

/// The false-alarm rate of a chi-square test; that of 5 standard errors is 6e-7.
constexpr double kChiSquareAlarm = 1e-6;
constexpr double kStandardErrors = 5;

/// P(chi^2 >= observed) for cell counts against cell probabilities (which sum to one).
inline double chi_square_p(std::span<const std::uint64_t> counts,
                           std::span<const double> probabilities) {
  const auto total = static_cast<double>(std::accumulate(counts.begin(), counts.end(), 0ULL));
  double statistic = 0;
  double pooled_expected = 0;
  double pooled_count = 0;
  int cells = 0;
  const auto add = [&](double expected, double count) {
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  };
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const double expected = total * probabilities[i];
    if (expected < 10) {
      pooled_expected += expected;
      pooled_count += static_cast<double>(counts[i]);
    } else {
      add(expected, static_cast<double>(counts[i]));
    }
  }
  // A pool too thin for the approximation is judged by its Poisson tail instead.
  if (pooled_expected >= 10) {
    add(pooled_expected, pooled_count);
  } else if (pooled_count > 0 && boost::math::gamma_p(pooled_count, pooled_expected) < 1e-9) {
    return 0;
  }
  return cells < 2 ? 1 : boost::math::gamma_q(0.5 * (cells - 1), 0.5 * statistic);
}

inline double uniform_p(std::span<const std::uint64_t> counts) {
  const std::vector<double> even(counts.size(), 1.0 / static_cast<double>(counts.size()));
  return chi_square_p(counts, even);
}

/// Mean and central moments, centred at zero.
struct Moments {
  double mean = 0;
  double second = 0;
  double fourth = 0;

  explicit Moments(std::span<const std::int64_t> draws) {
    for (const std::int64_t draw : draws) {
      const auto value = static_cast<double>(draw);
      mean += value;
      second += value * value;
      fourth += value * value * value * value;
    }
    const auto count = static_cast<double>(draws.size());
    mean /= count;
    second /= count;
    fourth /= count;
  }
};

}  // namespace dpfermi::statistics
