#pragma once

/// From an instance of the plain reference to what the fast path reads, and back.

#include <vector>

#include "data/dataset.h"
#include "model/model_spec.h"
#include "objective/ermi_penalty.h"
#include "objective/reference_problem.h"

namespace dpfermi::reference {

inline std::vector<std::uint16_t> narrow(const std::vector<std::size_t>& values) {
  return {values.begin(), values.end()};
}

/// All inputs are numbers; rounded to floats in the instance as well, so that both see the same.
inline Dataset dataset(Instance& instance) {
  const std::size_t d = instance.model.inputs;
  Dataset data;
  data.x = HybridMatrix(instance.data.rows.size(), d, 0, d);
  for (std::size_t i = 0; i < instance.data.x.size(); ++i) {
    const auto value = static_cast<float>(instance.data.x[i]);
    instance.data.x[i] = value;
    data.x.row(i / d).numbers[i % d] = value;
  }
  data.y = narrow(instance.data.rows.y);
  data.s = Protected(narrow(instance.data.rows.s));
  data.classes = instance.problem.classes;
  data.groups = instance.problem.groups;
  data.unit_count = data.rows();
  for (std::uint32_t i = 0; i < data.rows(); ++i) data.units.push_back(i);
  return data;
}

inline ModelSpec model_spec(const Model& model) {
  return {model.inputs, model.classes, model.hidden};
}

inline FairnessSetting setting(const Problem& problem) {
  return {problem.notion, problem.groups, problem.classes, problem.favourable};
}

/// Exact marginals, with a little for groups without members: the fast path needs p > 0.
inline GroupMarginals positive_marginals(Instance& instance) {
  for (double& p : instance.state.marginals) p = std::max(p, 1e-3);
  return {condition_shares(instance.problem, instance.data.rows), instance.state.marginals};
}

/// The reference keeps a layer as (out x in) and biases, or a row's bias behind it where there is
/// one layer; the fast path as (in + 1) x out.
inline Vector reordered(const Model& model, const Vector& theta, bool to_fast) {
  Vector result(theta.size());
  std::size_t start = 0;
  const bool single = model.hidden.empty();
  for (const LayerShape& layer : model_spec(model).layers()) {
    for (std::size_t o = 0; o < layer.outputs; ++o) {
      for (std::size_t j = 0; j <= layer.inputs; ++j) {
        const std::size_t fast = start + j * layer.outputs + o;
        std::size_t plain = start + o * (layer.inputs + 1) + j;
        if (!single) {
          plain =
              start + (j < layer.inputs ? o * layer.inputs + j : layer.inputs * layer.outputs + o);
        }
        (to_fast ? result[fast] : result[plain]) = theta[to_fast ? plain : fast];
      }
    }
    start += layer.parameters();
  }
  return result;
}

}  // namespace dpfermi::reference
