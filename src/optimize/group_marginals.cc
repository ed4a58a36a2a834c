#include "optimize/group_marginals.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/mutant.h"
#include "data/unit_rows.h"
#include "optimize/training_defaults.h"

namespace dpfermi {
namespace {

/// p_{r|c} from counts by (condition, group), noisy or not: at least `floor` units each. `shares`
/// are empty where labels are secret; pi_c then comes from the counts as well.
GroupMarginals marginals_from(std::span<const double> counts, const FairnessSetting& setting,
                              std::vector<double> shares, double floor) {
  const std::size_t k = setting.groups;
  GroupMarginals marginals{std::move(shares), std::vector<double>(setting.conditions() * k)};
  std::vector<double> totals(setting.conditions());
  double everybody = 0;
  for (std::size_t c = 0; c < totals.size(); ++c) {
    for (std::size_t r = 0; r < k; ++r) totals[c] += std::max(counts[c * k + r], floor);
    for (std::size_t r = 0; r < k; ++r) {
      marginals.groups[c * k + r] = std::max(counts[c * k + r], floor) / totals[c];
    }
    everybody += totals[c];
  }
  if (!marginals.shares.empty()) return marginals;
  // Rows of no condition (equal opportunity) are counted behind the last one.
  if (counts.size() > totals.size() * k) everybody += std::max(counts.back(), floor);
  for (const double total : totals) marginals.shares.push_back(total / everybody);
  return marginals;
}

/// The least count that a released share stands for.
double floor_of(const TrainingPlan& plan) {
  return std::max(defaults::kLeastCount, defaults::kFloor * plan.counts_sigma);
}

}  // namespace

std::vector<double> condition_shares(const Dataset& data, const UnitRows& rows,
                                     const FairnessSetting& setting) {
  const std::vector<std::uint32_t> condition = setting.condition_by_label();
  std::vector<double> sums(setting.conditions() + 1);
  for (std::uint32_t row = 0; row < data.rows(); ++row) {
    sums[condition[data.y[row]]] += rows.weight(data.units[row]);
  }
  sums.pop_back();
  for (double& sum : sums) sum /= static_cast<double>(data.unit_count);
  return sums;
}

Result<GroupMarginals> release_marginals(const Dataset& data, const TrainingPlan& plan,
                                         CountsPrivatizer& privatizer) {
  using Groups = std::vector<std::uint16_t>;
  const UnitRows rows(data);
  const FairnessSetting setting = fairness_setting(plan);
  const std::vector<std::uint32_t> condition = setting.condition_by_label();
  // The last cell is for rows of no condition; where labels are public it is not needed.
  const std::size_t cells = setting.conditions() * setting.groups;
  const auto cell_of = [&](const Groups& s, std::uint32_t unit) {
    const std::uint32_t row = rows.representative(unit);
    const std::size_t c = condition[data.y[row]];
    return c == setting.conditions() ? cells : c * setting.groups + s[row];
  };
  const bool public_labels = features_are_public(plan.adjacency);
  DPFERMI_ASSIGN(const NoisyCounts counts,
                 privatizer.release(data.s, static_cast<std::uint32_t>(data.unit_count),
                                    public_labels ? cells : cells + 1, cell_of));
  std::vector<double> values(counts.values().begin(), counts.values().end());
  if (mutant(Mutant::kExactShares)) {
    values = marginals_of(ExactForHolder::read(data.s), data, setting).groups;
    for (double& value : values) value *= plan.units;
  }
  std::vector<double> shares;
  if (public_labels) shares = condition_shares(data, rows, setting);
  return marginals_from(values, setting, std::move(shares), floor_of(plan));
}

std::vector<double> share_deviations(const TrainingPlan& plan, const GroupMarginals& marginals) {
  std::vector<double> deviations(marginals.groups.size());
  for (std::size_t c = 0; c < marginals.shares.size(); ++c) {
    const double total = std::max(marginals.shares[c] * plan.units, 1.0);
    const std::span shares(marginals.groups.data() + c * plan.groups, plan.groups);
    const auto moves = [&](double share) { return share * total > 1.001 * floor_of(plan); };
    const auto moving = std::ranges::count_if(shares, moves);
    for (std::size_t r = 0; r < shares.size(); ++r) {
      const auto others = static_cast<double>(moving - (moves(shares[r]) ? 1 : 0));
      deviations[c * plan.groups + r] =
          plan.counts_sigma / total * std::hypot(1 - shares[r], std::sqrt(others) * shares[r]);
    }
  }
  return deviations;
}

void mark_known(const TrainingPlan& plan, GroupMarginals& marginals) {
  marginals.known.clear();
  for (std::size_t cell = 0; cell < marginals.groups.size(); ++cell) {
    const double count = marginals.groups[cell] * marginals.shares[cell / plan.groups] * plan.units;
    marginals.known.push_back(count > defaults::kKnown * plan.counts_sigma);
  }
}

GroupMarginals exact_marginals(const Dataset& data, const FairnessSetting& setting,
                               const ExactRead& read) {
  return marginals_of(read.of(data.s), data, setting);
}

GroupMarginals marginals_of(const std::vector<std::uint16_t>& s, const Dataset& data,
                            const FairnessSetting& setting) {
  const UnitRows rows(data);
  const std::vector<std::uint32_t> condition = setting.condition_by_label();
  const std::size_t k = setting.groups;
  GroupMarginals marginals{std::vector<double>(setting.conditions()),
                           std::vector<double>(setting.conditions() * k)};
  for (std::uint32_t row = 0; row < data.rows(); ++row) {
    const std::uint32_t c = condition[data.y[row]];
    if (c == setting.conditions()) continue;
    const double weight = rows.weight(data.units[row]);
    marginals.shares[c] += weight;
    marginals.groups[c * k + s[row]] += weight;
  }
  for (std::size_t i = 0; i < marginals.groups.size(); ++i) {
    const double total = marginals.shares[i / k];
    if (total > 0) marginals.groups[i] /= total;
  }
  for (double& share : marginals.shares) share /= static_cast<double>(data.unit_count);
  return marginals;
}

GroupMarginals positive_marginals(const Dataset& data, const FairnessSetting& setting,
                                  const ExactRead& read) {
  GroupMarginals exact = exact_marginals(data, setting, read);
  for (std::size_t cell = 0; cell < exact.groups.size(); ++cell) {
    exact.groups[cell] *=
        exact.shares[cell / setting.groups] * static_cast<double>(data.unit_count);
  }
  GroupMarginals positive =
      marginals_from(exact.groups, setting, exact.shares, defaults::kLeastCount);
  for (const double count : exact.groups) positive.known.push_back(count > 0);
  return positive;
}

}  // namespace dpfermi
