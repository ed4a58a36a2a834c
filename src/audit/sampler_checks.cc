#include "audit/sampler_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/bounds.h"

namespace dpfermi {
namespace {

using Members = std::vector<std::uint32_t>;

std::uint64_t common(const Members& a, const Members& b) {
  std::uint64_t count = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (a[i] == b[j]) ++count;
    const bool advance_a = a[i] <= b[j];
    const bool advance_b = b[j] <= a[i];
    i += advance_a ? 1 : 0;
    j += advance_b ? 1 : 0;
  }
  return count;
}

Check rate_check(std::string attempt, std::uint64_t count, std::uint64_t trials, double rate) {
  const double seen = trials > 0 ? static_cast<double>(count) / static_cast<double>(trials) : rate;
  return {std::move(attempt), fmt::format("rate {:.5f}", rate), fmt::format("rate {:.5f}", seen),
          binomial_p(count, trials, rate), fmt::format("{} trials", trials)};
}

/// |B| within two thirds of a standard deviation of its mean: about half of the time.
Check size_check(const Recording& run) {
  const std::uint64_t n = run.units;
  const double q = run.charged.q;
  const double mean = static_cast<double>(n) * q;
  const double variance = mean * (1 - q);
  const double reach = std::sqrt(variance) * 2 / 3;
  const auto low = static_cast<std::uint64_t>(std::ceil(std::max(0.0, mean - reach)));
  const auto high = static_cast<std::uint64_t>(mean + reach);
  const double share =
      binomial_at_most(high, n, q) - (low == 0 ? 0 : binomial_at_most(low - 1, n, q));
  std::uint64_t inside = 0;
  double squares = 0;
  for (const Members& batch : run.batches) {
    inside += batch.size() >= low && batch.size() <= high ? 1 : 0;
    const double off = static_cast<double>(batch.size()) - mean;
    squares += off * off;
  }
  const auto steps = static_cast<double>(run.batches.size());
  return {"spread of the batch size", fmt::format("variance {:.2f}", variance),
          fmt::format("variance {:.2f}", squares / steps),
          binomial_p(inside, run.batches.size(), share),
          fmt::format("{} of {} batches hold {} to {}, expected {:.1f}", inside, run.batches.size(),
                      low, high, share * steps)};
}

Check unit_check(const Recording& run) {
  std::vector<std::uint64_t> counts(run.units);
  for (const Members& batch : run.batches) {
    for (const std::uint32_t unit : batch) ++counts[unit];
  }
  // A count's p-value is the smaller, the further it is from the mean: the extremes suffice.
  const auto [least, most] = std::ranges::minmax(counts);
  const auto p_value = [&](std::uint64_t count) {
    return binomial_p(count, run.batches.size(), run.charged.q);
  };
  const auto steps = static_cast<double>(run.batches.size());
  return {"every unit alone", fmt::format("rate {:.5f}", run.charged.q),
          fmt::format("rates {:.5f} to {:.5f}", static_cast<double>(least) / steps,
                      static_cast<double>(most) / steps),
          std::min(1.0, run.units * std::min(p_value(least), p_value(most))),
          fmt::format("{} units", run.units)};
}

Check pair_check(const Recording& run) {
  std::uint64_t together = 0;
  for (const Members& batch : run.batches) {
    for (std::size_t i = 1; i < batch.size(); ++i) {
      together += batch[i - 1] % 2 == 0 && batch[i] == batch[i - 1] + 1 ? 1 : 0;
    }
  }
  const std::uint64_t trials = std::uint64_t{run.units / 2} * run.batches.size();
  return rate_check("two units in one batch", together, trials, run.charged.q * run.charged.q);
}

/// Steps are paired off, t with t + lag, each used once.
Check lag_check(const Recording& run, std::uint64_t lag) {
  std::uint64_t both = 0;
  std::uint64_t pairs = 0;
  for (std::size_t block = 0; block + 2 * lag <= run.batches.size(); block += 2 * lag) {
    for (std::size_t t = block; t < block + lag; ++t, ++pairs) {
      both += common(run.batches[t], run.batches[t + lag]);
    }
  }
  return rate_check(fmt::format("one unit in batches {} apart", lag), both, pairs * run.units,
                    run.charged.q * run.charged.q);
}

}  // namespace

std::vector<Check> sampler_checks(const Recording& run) {
  std::uint64_t members = 0;
  for (const Members& batch : run.batches) members += batch.size();
  const std::uint64_t trials = std::uint64_t{run.units} * run.batches.size();
  std::vector<Check> checks = {size_check(run),
                               rate_check("units in a batch", members, trials, run.charged.q),
                               unit_check(run), pair_check(run)};
  const auto epoch = static_cast<std::uint64_t>(std::lround(1 / run.charged.q));
  for (const std::uint64_t lag : {std::uint64_t{1}, std::uint64_t{2}, epoch}) {
    checks.push_back(lag_check(run, lag));
  }
  return checks;
}

std::vector<Check> public_batch_checks(std::span<const BatchPair> steps, double q) {
  std::uint64_t both = 0;
  std::uint64_t open = 0;
  for (const BatchPair& step : steps) {
    both += common(step.open, step.secret);
    open += step.open.size();
  }
  return {rate_check("members of the public batch in the secret one", both, open, q)};
}

}  // namespace dpfermi
