#include "audit/pure_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/bounds.h"

namespace dpfermi {
namespace {

/// A count that is claimed to be binomial.
Check share_check(std::string attempt, std::uint64_t count, std::uint64_t trials, double share) {
  const double seen = trials > 0 ? static_cast<double>(count) / static_cast<double>(trials) : 0;
  return {std::move(attempt), fmt::format("share {:.4f}", share), fmt::format("share {:.4f}", seen),
          trials > 0 ? binomial_p(count, trials, share) : 1, fmt::format("{} draws", trials)};
}

/// P(X <= k) of the discrete Laplace law, P(k) proportional to q^|k|, q = exp(-1/scale).
double laplace_below(std::int64_t k, double scale) {
  const double one_plus_q = 1 + std::exp(-1 / scale);
  const auto power = [&](double exponent) { return std::exp(-exponent / scale) / one_plus_q; };
  const auto at = static_cast<double>(k);
  return k < 0 ? power(-at) : 1 - power(at + 1);
}

/// The largest distance between the distribution functions at and just below every draw.
Check distribution_check(std::vector<std::int64_t> values, double scale) {
  std::ranges::sort(values);
  const auto size = static_cast<double>(values.size());
  double distance = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto first = std::lower_bound(values.begin(), values.end(), values[i]);
    const auto last = std::upper_bound(first, values.end(), values[i]);
    const auto below = static_cast<double>(first - values.begin());
    const auto at_most = static_cast<double>(last - values.begin());
    distance = std::max({distance, std::abs(laplace_below(values[i], scale) - at_most / size),
                         std::abs(laplace_below(values[i] - 1, scale) - below / size)});
  }
  return {"distribution of the noise",
          "distance 0 from the Laplace law",
          fmt::format("distance {:.5f}", distance),
          std::min(1.0, 2 * std::exp(-2 * size * distance * distance)),
          {}};
}

}  // namespace

std::vector<Check> laplace_checks(const LaplaceDraws& draws) {
  const auto edge = static_cast<std::int64_t>(std::log(2.0) * draws.scale);
  std::uint64_t inside = 0;
  std::uint64_t positive = 0;
  std::uint64_t nonzero = 0;
  std::uint64_t pairs = 0;
  std::uint64_t alike = 0;
  for (std::size_t i = 0; i < draws.noise.size(); ++i) {
    const std::int64_t noise = draws.noise[i];
    inside += std::abs(noise) <= edge ? 1 : 0;
    nonzero += noise != 0 ? 1 : 0;
    positive += noise > 0 ? 1 : 0;
    if (i % 2 == 0 || noise == 0 || draws.noise[i - 1] == 0) continue;
    ++pairs;
    alike += (noise > 0) == (draws.noise[i - 1] > 0) ? 1 : 0;
  }
  const double within = laplace_below(edge, draws.scale) - laplace_below(-edge - 1, draws.scale);
  return {share_check("size of the noise: within its median", inside, draws.noise.size(), within),
          share_check("sign of the noise", positive, nonzero, 0.5),
          distribution_check(draws.noise, draws.scale),
          share_check("signs of neighbouring entries alike", alike, pairs, 0.5)};
}

std::vector<Check> answer_checks(const Answers& answers) {
  const auto others = static_cast<double>(answers.choices - 1);
  const double keep = 1 / (1 + others * std::exp(-answers.epsilon));
  std::uint64_t kept = 0;
  std::uint64_t both = 0;
  std::uint64_t next = 0;  // wrong answers that name the next group
  for (std::size_t i = 0; i < answers.truth.size(); ++i) {
    const bool own = answers.given[i] == answers.truth[i];
    kept += own ? 1 : 0;
    both += i % 2 == 1 && own && answers.given[i - 1] == answers.truth[i - 1] ? 1 : 0;
    next += answers.given[i] == (answers.truth[i] + 1U) % answers.choices ? 1 : 0;
  }
  const std::uint64_t trials = answers.truth.size();
  return {share_check("answers that are true", kept, trials, keep),
          share_check("neighbours who both tell the truth", both, trials / 2, keep * keep),
          share_check("wrong answers that name the next group", next, trials - kept, 1 / others)};
}

}  // namespace dpfermi
