#pragma once

/// The coefficients of the Taylor loss as one list, each monomial once: linear ones, those of
/// w_i w_j with i <= j, and the sums of x by group. For noise on every coefficient.

#include <cstdint>
#include <span>
#include <vector>

#include "baselines/taylor_loss.h"
#include "data/dataset.h"
#include "data/unit_rows.h"

namespace dpfermi {

class Monomials {
 public:
  /// Requires two classes.
  explicit Monomials(const Dataset& data);

  std::size_t size() const;

  /// The l1 norm of a record's coefficients where |[x, 1]|_1 is `length`.
  static double l1_norm(double length) { return length * (1.5 + length / 8); }

  /// What a unit adds: the mean over its rows. `out` is zero.
  void write(const std::vector<std::uint16_t>& s, std::uint32_t unit, std::span<double> out) const;

  /// The loss of sums over all units, where each has noise of standard deviation `noise`.
  TaylorLoss loss(std::span<const double> sums, double noise) const;

 private:
  void add_row(std::uint16_t group, std::uint32_t row, double weight, std::span<double> out) const;
  /// Where the coefficient of w_i w_j is, i <= j.
  std::size_t at(std::size_t i, std::size_t j) const {
    return inputs_ + i * inputs_ - i * (i + 1) / 2 + j;
  }
  std::size_t groups_at() const { return inputs_ + inputs_ * (inputs_ + 1) / 2; }

  const Dataset* data_;
  UnitRows units_;
  std::size_t inputs_;  ///< D
};

}  // namespace dpfermi
