#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace dpfermi {

/// Calls work(count), with a count of at most 16 as a compile-time constant: short loops over the
/// entries of a row are then unrolled and their sums kept in registers.
template <class Work>
void with_fixed_count(std::size_t count, Work&& work) {
  const auto try_all = [&]<std::size_t... kCounts>(std::index_sequence<kCounts...>) {
    return ((count == kCounts && (work(std::integral_constant<std::size_t, kCounts>{}), true)) ||
            ...);
  };
  if (!try_all(std::make_index_sequence<17>{})) work(count);
}

}  // namespace dpfermi
