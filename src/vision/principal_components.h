#pragma once

/// The directions in which public features vary most. Channels of a network are many and say much
/// the same; noise is paid for by their number.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dpfermi {

/// Component i of a row x is <direction_i, x> + offset_i: i-th row of `map`, whose last entry is
/// the offset. Offsets make the mean over the fitted rows zero.
struct PrincipalComponents {
  std::size_t inputs = 0;
  std::vector<float> map;  ///< count x (inputs + 1)

  std::size_t count() const { return map.size() / (inputs + 1); }

  /// Appends the components of a row of `inputs` values.
  void append(std::span<const float> row, std::vector<float>& out) const;
};

/// The `count` (or, where there are fewer, all) first components of the first `inputs` values of
/// the given rows of a table (rows x stride), largest variance first.
PrincipalComponents principal_components(std::span<const float> table, std::size_t stride,
                                         std::size_t inputs, std::span<const std::uint32_t> rows,
                                         std::size_t count);

/// Both, on rows that hold the inputs of `first` and then those of `second`.
PrincipalComponents side_by_side(const PrincipalComponents& first,
                                 const PrincipalComponents& second);

}  // namespace dpfermi
