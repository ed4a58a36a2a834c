#pragma once

/// The split of the DP-FERMI authors' experiments, row for row: pandas draws 75 % of the rows by
/// numpy's RandomState(100), whose permutation is re-created here. For comparison with published
/// figures only: it deals rows, not persons, and parts identical ones (data/split.h does neither).

#include <cstdint>
#include <vector>

#include "data/split.h"
#include "dpfermi/core/result.h"

namespace dpfermi {

/// numpy.random.RandomState(seed).permutation(n): MT19937, Fisher-Yates from the last place down,
/// each place drawn from the lowest bits that can hold it, again where they exceed it.
std::vector<std::uint32_t> numpy_permutation(std::uint32_t seed, std::uint32_t n);

/// `train` is the first 75 % (half-way cases to even) of the permutation of seed 100, in that
/// order, because its first row says which group the authors' objective sees; `test` is ascending.
/// Fails where a side would be empty.
Result<Split> published_split(std::uint32_t n);

}  // namespace dpfermi
