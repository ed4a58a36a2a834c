#pragma once

#include <span>
#include <vector>

#include "core/outer_products.h"
#include "dpfermi/privacy/mechanism/clipped_sum.h"

namespace dpfermi {

/// One worker's part of a clipped sum.
class PartialSum {
 public:
  explicit PartialSum(const ContributionLayout& layout);

  void add(std::span<const std::int64_t> lattice);

  /// Clips every row of the block to the lattice, in place, and adds the products.
  void add_clipped(FactorBlock& block);

  /// All parts in one; an error when the sum could overflow.
  friend Result<LatticeSum> merge(std::span<PartialSum> parts);

 private:
  void clip(FactorBlock& block) const;
  void flush();

  const ContributionLayout* layout_;
  LatticeSum sum_;
  Status status_;
  ProductSums products_;          ///< sums of few enough rows to be exact in doubles
  std::vector<double> integers_;  ///< the same, of dense entries; between flushes no products
  std::uint64_t rows_ = 0;        ///< in both
};

Result<LatticeSum> merge(std::span<PartialSum> parts);

}  // namespace dpfermi
