#include "sketch/group_sums.h"

#include <algorithm>
#include <cmath>

namespace dpfermi {
namespace {

/// m x size: the sums over all groups, which are public.
std::vector<double> totals(const Dataset& data, const FairnessSetting& setting,
                           const PublicVectors& vectors) {
  const UnitRows units(data);
  const std::vector<std::uint32_t> condition = setting.condition_by_label();
  std::vector<double> sums(setting.conditions() * vectors.size);
  std::vector<double> v(vectors.size);
  for (std::uint32_t row = 0; row < data.rows(); ++row) {
    const std::size_t c = condition[data.y[row]];
    if (c == setting.conditions()) continue;
    const double weight = units.weight(data.units[row]);
    vectors.write(row, v);
    for (std::size_t j = 0; j < v.size(); ++j) sums[c * v.size() + j] += weight * v[j];
  }
  return sums;
}

/// Moves the blocks of every condition by one vector so that they add up to the totals: the nearest
/// point, in length, of all that the totals allow.
void project(std::span<const double> totals, GroupSums& known) {
  const std::size_t size = known.size;
  for (std::size_t c = 0; c < known.conditions; ++c) {
    double* block = known.sums.data() + c * known.groups * size;
    for (std::size_t j = 0; j < size; ++j) {
      double sum = 0;
      for (std::size_t r = 0; r < known.groups; ++r) sum += block[r * size + j];
      const double step = (totals[c * size + j] - sum) / static_cast<double>(known.groups);
      for (std::size_t r = 0; r < known.groups; ++r) block[r * size + j] += step;
    }
  }
}

}  // namespace

Result<ContributionLayout> group_sums_layout(const FairnessSetting& setting,
                                             const PublicVectors& vectors,
                                             double noise_multiplier) {
  const double radius = std::sqrt(1 - 1 / static_cast<double>(setting.groups));
  return ContributionLayout::create(
      {{setting.conditions() * setting.groups * vectors.size, radius * vectors.bound}},
      ContributionLayout::finest_lattice(noise_multiplier));
}

Result<GroupSums> release_group_sums(const Dataset& data, const FairnessSetting& setting,
                                     const PublicVectors& vectors, Privatizer& privatizer) {
  using Groups = std::vector<std::uint16_t>;
  const UnitRows units(data);
  const std::vector<std::uint32_t> condition = setting.condition_by_label();
  const std::size_t k = setting.groups;
  std::vector<double> v(vectors.size);
  const auto add_row = [&](const Groups& s, std::uint32_t row, double weight,
                           std::span<double> out) {
    const std::size_t c = condition[data.y[row]];
    if (c == setting.conditions()) return;
    vectors.write(row, v);
    for (std::size_t r = 0; r < k; ++r) {
      const double side = weight * ((s[row] == r ? 1.0 : 0.0) - 1 / static_cast<double>(k));
      double* block = out.data() + (c * k + r) * v.size();
      for (std::size_t j = 0; j < v.size(); ++j) block[j] += side * v[j];
    }
  };
  const auto contribution = [&](const Groups& s, std::uint32_t unit, std::span<double> out) {
    if (units.single()) return add_row(s, unit, 1, out);
    for (const std::uint32_t row : units.of(unit)) add_row(s, row, units.weight(unit), out);
  };
  DPFERMI_ASSIGN(
      ClippedSum sum,
      privatizer.sum(data.s, Batch::everyone(static_cast<std::uint32_t>(data.unit_count)),
                     contribution));
  DPFERMI_ASSIGN(const NoisySum noisy, privatizer.release(std::move(sum)));
  const std::span<const double> sums = noisy.segment(0);
  GroupSums known{
      setting.conditions(), k, vectors.size, {sums.begin(), sums.end()}, noisy.noise_stddev(0)};
  project(totals(data, setting, vectors), known);
  return known;
}

}  // namespace dpfermi
