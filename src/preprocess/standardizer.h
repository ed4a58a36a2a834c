#pragma once

/// Numbers, centred and scaled.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "data/column.h"
#include "dpfermi/core/result.h"
#include "dpfermi/privacy/adjacency.h"
#include "privacy/provenance.h"

namespace dpfermi {

/// z = (clamp(v) - centre) / scale. A missing number becomes 0, the centre.
struct Standardizer {
  double centre = 0;
  double scale = 1;
  std::optional<std::pair<double, double>> bounds;  ///< declared range; values outside are clamped
  Provenance provenance = Provenance::kGiven;
  bool constant = false;  ///< all values alike: scale is 1 because 0 would not do

  float apply(double value) const {
    if (std::isnan(value)) return 0;
    if (bounds) value = std::clamp(value, bounds->first, bounds->second);
    return static_cast<float>((value - centre) / scale);
  }
};

/// With declared bounds: the middle and half the width, whatever the data say. Otherwise mean and
/// standard deviation over `rows`, which needs an adjacency that treats features as public. A
/// constant column has scale 1.
Result<Standardizer> fit_standardizer(const std::string& name, const NumericColumn& column,
                                      std::span<const std::uint32_t> rows,
                                      std::optional<std::pair<double, double>> bounds,
                                      Adjacency adjacency);

}  // namespace dpfermi
