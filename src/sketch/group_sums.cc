#include "sketch/group_sums.h"

namespace dpfermi {
namespace {

/// m x blocks x size: the sums over rows, each in the block of its condition that block_of(row)
/// names.
template <class BlockOf>
std::vector<double> sums_in_blocks(const Dataset& data, const FairnessSetting& setting,
                                   const PublicVectors& vectors, std::size_t blocks,
                                   const BlockOf& block_of) {
  const UnitRows units(data);
  const std::vector<std::uint32_t> condition = setting.condition_by_label();
  std::vector<double> sums(setting.conditions() * blocks * vectors.size);
  std::vector<double> v(vectors.size);
  for (std::uint32_t row = 0; row < data.rows(); ++row) {
    const std::size_t c = condition[data.y[row]];
    if (c == setting.conditions()) continue;
    const double weight = units.weight(data.units[row]);
    vectors.write(row, v);
    double* block = sums.data() + (c * blocks + block_of(row)) * v.size();
    for (std::size_t j = 0; j < v.size(); ++j) block[j] += weight * v[j];
  }
  return sums;
}

/// m x size: the sums over all groups, which are public.
std::vector<double> totals(const Dataset& data, const FairnessSetting& setting,
                           const PublicVectors& vectors) {
  return sums_in_blocks(data, setting, vectors, 1, [](std::uint32_t) { return std::size_t{0}; });
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
  return ContributionLayout::placed({setting.conditions(), setting.groups, vectors.size},
                                    vectors.bound,
                                    ContributionLayout::finest_lattice(noise_multiplier));
}

Result<PrivacyEvent> group_sums_event(Adjacency adjacency, std::uint32_t units,
                                      double noise_multiplier) {
  const Sampling everyone{SamplingKind::kEveryone, 1, static_cast<double>(units)};
  return gaussian_event(adjacency, everyone, noise_multiplier, Exchanged::kPlace);
}

Result<GroupSums> release_group_sums(const Dataset& data, const FairnessSetting& setting,
                                     const PublicVectors& vectors, Privatizer& privatizer) {
  const std::vector<std::uint32_t> by_label = setting.condition_by_label();
  std::vector<std::uint32_t> conditions;
  conditions.reserve(data.rows());
  for (const std::uint16_t y : data.y) conditions.push_back(by_label[y]);
  const PlacedRows rows{static_cast<std::uint32_t>(data.unit_count), data.units, conditions};
  DPFERMI_ASSIGN(ClippedSum sum, privatizer.sum_placed(data.s, rows, vectors.write));
  DPFERMI_ASSIGN(const NoisySum noisy, privatizer.release(std::move(sum)));
  const std::span<const double> sums = noisy.segment(0);
  GroupSums known{setting.conditions(),
                  setting.groups,
                  vectors.size,
                  {sums.begin(), sums.end()},
                  noisy.noise_stddev(0)};
  project(totals(data, setting, vectors), known);
  return known;
}

GroupSums exact_group_sums(const Dataset& data, const FairnessSetting& setting,
                           const PublicVectors& vectors, const ExactRead& read) {
  const std::vector<std::uint16_t>& s = read.of(data.s);
  const auto group_of = [&s](std::uint32_t row) { return std::size_t{s[row]}; };
  return {setting.conditions(), setting.groups, vectors.size,
          sums_in_blocks(data, setting, vectors, setting.groups, group_of)};
}

}  // namespace dpfermi
