#include "baselines/monomials.h"

#include <algorithm>
#include <utility>

namespace dpfermi {

Monomials::Monomials(const Dataset& data)
    : data_(&data), units_(data), inputs_(data.x.columns() + 1) {}

std::size_t Monomials::size() const {
  return groups_at() + data_->groups * inputs_;
}

void Monomials::write(const std::vector<std::uint16_t>& s, std::uint32_t unit,
                      std::span<double> out) const {
  if (units_.single()) return add_row(s[unit], unit, 1, out);
  for (const std::uint32_t row : units_.of(unit)) add_row(s[row], row, units_.weight(unit), out);
}

void Monomials::add_row(std::uint16_t group, std::uint32_t row, double weight,
                        std::span<double> out) const {
  const HybridMatrix::Row x = data_->x.row(row);
  std::vector<std::pair<std::size_t, double>> entries;
  for (std::size_t j = 0; j < x.numbers.size(); ++j) entries.emplace_back(j, x.numbers[j]);
  for (const std::uint16_t column : x.ones) {
    if (column < data_->x.columns()) entries.emplace_back(column, 1);
  }
  entries.emplace_back(inputs_ - 1, 1);
  const double half = weight * (0.5 - data_->y[row]);
  for (std::size_t a = 0; a < entries.size(); ++a) {
    const auto [i, value] = entries[a];
    out[i] += half * value;
    out[groups_at() + group * inputs_ + i] += weight * value;
    out[at(i, i)] += weight * value * value / 8;
    for (std::size_t b = a + 1; b < entries.size(); ++b) {
      const auto [first, last] = std::minmax(i, entries[b].first);
      out[at(first, last)] += weight * value * entries[b].second / 4;
    }
  }
}

TaylorLoss Monomials::loss(std::span<const double> sums, double noise) const {
  const auto n = static_cast<double>(data_->unit_count);
  TaylorLoss loss{inputs_, std::vector<double>(inputs_), std::vector<double>(inputs_ * inputs_),
                  std::vector<double>(data_->groups * inputs_)};
  for (std::size_t i = 0; i < inputs_; ++i) {
    loss.linear[i] = sums[i] / n;
    loss.quadratic[i * inputs_ + i] = sums[at(i, i)] / n;
    for (std::size_t j = i + 1; j < inputs_; ++j) {
      const double entry = sums[at(i, j)] / (2 * n);
      loss.quadratic[i * inputs_ + j] = loss.quadratic[j * inputs_ + i] = entry;
    }
  }
  for (std::size_t j = 0; j < loss.groups.size(); ++j) loss.groups[j] = sums[groups_at() + j] / n;
  loss.quadratic_noise = noise / (2 * n);
  return loss;
}

}  // namespace dpfermi
