#include "repair/repair_problem.h"

#include <algorithm>

namespace dpfermi {

std::vector<double> cell_shares(const RepairProblem& problem) {
  const std::size_t cells = problem.cells();
  std::vector<double> shares(cells);
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    for (std::size_t cell = 0; cell < cells; ++cell) {
      shares[cell] += problem.weights[i] * problem.joint[i * cells + cell];
    }
  }
  return shares;
}

std::vector<double> decision_weights(const RepairProblem& problem, std::span<const double> mu) {
  const std::size_t l = problem.setting.classes;
  const std::vector<double> shares = cell_shares(problem);
  std::vector<double> weights(mu.size());
  for (std::size_t i = 0; i < mu.size(); ++i) {
    if (shares[i / l] > 0) weights[i] = mu[i] / shares[i / l];
  }
  return weights;
}

std::vector<std::uint16_t> decisions_under(const RepairProblem& problem,
                                           std::span<const double> mu) {
  const std::size_t l = problem.setting.classes;
  const std::size_t cells = problem.cells();
  const std::vector<double> weights = decision_weights(problem, mu);
  std::vector<std::uint16_t> decisions(problem.rows());
  std::vector<double> sums(l);
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    for (std::size_t j = 0; j < l; ++j) {
      sums[j] = problem.costs[i * l + j];
      for (std::size_t cell = 0; cell < cells; ++cell) {
        sums[j] += weights[cell * l + j] * problem.joint[i * cells + cell];
      }
    }
    decisions[i] = static_cast<std::uint16_t>(std::ranges::min_element(sums) - sums.begin());
  }
  return decisions;
}

double expected_cost(const RepairProblem& problem, std::span<const std::uint16_t> decisions) {
  double cost = 0;
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    cost += problem.weights[i] * problem.costs[i * problem.setting.classes + decisions[i]];
  }
  return cost;
}

std::vector<double> expected_rates(const RepairProblem& problem,
                                   std::span<const std::uint16_t> decisions) {
  const std::size_t l = problem.setting.classes;
  const std::size_t cells = problem.cells();
  const std::vector<double> shares = cell_shares(problem);
  std::vector<double> rates(cells * l);
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    for (std::size_t cell = 0; cell < cells; ++cell) {
      rates[cell * l + decisions[i]] += problem.weights[i] * problem.joint[i * cells + cell];
    }
  }
  for (std::size_t i = 0; i < rates.size(); ++i) {
    if (shares[i / l] > 0) rates[i] /= shares[i / l];
  }
  return rates;
}

double expected_violation(const RepairProblem& problem, std::span<const std::uint16_t> decisions) {
  const FairnessSetting& setting = problem.setting;
  const std::vector<double> rates = expected_rates(problem, decisions);
  double largest = 0;
  for (std::size_t c = 0; c < setting.conditions(); ++c) {
    for (std::size_t j = 0; j < setting.classes; ++j) {
      if (!problem.constrained(j)) continue;
      double low = 1;
      double high = 0;
      for (std::size_t cell = c * setting.groups; cell < (c + 1) * setting.groups; ++cell) {
        if (!problem.known[cell]) continue;
        const std::size_t at = cell * setting.classes + j;
        const double rate = std::clamp(rates[at] + problem.offset(at), 0.0, 1.0);
        low = std::min(low, rate);
        high = std::max(high, rate);
      }
      largest = std::max(largest, high - low);
    }
  }
  return largest;
}

}  // namespace dpfermi
