#pragma once

/// The coefficients of the Taylor loss as one clipped sum for the Gaussian mechanism: what a record
/// adds is the outer product of [x, 1] with (1/2 - y, x/8, e_s). Each of the three blocks is scaled
/// to the length `norm` where |[x, 1]| is `norm`, so that none drowns in the noise of another; the
/// whole is clipped at sqrt(3) norm, whatever the record.

#include <cstdint>
#include <vector>

#include "baselines/taylor_loss.h"
#include "core/outer_products.h"
#include "data/dataset.h"
#include "data/unit_rows.h"
#include "dpfermi/core/result.h"
#include "dpfermi/privacy/mechanism/privatizer.h"

namespace dpfermi {

struct RowBlock;

class TaylorSum {
 public:
  /// Requires two classes.
  TaylorSum(const Dataset& data, double norm);

  Segment segment() const;

  /// Over everybody.
  Result<ClippedSum> clipped_sum(const Privatizer& privatizer);

  /// Un-scaled, over the number of units.
  TaylorLoss loss(const NoisySum& noisy) const;

 private:
  void write(const std::vector<std::uint16_t>& s, RowBlock rows);

  const Dataset* data_;
  UnitRows units_;
  double norm_;
  double quadratic_scale_;
  std::size_t inputs_;  ///< D
  std::size_t width_;   ///< 1 + D + k
  FactorBlock block_;
};

}  // namespace dpfermi
