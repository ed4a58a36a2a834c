#include "optimize/small_groups.h"

#include <numeric>

#include "core/mutant.h"
#include "data/unit_rows.h"

namespace dpfermi {
namespace {

std::vector<std::uint16_t> merging_of(const std::vector<std::uint16_t>& s, const Dataset& data,
                                      const TrainingPlan& plan) {
  const UnitRows rows(data);
  std::vector<double> counts(plan.groups);
  for (std::uint32_t unit = 0; unit < data.unit_count; ++unit) {
    ++counts[s[rows.representative(unit)]];
  }
  return merge_groups(counts, plan.merge_small);
}

}  // namespace

std::vector<std::uint16_t> merge_groups(std::span<const double> counts, std::uint32_t least) {
  std::vector<std::uint16_t> merged(counts.size());
  std::iota(merged.begin(), merged.end(), std::uint16_t{0});
  std::optional<std::uint16_t> first;
  for (std::uint16_t group = 0; group < merged.size(); ++group) {
    if (counts[group] >= least) continue;
    if (!first) first = group;
    merged[group] = *first;
  }
  return merged;
}

Result<std::vector<std::uint16_t>> released_merging(const Dataset& data, const TrainingPlan& plan,
                                                    CountsPrivatizer& privatizer) {
  const UnitRows rows(data);
  DPFERMI_ASSIGN(
      const NoisyCounts noisy,
      privatizer.release(data.s, static_cast<std::uint32_t>(data.unit_count), plan.groups,
                         [&](const std::vector<std::uint16_t>& s, std::uint32_t unit) {
                           return std::size_t{s[rows.representative(unit)]};
                         }));
  if (mutant(Mutant::kMergedByGroups)) return merging_of(ExactForHolder::read(data.s), data, plan);
  const std::vector<double> counts(noisy.values().begin(), noisy.values().end());
  return merge_groups(counts, plan.merge_small);
}

std::vector<std::uint16_t> exact_merging(const Dataset& data, const TrainingPlan& plan,
                                         const ExactRead& read) {
  return merging_of(read.of(data.s), data, plan);
}

Dataset with_merged_groups(const Dataset& data, const std::vector<std::uint16_t>& merged) {
  Dataset changed = data;
  changed.s = data.s.relabelled(merged);
  return changed;
}

}  // namespace dpfermi
