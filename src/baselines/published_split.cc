#include "baselines/published_split.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

namespace dpfermi {

std::vector<std::uint32_t> numpy_permutation(std::uint32_t seed, std::uint32_t n) {
  std::mt19937 engine(seed);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  for (std::uint32_t place = n; place-- > 1;) {
    const std::uint32_t mask = 0xFFFFFFFFU >> std::countl_zero(place);
    std::uint32_t drawn = 0;
    do {
      drawn = static_cast<std::uint32_t>(engine()) & mask;
    } while (drawn > place);
    std::swap(order[place], order[drawn]);
  }
  return order;
}

Result<Split> published_split(std::uint32_t n) {
  if (n < 3) return failed("there are fewer than three rows to split; bring more");
  constexpr std::uint32_t kSeed = 100;
  std::vector<std::uint32_t> order = numpy_permutation(kSeed, n);
  const auto size = static_cast<std::ptrdiff_t>(std::nearbyint(0.75 * n));
  Split split{{order.begin(), order.begin() + size}, {order.begin() + size, order.end()}};
  std::ranges::sort(split.test);
  return split;
}

}  // namespace dpfermi
