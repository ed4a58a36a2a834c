#include "model/decision_rule.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#include "model/network.h"

namespace dpfermi {
namespace {

bool all_shares(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return value >= 0 && value <= 1; });
}

std::size_t most_likely(std::span<const float> row) {
  return static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
}

/// Adds `weight` to the class that each row of `probabilities` is likeliest to be in.
void add_votes(std::span<const float> probabilities, std::size_t classes, double weight,
               std::span<double> votes) {
  for (std::size_t at = 0; at < votes.size(); at += classes) {
    votes[at + most_likely(probabilities.subspan(at, classes))] += weight;
  }
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
  if (rule.needs_group() && (model.classes != 2 || rule.group_table.size() != 2 * groups)) {
    return failed("the table of the decision rule does not fit groups and classes; train again");
  }
  return {};
}

std::vector<float> decision_probabilities(const DecisionRule& rule, const ModelSpec& model,
                                          std::span<const double> theta, std::size_t favourable,
                                          const HybridMatrix& x,
                                          std::span<const std::uint16_t> groups) {
  const std::size_t l = model.classes;
  const std::size_t size = model.parameter_count();
  assert(theta.size() == rule.members() * size);
  const Network network(model);
  std::vector<double> votes(x.rows() * l);
  for (std::size_t m = 0; m < rule.members(); ++m) {
    add_votes(predict(network, theta.subspan(m * size, size), x), l,
              rule.weights.empty() ? 1 : rule.weights[m], votes);
  }
  if (rule.needs_group()) {
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

}  // namespace dpfermi
