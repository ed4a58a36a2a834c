#pragma once

/// What is not zero in a row, for loops over many rows.

#include <cstdint>

#include "sketch/feature_map.h"

namespace dpfermi {

/// Calls visit(column, value) for the entries of a row of x.
template <class Visit>
void for_entries(const HybridMatrix& x, std::size_t i, const Visit& visit) {
  const HybridMatrix::Row row = x.row(i);
  for (std::size_t j = 0; j < row.numbers.size(); ++j) visit(j, double{row.numbers[j]});
  for (const std::uint16_t column : row.ones) {
    if (column < x.columns()) visit(column, 1.0);
  }
}

/// Calls visit(coordinate, value) for the entries of phi.
template <class Visit>
void for_phi(const SketchFeatures& features, std::size_t i, const Visit& visit) {
  const double t = features.factor(i);
  const std::size_t columns = features.x().columns();
  for_entries(features.x(), i, [&](std::size_t j, double value) { visit(j, t * value); });
  const std::span<const float> extra = features.extra(i);
  for (std::size_t j = 0; j < extra.size(); ++j) visit(columns + j, t * extra[j]);
  visit(features.size() - 1, features.spec().kappa);
}

}  // namespace dpfermi
