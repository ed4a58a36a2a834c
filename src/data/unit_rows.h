#pragma once

/// The rows of every unit of privacy. Where each row is a unit nothing is stored.

#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.h"

namespace dpfermi {

class UnitRows {
 public:
  explicit UnitRows(const Dataset& data);

  /// Whether units are rows.
  bool single() const { return starts_.empty(); }

  /// The rows of a unit, ascending. Requires !single().
  std::span<const std::uint32_t> of(std::uint32_t unit) const {
    return std::span(rows_).subspan(starts_[unit], starts_[unit + 1] - starts_[unit]);
  }

  /// All rows of these units, one unit after the other; kept in `storage` where units have several.
  std::span<const std::uint32_t> of_all(std::span<const std::uint32_t> units,
                                        std::vector<std::uint32_t>& storage) const;

  /// What one row of a unit counts: a unit counts with the mean over its rows.
  double weight(std::uint32_t unit) const {
    return single() ? 1 : 1 / static_cast<double>(of(unit).size());
  }

  /// The row that stands for a unit where one must: its first. The choice depends on the unit's own
  /// rows alone; its number would not do, as that changes with who else is there.
  std::uint32_t representative(std::uint32_t unit) const { return single() ? unit : of(unit)[0]; }

 private:
  std::vector<std::uint32_t> starts_, rows_;
};

/// The case weights of the rows, one on their mean; all one where the data have none. Requires a
/// positive sum.
std::vector<double> case_weights(const Dataset& data);

/// What the loss of every row counts: a unit with the mean over its rows, times the case weights of
/// the data; one on the mean over units. Requires a positive sum of case weights.
std::vector<double> loss_weights(const Dataset& data);

}  // namespace dpfermi
