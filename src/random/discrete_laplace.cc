#include "random/discrete_laplace.h"

#include <algorithm>
#include <string>

#include "random/exp_coin.h"

namespace dpfermi {
namespace {

/// Magnitudes are u + t v with u < t and v geometric; the second zero is drawn again.
std::int64_t draw_one(std::uint64_t t, KeyStream& words) {
  constexpr std::uint64_t kReach = DiscreteLaplace::kReach;
  for (;;) {
    const std::uint64_t u = uniform_below(t, words);
    if (!exp_coin([&](std::uint64_t k) { return bernoulli(u, t * k, words); })) continue;
    std::uint64_t v = 0;
    while (v < kReach && coin_of_exp_minus_one(words)) ++v;
    const bool negative = (words.next() & 1) != 0;
    const std::uint64_t magnitude = std::min(u + t * v, t * kReach);
    if (negative && magnitude == 0) continue;
    const auto value = static_cast<std::int64_t>(magnitude);
    return negative ? -value : value;
  }
}

}  // namespace

Result<DiscreteLaplace> DiscreteLaplace::create(std::int64_t scale) {
  if (scale < 1 || scale > kMaxScale) {
    return usage_error("discrete Laplace noise needs a scale from 1 to 2^34, not " +
                       std::to_string(scale));
  }
  return DiscreteLaplace(static_cast<std::uint64_t>(scale));
}

Status DiscreteLaplace::draw(KeyStream& stream, std::span<std::int64_t> draws) const {
  for (std::int64_t& draw : draws) draw = draw_one(scale_, stream);
  return stream.status();
}

}  // namespace dpfermi
