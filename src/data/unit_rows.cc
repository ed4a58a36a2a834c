#include "data/unit_rows.h"

#include <numeric>

namespace dpfermi {

UnitRows::UnitRows(const Dataset& data) {
  if (!data.persons) return;
  starts_.resize(data.unit_count + 1);
  for (const std::uint32_t unit : data.units) ++starts_[unit + 1];
  std::partial_sum(starts_.begin(), starts_.end(), starts_.begin());
  rows_.resize(data.rows());
  std::vector<std::uint32_t> next(starts_.begin(), starts_.end() - 1);
  for (std::uint32_t row = 0; row < data.rows(); ++row) rows_[next[data.units[row]]++] = row;
}

std::span<const std::uint32_t> UnitRows::of_all(std::span<const std::uint32_t> units,
                                                std::vector<std::uint32_t>& storage) const {
  if (single()) return units;
  storage.clear();
  for (const std::uint32_t unit : units) {
    const std::span<const std::uint32_t> own = of(unit);
    storage.insert(storage.end(), own.begin(), own.end());
  }
  return storage;
}

std::vector<double> case_weights(const Dataset& data) {
  if (data.weights.empty()) return std::vector<double>(data.rows(), 1);
  const double sum = std::accumulate(data.weights.begin(), data.weights.end(), 0.0);
  std::vector<double> weights;
  for (const float weight : data.weights) {
    weights.push_back(weight * static_cast<double>(data.rows()) / sum);
  }
  return weights;
}

std::vector<double> loss_weights(const Dataset& data) {
  const UnitRows units(data);
  std::vector<double> weights(data.rows());
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = units.weight(data.units[i]);
  if (data.weights.empty()) return weights;
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] *= data.weights[i];
  const double scale = static_cast<double>(data.unit_count) / sum;
  for (double& weight : weights) weight *= scale;
  return weights;
}

}  // namespace dpfermi
