#include "model/decision_rule.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <numeric>

#include "model/decisions.h"
#include "model/network.h"

namespace dpfermi {
namespace {

bool all_shares(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return value >= 0 && value <= 1; });
}

/// Mixes `value` into `hash`, by the finaliser of SplitMix64.
std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) + 0x9e3779b97f4a7c15;
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9;
  hash = (hash ^ (hash >> 27)) * 0x94d049bb133111eb;
  return hash ^ (hash >> 31);
}

/// Of the parameters as a model file stores them.
std::uint64_t key_of(std::span<const double> theta) {
  std::uint64_t key = theta.size();
  for (const double value : theta) {
    key = mixed(key, std::bit_cast<std::uint32_t>(static_cast<float>(value)));
  }
  return key;
}

std::uint64_t row_hash(std::uint64_t key, const HybridMatrix::Row& row) {
  std::uint64_t hash = key;
  for (const float value : row.numbers) {
    // Adding 0 turns -0 into 0.
    const double rounded = std::nearbyint(static_cast<double>(value) * 4096) + 0.0;
    hash = mixed(hash, std::bit_cast<std::uint64_t>(rounded));
  }
  for (const std::uint16_t column : row.ones) hash = mixed(hash, column);
  return hash;
}

/// A number in [0, 1): the `lane`-th that a hash gives.
double draw(std::uint64_t hash, std::uint64_t lane) {
  return std::ldexp(static_cast<double>(mixed(hash, lane) >> 11), -53);
}

/// The likeliest class of each row, its group's offsets taken off.
std::vector<std::uint16_t> offset_decisions(std::span<const double> offsets,
                                            std::span<const float> scores,
                                            std::span<const std::uint16_t> groups) {
  const std::size_t l = scores.size() / groups.size();
  std::vector<std::uint16_t> decisions(groups.size());
  std::vector<double> left(l);
  for (std::size_t i = 0; i < groups.size(); ++i) {
    for (std::size_t j = 0; j < l; ++j) left[j] = scores[i * l + j] - offsets[groups[i] * l + j];
    decisions[i] = static_cast<std::uint16_t>(std::ranges::max_element(left) - left.begin());
  }
  return decisions;
}

/// What each member decides about each row.
std::vector<std::vector<std::uint16_t>> member_decisions(
    const DecisionRule& rule, const ModelSpec& model, std::span<const double> theta,
    const HybridMatrix& x, std::span<const std::uint16_t> groups, std::span<const float> scores) {
  const Network network(model);
  if (!rule.group_offsets.empty()) {
    assert(groups.size() == x.rows());
    return {offset_decisions(rule.group_offsets, predict(network, theta, x), groups)};
  }
  if (rule.repair) {
    if (!scores.empty()) return repaired_decisions(*rule.repair, x, scores);
    return repaired_decisions(*rule.repair, x, predict(network, theta, x));
  }
  const std::size_t size = model.parameter_count();
  assert(theta.size() == rule.members() * size);
  std::vector<std::vector<std::uint16_t>> members;
  for (std::size_t m = 0; m < rule.members(); ++m) {
    members.push_back(decisions_of(x, network, theta.subspan(m * size, size)));
  }
  return members;
}

}  // namespace

Status check_rule(const DecisionRule& rule, const ModelSpec& model, std::size_t groups) {
  constexpr double kSlack = 1e-6;
  if (!all_shares(rule.weights) || !all_shares(rule.group_table)) {
    return failed("the decision rule holds numbers that are no probabilities; train again");
  }
  const double sum = std::accumulate(rule.weights.begin(), rule.weights.end(), 0.0);
  if (!rule.weights.empty() && std::abs(sum - 1) > kSlack) {
    return failed("the weights of the models do not sum to one; train again");
  }
  const bool tabled = !rule.group_table.empty();
  if (tabled && (model.classes != 2 || rule.group_table.size() != 2 * groups)) {
    return failed("the table of the decision rule does not fit groups and classes; train again");
  }
  const std::vector<double>& offsets = rule.group_offsets;
  const bool fits = offsets.size() == groups * model.classes && !tabled && rule.weights.empty() &&
                    std::ranges::all_of(offsets, [](double value) { return std::isfinite(value); });
  if (!offsets.empty() && !fits) {
    return failed("the offsets of the decision rule do not fit groups and classes; train again");
  }
  if (!rule.repair) return {};
  if (rule.needs_group()) return failed("a repaired model does not look at groups; repair again");
  return check_repair(*rule.repair, model, groups, rule.members());
}

std::vector<float> decision_probabilities(const DecisionRule& rule, const ModelSpec& model,
                                          std::span<const double> theta, std::size_t favourable,
                                          const HybridMatrix& x,
                                          std::span<const std::uint16_t> groups,
                                          std::span<const float> scores) {
  const std::size_t l = model.classes;
  std::vector<double> votes(x.rows() * l);
  const auto members = member_decisions(rule, model, theta, x, groups, scores);
  for (std::size_t m = 0; m < members.size(); ++m) {
    for (std::size_t i = 0; i < x.rows(); ++i) {
      votes[i * l + members[m][i]] += rule.weights.empty() ? 1 : rule.weights[m];
    }
  }
  if (!rule.group_table.empty()) {
    assert(groups.size() == x.rows());
    for (std::size_t i = 0; i < x.rows(); ++i) {
      const double yes = votes[i * l + favourable];
      const double* given = rule.group_table.data() + std::size_t{2} * groups[i];
      votes[i * l + favourable] = (1 - yes) * given[0] + yes * given[1];
      votes[i * l + 1 - favourable] = 1 - votes[i * l + favourable];
    }
  }
  return {votes.begin(), votes.end()};
}

std::vector<std::uint16_t> rule_decisions(const DecisionRule& rule, const ModelSpec& model,
                                          std::span<const double> theta, std::size_t favourable,
                                          const HybridMatrix& x,
                                          std::span<const std::uint16_t> groups,
                                          std::span<const float> scores) {
  std::vector<std::vector<std::uint16_t>> members =
      member_decisions(rule, model, theta, x, groups, scores);
  std::vector<std::uint16_t> decisions = std::move(members[0]);
  if (rule.weights.empty() && rule.group_table.empty()) return decisions;
  const std::uint64_t key =
      key_of(rule.repair ? std::span<const double>(rule.repair->costs) : theta);
  std::vector<std::uint64_t> hashes(x.rows());
  for (std::size_t i = 0; i < x.rows(); ++i) hashes[i] = row_hash(key, x.row(i));
  double above = rule.weights.empty() ? 1 : rule.weights[0];
  for (std::size_t m = 1; m < members.size(); ++m) {
    for (std::size_t i = 0; i < x.rows(); ++i) {
      if (draw(hashes[i], 0) >= above) decisions[i] = members[m][i];
    }
    above += rule.weights[m];
  }
  if (rule.group_table.empty()) return decisions;
  assert(groups.size() == x.rows());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    const std::size_t yes = decisions[i] == favourable ? 1 : 0;
    const bool granted = draw(hashes[i], 1) < rule.group_table[std::size_t{2} * groups[i] + yes];
    decisions[i] = static_cast<std::uint16_t>(granted ? favourable : 1 - favourable);
  }
  return decisions;
}

std::size_t commonest_label(std::span<const std::uint16_t> labels, std::size_t classes,
                            std::span<const float> weights) {
  std::vector<double> counts(classes);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    counts[labels[i]] += weights.empty() ? 1 : weights[i];
  }
  return static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
}

std::vector<double> constant_member(const ModelSpec& model, std::size_t label) {
  std::vector<double> theta(model.parameter_count());
  const std::span<double> biases = std::span(theta).last(model.outputs());
  if (model.classes == 2) {
    biases[0] = label == 1 ? 1 : -1;
  } else {
    biases[label] = 1;
  }
  return theta;
}

}  // namespace dpfermi
