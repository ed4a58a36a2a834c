#include "audit/noise_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/math/special_functions/gamma.hpp>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

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

/// The law of y in units of its charged standard deviation, given x.
enum class Law {
  kNormal,
  kSubgaussian,  ///< of a discrete Gaussian (Canonne, Kamath and Steinke 2020)
};

/// Sums for the correlation of pairs (x, y).
class Correlation {
 public:
  explicit Correlation(Law law = Law::kNormal) : law_(law) {}
  void add(double x, double y) {
    products_ += x * y;
    x_squares_ += x * x;
    y_squares_ += y * y;
    ++pairs_;
  }
  /// Without noise there is nothing to correlate, which the variance has told.
  Check check(std::string attempt) const {
    const double both = std::sqrt(x_squares_ * y_squares_);
    return {std::move(attempt), "correlation 0",
            fmt::format("correlation {:.5f}", both > 0 ? products_ / both : 0),
            x_squares_ > 0 ? tail(products_ / std::sqrt(x_squares_)) : 1,
            fmt::format("{} pairs", pairs_)};
  }

 private:
  /// Given x, the sum of x_i y_i over |x| follows the law as well: twice its tail beyond |z|.
  double tail(double z) const {
    return law_ == Law::kNormal ? normal_p(z) : std::min(1.0, 2 * std::exp(-0.5 * z * z));
  }

  Law law_;
  double products_ = 0;
  double x_squares_ = 0;
  double y_squares_ = 0;
  std::uint64_t pairs_ = 0;
};

/// Sums over one entry, or one cell.
struct Squares {
  double sum = 0;
  std::uint64_t draws = 0;
};

template <class Noise>
std::vector<Squares> squares_by_entry(const Noise& releases, double sigma) {
  std::vector<Squares> entries;
  for (const std::vector<std::int64_t>& noise : releases) {
    entries.resize(std::max(entries.size(), noise.size()));
    for (std::size_t i = 0; i < noise.size(); ++i) {
      const double value = static_cast<double>(noise[i]) / sigma;
      entries[i].sum += value * value;
      ++entries[i].draws;
    }
  }
  return entries;
}

/// The size of the noise of the entry that is furthest off; `p_of(sum of squares, draws)`.
template <class P>
Check check_entries(const std::string& attempt, const std::vector<Squares>& entries,
                    const P& p_of) {
  double worst = 1;
  double off = 1;
  std::size_t at = 0;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double p_value = p_of(entries[i].sum, entries[i].draws);
    if (p_value > worst) continue;
    worst = p_value;
    off = std::sqrt(entries[i].sum / static_cast<double>(entries[i].draws));
    at = i;
  }
  return {attempt, "1 x charged", fmt::format("{:.4f} x charged at entry {}", off, at),
          std::min(1.0, worst * static_cast<double>(entries.size())), ""};
}

/// No draw has a probability above 1 / (sqrt(2 pi) sigma) and a trifle.
Check check_presence(const Recording& run) {
  std::uint64_t zeros = 0;
  double draws = 0;
  for (const std::vector<std::int64_t>& noise : run.noise) {
    zeros += static_cast<std::uint64_t>(std::ranges::count(noise, 0));
    draws += static_cast<double>(noise.size());
  }
  return {"entries without noise", "none", fmt::format("{} entries", zeros),
          zeros > 0 ? std::min(1.0, 0.4 * draws / run.sigma()) : 1, ""};
}

/// The mean of exp(-t X^2 / sigma^2) of a discrete Gaussian X.
double square_transform(double sigma, double t) {
  double weighted = 0;
  double all = 0;
  const auto most = static_cast<std::int64_t>(40 * sigma) + 10;
  for (std::int64_t k = -most; k <= most; ++k) {
    const double square = static_cast<double>(k * k) / (sigma * sigma);
    all += std::exp(-0.5 * square);
    weighted += std::exp(-(0.5 + t) * square);
  }
  return weighted / all;
}

/// Twice Chernoff's bound on P of so small, or so large, a sum of squares (over sigma^2) of draws
/// of a discrete Gaussian: exp(t sum) E[exp(-t X^2/sigma^2)]^draws, for the best of a few t. Any t
/// gives a bound, the minimum over all of them as well.
class SquareBound {
 public:
  explicit SquareBound(double sigma) {
    for (const double t : {-0.3, -0.2, -0.12, -0.07, -0.04, -0.02, 0.02, 0.04, 0.07, 0.12, 0.2,
                           0.35, 0.6, 1.0, 2.0, 5.0, 20.0}) {
      exponents_.emplace_back(t, std::log(square_transform(sigma, t)));
    }
  }
  double operator()(double sum, std::uint64_t draws) const {
    double least = 0;
    for (const auto& [t, log_mean] : exponents_) {
      least = std::min(least, t * sum + static_cast<double>(draws) * log_mean);
    }
    return std::min(1.0, 2 * std::exp(least));
  }

 private:
  std::vector<std::pair<double, double>> exponents_;
};

template <class First, class Second>
Check correlate_kinds(const First& first, double first_sigma, const Second& second,
                      double second_sigma, Law law) {
  Correlation kinds(law);
  std::size_t at = 0;
  for (std::size_t i = 0; i < first.noise.size(); ++i) {
    if (i > 0 && first.runs[i] == first.runs[i - 1]) continue;
    while (at < second.runs.size() && second.runs[at] < first.runs[i]) ++at;
    if (at == second.runs.size()) break;
    if (second.runs[at] != first.runs[i]) continue;
    const std::size_t size = std::min(first.noise[i].size(), second.noise[at].size());
    for (std::size_t j = 0; j < size; ++j) {
      kinds.add(static_cast<double>(first.noise[i][j]) / first_sigma,
                static_cast<double>(second.noise[at][j]) / second_sigma);
    }
  }
  return kinds.check("noise of two kinds of releases");
}

}  // namespace

std::vector<Check> noise_checks(const Recording& run) {
  std::vector<double> values;
  std::vector<Check> checks;
  const bool parts = run.segments.size() > 1;
  for (std::size_t segment = 0; segment < run.segments.size(); ++segment) {
    const std::vector<double> own = standardised(run, segment);
    if (parts) checks.push_back(check_variance(segment == 0 ? "theta" : "tables", own));
    values.insert(values.end(), own.begin(), own.end());
  }
  checks.insert(checks.begin(), check_variance("all", values));
  checks.push_back(check_entries("standard deviation of the noise, each entry",
                                 squares_by_entry(run.noise, run.sigma()),
                                 [](double sum, std::uint64_t draws) {
                                   const auto freedom = static_cast<double>(draws);
                                   return chi_square_p(freedom, sum / freedom);
                                 }));
  checks.push_back(check_presence(run));
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
  checks.push_back(steps.check("noise of one release and the next"));
  checks.push_back(entries.check("noise of neighbouring entries"));
  if (parts) checks.push_back(segments.check("noise of theta and of the tables"));
  return checks;
}

Check independence_check(const Recording& first, const Recording& second) {
  Correlation runs;
  for (std::size_t step = 0; step < std::min(first.noise.size(), second.noise.size()); ++step) {
    const std::size_t size = std::min(first.noise[step].size(), second.noise[step].size());
    for (std::size_t i = 0; i < size; ++i) {
      runs.add(static_cast<double>(first.noise[step][i]) / first.sigma(),
               static_cast<double>(second.noise[step][i]) / second.sigma());
    }
  }
  return runs.check("noise of two runs");
}

Check kinds_check(const Recording& first, const Recording& second) {
  return correlate_kinds(first, first.sigma(), second, second.sigma(), Law::kNormal);
}

Check kinds_check(const CountsRecording& first, const Recording& second) {
  return correlate_kinds(first, first.sigma, second, second.sigma(), Law::kNormal);
}

Check kinds_check(const CountsRecording& first, const CountsRecording& second) {
  return correlate_kinds(first, first.sigma, second, second.sigma, Law::kSubgaussian);
}

Check repetition_check(std::span<const Recording* const> recordings) {
  std::vector<std::array<double, 2>> pairs;
  double sigma = std::numeric_limits<double>::infinity();
  for (const Recording* run : recordings) {
    const double own = run->sigma();
    sigma = std::min(sigma, own);
    for (const std::vector<std::int64_t>& noise : run->noise) {
      for (std::size_t i = 1; i < noise.size(); ++i) {
        pairs.push_back({std::abs(static_cast<double>(noise[i - 1])) / own,
                         std::abs(static_cast<double>(noise[i])) / own});
      }
    }
  }
  const auto count = static_cast<double>(pairs.size());
  // The same Gaussian, rounded to two lattices, is off by half a step of each.
  const double apart = 1 / sigma + 1e-13;
  // Entries without noise repeat nothing: another check sees them.
  std::erase_if(pairs, [&](const auto& pair) { return pair[0] <= apart; });
  std::ranges::sort(pairs);
  constexpr std::uint64_t kEnough = 100'000;
  std::uint64_t repeats = 0;
  for (std::size_t i = 0; i < pairs.size() && repeats < kEnough; ++i) {
    for (std::size_t j = i + 1; j < pairs.size() && pairs[j][0] - pairs[i][0] <= apart; ++j) {
      repeats += std::abs(pairs[j][1] - pairs[i][1]) <= apart ? 1 : 0;
    }
  }
  // |N(0, 1)| has a density of at most 0.8: two draws are that close with probability 1.6 apart at
  // most, two pairs with its square, though they may share a draw.
  const double chance = std::min(1.0, 0.5 * count * count * 2.56 * apart * apart);
  return {"noise used twice, whatever its sigma", "never", fmt::format("{} times", repeats),
          repeats > 0 ? chance : 1, fmt::format("{} pairs of draws", count)};
}

std::vector<Check> counts_checks(const CountsRecording& counts) {
  const std::vector<Squares> cells = squares_by_entry(counts.noise, counts.sigma);
  Squares all;
  for (const Squares& cell : cells) {
    all.sum += cell.sum;
    all.draws += cell.draws;
  }
  std::uint64_t positive = 0;
  std::uint64_t nonzero = 0;
  for (const std::vector<std::int64_t>& noise : counts.noise) {
    for (const std::int64_t value : noise) {
      nonzero += value != 0 ? 1 : 0;
      positive += value > 0 ? 1 : 0;
    }
  }
  const auto value = [&](std::size_t table, std::size_t cell) {
    return static_cast<double>(counts.noise[table][cell]) / counts.sigma;
  };
  Correlation tables(Law::kSubgaussian);
  Correlation neighbours(Law::kSubgaussian);
  for (std::size_t table = 0; table < counts.noise.size(); ++table) {
    const std::size_t size = counts.noise[table].size();
    for (std::size_t cell = 1; cell < size; cell += 2) {
      neighbours.add(value(table, cell - 1), value(table, cell));
    }
    if (table % 2 == 0) continue;
    for (std::size_t cell = 0; cell < std::min(size, counts.noise[table - 1].size()); ++cell) {
      tables.add(value(table - 1, cell), value(table, cell));
    }
  }
  const SquareBound bound(counts.sigma);
  const double size = std::sqrt(all.sum / static_cast<double>(all.draws));
  return {
      {"size of the noise of counts, all", "1 x charged", fmt::format("{:.3f} x charged", size),
       bound(all.sum, all.draws), fmt::format("{} draws", all.draws)},
      check_entries("size of the noise of counts, each cell", cells, bound),
      {"sign of the noise of counts", "share 0.500",
       fmt::format("share {:.3f}", static_cast<double>(positive) /
                                       static_cast<double>(std::max<std::uint64_t>(nonzero, 1))),
       binomial_p(positive, nonzero, 0.5), ""},
      tables.check("noise of one table of counts and the next"),
      neighbours.check("noise of neighbouring counts")};
}

}  // namespace dpfermi
