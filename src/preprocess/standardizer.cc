#include "preprocess/standardizer.h"

#include <fmt/format.h>

#include <cmath>

namespace dpfermi {

Result<Standardizer> fit_standardizer(const std::string& name, const NumericColumn& column,
                                      std::span<const std::uint32_t> rows,
                                      std::optional<std::pair<double, double>> bounds,
                                      Adjacency adjacency) {
  if (bounds) {
    const auto [low, high] = *bounds;
    return Standardizer{(low + high) / 2, (high - low) / 2, bounds, Provenance::kGiven};
  }
  if (!features_are_public(adjacency)) {
    return usage_error(fmt::format(
        "the mean and scale of '{0}' would be read from protected data under adjacency {1}; "
        "declare its range, for example `columns.bounds` '{0}=0:100'",
        name, to_string(adjacency)));
  }
  double count = 0;
  double mean = 0;
  double squares = 0;  // Welford: no cancellation for columns far from zero
  for (const std::uint32_t row : rows) {
    const double value = column.values[row];
    if (std::isnan(value)) continue;
    count += 1;
    const double step = value - mean;
    mean += step / count;
    squares += step * (value - mean);
  }
  const double deviation = count > 0 ? std::sqrt(squares / count) : 0;
  // Rounding can leave a constant column a deviation of a few units in the last place.
  const bool constant = deviation <= 1e-12 * std::abs(mean);
  return Standardizer{mean, constant ? 1 : deviation, std::nullopt, Provenance::kPublic, constant};
}

}  // namespace dpfermi
