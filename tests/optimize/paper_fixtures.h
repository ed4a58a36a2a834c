#pragma once

/// Data sets and plans for tests of the paper's method.

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "data/dataset.h"
#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "optimize/dp_fermi_paper.h"
#include "optimize/group_marginals.h"
#include "optimize/paper_problem.h"
#include "privacy/exact_read.h"
#include "privacy/mechanism/fixtures.h"
#include "reference/model.h"
#include "reference/step.h"

namespace dpfermi::testing_support {

/// The epsilon of `count` such releases under adjacency `sensitive`.
inline double certified(PrivacyEvent::Node node, std::uint64_t count, double delta) {
  return certified_epsilon(event(Adjacency::kSensitive, std::move(node)).times(count), delta)
      .value()
      .upper;
}

/// The rows of a reference problem as a Dataset, each of them `copies` times: persons with that
/// many equal rows.
inline Dataset to_dataset(const reference::Data& rows, std::size_t groups, std::size_t classes,
                          std::size_t copies = 1) {
  const std::size_t n = rows.rows.size();
  const std::size_t d = rows.x.size() / n;
  Dataset data;
  data.x = HybridMatrix(n * copies, d, 0, d);
  std::vector<std::uint16_t> s;
  for (std::size_t row = 0; row < n * copies; ++row) {
    const std::size_t i = row % n;
    for (std::size_t j = 0; j < d; ++j) {
      data.x.row(row).numbers[j] = static_cast<float>(rows.x[i * d + j]);
    }
    data.y.push_back(static_cast<std::uint16_t>(rows.rows.y[i]));
    s.push_back(static_cast<std::uint16_t>(rows.rows.s[i]));
    data.units.push_back(static_cast<std::uint32_t>(i));
  }
  data.s = Protected(std::move(s));
  data.classes = classes;
  data.groups = groups;
  data.unit_count = n;
  data.persons = copies > 1;
  return data;
}

/// The same model in the reference's order: weights (out x in), then biases, layer after layer;
/// without hidden layers out x (in + 1).
inline reference::Vector to_reference(const ModelSpec& spec, const std::vector<double>& theta) {
  reference::Vector result;
  const double* weights = theta.data();
  for (const LayerShape& layer : spec.layers()) {
    reference::Vector biases;
    for (std::size_t out = 0; out < layer.outputs; ++out) {
      for (std::size_t in = 0; in < layer.inputs; ++in) {
        result.push_back(weights[in * layer.outputs + out]);
      }
      const double bias = weights[layer.inputs * layer.outputs + out];
      (spec.hidden.empty() ? result : biases).push_back(bias);
    }
    result.insert(result.end(), biases.begin(), biases.end());
    weights += layer.parameters();
  }
  return result;
}

/// Two groups and two classes; the label follows the features, one of which follows the group.
inline reference::Data biased_rows(std::size_t n, double minority, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform;
  reference::Data data;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t s = static_cast<double>(i) < minority * static_cast<double>(n) ? 1 : 0;
    const double a = normal(random) + (s == 1 ? -0.8 : 0.8);
    const double b = normal(random);
    data.x.insert(data.x.end(), {a, b});
    data.rows.s.push_back(s);
    data.rows.y.push_back(uniform(random) < 1 / (1 + std::exp(-1.5 * a - b)) ? 1 : 0);
  }
  return data;
}

/// What plan_training fills in before it hands over to plan_paper.
inline Result<TrainingPlan> paper_plan(const TrainingRequest& request, const Dataset& data) {
  TrainingPlan plan;
  plan.method = Method::kDpFermiPaper;
  plan.notion = request.notion;
  plan.adjacency = request.adjacency;
  plan.model = {data.x.columns(), data.classes, request.hidden};
  plan.groups = data.groups;
  plan.units = static_cast<std::uint32_t>(data.unit_count);
  plan.lambda = request.lambda.value_or(1);
  const auto n = static_cast<double>(plan.units);
  plan.delta = request.delta.value_or(1 / (n * n));
  plan.spare_steps = request.spare_steps;
  return plan_paper(request, data, plan);
}

/// The same with what follows from the shares of groups.
inline Result<TrainingPlan> settled_plan(const TrainingRequest& request, const Dataset& data) {
  DPFERMI_ASSIGN(TrainingPlan plan, paper_plan(request, data));
  if (plan.lambda == 0) return plan;
  const FairnessSetting setting = fairness_setting(plan);
  return settle_paper(std::move(plan), exact_marginals(data, setting, exact_read()));
}

}  // namespace dpfermi::testing_support
