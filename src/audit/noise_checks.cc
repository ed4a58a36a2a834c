#include "audit/noise_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <numbers>

#include "audit/bounds.h"

namespace dpfermi {
namespace {

/// Segment `segment` of every release, in units of the charged standard deviation.
std::vector<double> standardised(const Recording& run, std::size_t segment) {
  std::size_t start = 0;
  for (std::size_t i = 0; i < segment; ++i) start += run.segments[i];
  std::vector<double> values;
  values.reserve(run.noise.size() * run.segments[segment]);
  for (const std::vector<std::int64_t>& noise : run.noise) {
    for (std::size_t i = start; i < start + run.segments[segment]; ++i) {
      values.push_back(static_cast<double>(noise[i]) / run.sigma());
    }
  }
  return values;
}

/// P of a chi-square of `freedom` as far from its mean as `ratio` times it, or further: twice the
/// tail. Far out, where the incomplete gamma function gives up, its bound by Chernoff.
double chi_square_p(double freedom, double ratio) {
  const double bound = 2 * std::exp(-0.5 * freedom * (ratio - 1 - std::log(ratio)));
  if (!(bound > 1e-30)) return bound;
  const double tail = std::min(boost::math::gamma_p(0.5 * freedom, 0.5 * freedom * ratio),
                               boost::math::gamma_q(0.5 * freedom, 0.5 * freedom * ratio));
  return std::min(1.0, 2 * tail);
}

Check check_variance(const std::string& what, std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  const auto draws = static_cast<double>(values.size());
  return {"standard deviation of the noise, " + what, "1 x charged",
          fmt::format("{:.4f} x charged", std::sqrt(sum / draws)), chi_square_p(draws, sum / draws),
          fmt::format("{} draws", values.size())};
}

Check check_mean(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  const double root = std::sqrt(static_cast<double>(values.size()));
  return {"mean of the noise",
          "0",
          fmt::format("{:.4f} sigma", sum / (root * root)),
          normal_p(sum / root),
          {}};
}

/// The largest distance between the distribution functions, seen and claimed.
Check check_distribution(std::vector<double> values) {
  std::ranges::sort(values);
  const auto size = static_cast<double>(values.size());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double claimed = 0.5 * std::erfc(-values[i] / std::numbers::sqrt2);
    const auto below = static_cast<double>(i);
    distance = std::max({distance, claimed - below / size, (below + 1) / size - claimed});
  }
  return {"distribution of the noise",
          "distance 0 from the Gaussian",
          fmt::format("distance {:.5f}", distance),
          std::min(1.0, 2 * std::exp(-2 * size * distance * distance)),
          {}};
}

/// Each of the last bits is a fair coin: the charged standard deviation is so many lattice steps
/// that no probability is off by more than 1e-12.
Check check_last_bits(const Recording& run) {
  constexpr std::size_t kBits = 8;
  std::array<std::uint64_t, kBits> ones{};
  std::uint64_t draws = 0;
  for (const std::vector<std::int64_t>& noise : run.noise) {
    draws += noise.size();
    for (const std::int64_t value : noise) {
      for (std::size_t bit = 0; bit < kBits; ++bit) {
        ones[bit] += static_cast<std::uint64_t>(value) >> bit & 1U;
      }
    }
  }
  double p_value = 1;
  double worst = 0;
  for (const std::uint64_t count : ones) {
    p_value = std::min(p_value, kBits * binomial_p(count, draws, 0.5));
    const double share = static_cast<double>(count) / static_cast<double>(draws);
    worst = std::max(worst, std::abs(share - 0.5));
  }
  return {"last 8 bits of the lattice",
          "each set in half of the draws",
          fmt::format("at most {:.5f} off", worst),
          p_value,
          {}};
}

/// Sums for the correlation of pairs (x, y).
class Correlation {
 public:
  void add(double x, double y) {
    products_ += x * y;
    x_squares_ += x * x;
    y_squares_ += y * y;
    ++pairs_;
  }
  /// Requires y standard normal given x. Without noise there is nothing to correlate, which the
  /// variance has told.
  Check check(std::string attempt) const {
    const double both = std::sqrt(x_squares_ * y_squares_);
    return {std::move(attempt), "correlation 0",
            fmt::format("correlation {:.5f}", both > 0 ? products_ / both : 0),
            x_squares_ > 0 ? normal_p(products_ / std::sqrt(x_squares_)) : 1,
            fmt::format("{} pairs", pairs_)};
  }

 private:
  double products_ = 0;
  double x_squares_ = 0;
  double y_squares_ = 0;
  std::uint64_t pairs_ = 0;
};

}  // namespace

std::vector<Check> noise_checks(const Recording& run) {
  std::vector<double> values;
  std::vector<Check> checks;
  for (std::size_t segment = 0; segment < run.segments.size(); ++segment) {
    const std::vector<double> own = standardised(run, segment);
    checks.push_back(check_variance(segment == 0 ? "theta" : "tables", own));
    values.insert(values.end(), own.begin(), own.end());
  }
  checks.insert(checks.begin(), check_variance("all", values));
  checks.push_back(check_mean(values));
  checks.push_back(check_distribution(std::move(values)));
  checks.push_back(check_last_bits(run));

  const auto value = [&](std::size_t step, std::size_t entry) {
    return static_cast<double>(run.noise[step][entry]) / run.sigma();
  };
  Correlation steps;
  Correlation entries;
  Correlation segments;
  for (std::size_t step = 0; step < run.noise.size(); ++step) {
    const std::size_t size = run.noise[step].size();
    for (std::size_t i = 0; step % 2 == 1 && i < size; ++i) {
      steps.add(value(step - 1, i), value(step, i));
    }
    for (std::size_t i = 1; i < size; i += 2) entries.add(value(step, i - 1), value(step, i));
    const std::size_t first = run.segments[0];
    for (std::size_t i = 0; i < std::min(first, size - first); ++i) {
      segments.add(value(step, i), value(step, first + i));
    }
  }
  checks.push_back(steps.check("noise of one step and the next"));
  checks.push_back(entries.check("noise of neighbouring entries"));
  checks.push_back(segments.check("noise of theta and of the tables"));
  return checks;
}

std::vector<Check> independence_checks(const Recording& first, const Recording& second) {
  Correlation runs;
  std::vector<std::array<std::int64_t, 2>> pairs;
  for (const Recording* run : {&first, &second}) {
    for (const std::vector<std::int64_t>& noise : run->noise) {
      for (std::size_t i = 1; i < noise.size(); ++i) pairs.push_back({noise[i - 1], noise[i]});
    }
  }
  for (std::size_t step = 0; step < std::min(first.noise.size(), second.noise.size()); ++step) {
    const std::size_t size = std::min(first.noise[step].size(), second.noise[step].size());
    for (std::size_t i = 0; i < size; ++i) {
      runs.add(static_cast<double>(first.noise[step][i]) / first.sigma(),
               static_cast<double>(second.noise[step][i]) / second.sigma());
    }
  }
  std::ranges::sort(pairs);
  std::uint64_t repeats = 0;
  for (std::size_t i = 1; i < pairs.size(); ++i) repeats += pairs[i] == pairs[i - 1] ? 1 : 0;
  // No value has a probability above 1 / (sqrt(2 pi) sigma) + a trifle, so two draws agree with at
  // most that, and two pairs with its square, though they share a draw: sum_k p_k^3 <= max p_k^2.
  const double sigma = std::min(first.sigma(), second.sigma());
  const double agree = 0.4 / sigma;
  const auto count = static_cast<double>(pairs.size());
  const double chance = std::min(1.0, 0.5 * count * count * agree * agree);
  return {runs.check("noise of two runs"),
          {"noise used twice", "never", fmt::format("{} times", repeats), repeats > 0 ? chance : 1,
           fmt::format("{} pairs of draws", pairs.size())}};
}

std::vector<Check> counts_checks(std::span<const Recording> runs) {
  std::uint64_t draws = 0;
  std::uint64_t inside = 0;
  std::uint64_t positive = 0;
  std::uint64_t nonzero = 0;
  Correlation with_steps;
  const double sigma = runs.empty() ? 1 : runs[0].counts_sigma;
  const auto edge = static_cast<std::int64_t>(0.6745 * sigma);
  for (const Recording& run : runs) {
    for (std::size_t i = 0; i < run.counts_noise.size(); ++i) {
      const std::int64_t noise = run.counts_noise[i];
      ++draws;
      inside += std::abs(noise) <= edge ? 1 : 0;
      nonzero += noise != 0 ? 1 : 0;
      positive += noise > 0 ? 1 : 0;
      if (!run.noise.empty() && i < run.noise[0].size()) {
        with_steps.add(static_cast<double>(noise),
                       static_cast<double>(run.noise[0][i]) / run.sigma());
      }
    }
  }
  double central = 0;
  double all = 0;
  const auto most = static_cast<std::int64_t>(40 * sigma) + 10;
  for (std::int64_t k = -most; k <= most; ++k) {
    const double mass = std::exp(-0.5 * static_cast<double>(k * k) / (sigma * sigma));
    all += mass;
    if (std::abs(k) <= edge) central += mass;
  }
  const double share = central / all;
  return {
      {fmt::format("size of the noise of counts: within {}", edge),
       fmt::format("share {:.3f}", share),
       fmt::format("share {:.3f}", static_cast<double>(inside) / static_cast<double>(draws)),
       binomial_p(inside, draws, share), fmt::format("{} draws", draws)},
      {"sign of the noise of counts",
       "share 0.500",
       fmt::format("share {:.3f}", static_cast<double>(positive) /
                                       static_cast<double>(std::max<std::uint64_t>(nonzero, 1))),
       binomial_p(positive, nonzero, 0.5),
       {}},
      with_steps.check("noise of counts and of the first step")};
}

}  // namespace dpfermi
