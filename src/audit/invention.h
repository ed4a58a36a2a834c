#pragma once

/// Synthetic data: drawn from a seed, the same on every machine.

#include <cstdint>
#include <random>
#include <vector>

#include "audit/audit_case.h"

namespace dpfermi {

/// The largest synthetic number, as the encoder leaves it.
inline constexpr double kLargestNumber = 3;

/// Units of one row each, of two groups and two classes; every label is the first, s is left empty.
Dataset two_by_two(HybridMatrix x);

class Inventor {
 public:
  explicit Inventor(std::uint64_t seed) : engine_(seed) {}

  /// x, y and units of a specification; s is left empty.
  Dataset records(const InventedSpec& spec);

  /// The same in the shape of `data`, none of whose records is read: columns, classes, groups, and
  /// as many records as the adjacency leaves public.
  Dataset records_like(const Dataset& data, const TrainingRequest& request);

  /// One group per unit: r with weight 1 / (1 + r)^2, but one unit alone for the last of several.
  std::vector<std::uint16_t> skewed_groups(const Dataset& data);
  /// One group per unit, all equally likely.
  std::vector<std::uint16_t> coin_groups(const Dataset& data);

 private:
  struct Shape {
    std::uint32_t units;
    std::uint32_t most_rows;
    std::size_t groups, classes, numbers, categories, columns;
    double largest;
  };
  Dataset draw(const Shape& shape, bool persons);

  /// Uniform in [0, below).
  std::uint32_t whole(std::size_t below);
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }

  std::mt19937_64 engine_;
};

}  // namespace dpfermi
