#include "reference/objective.h"

#include <algorithm>
#include <cmath>

namespace dpfermi::reference {
namespace {

/// m: how many rows meet c.
Vector condition_sizes(const Problem& problem, const Rows& rows) {
  Vector sizes(problem.conditions(), 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (const auto c = problem.condition(rows.y[i])) sizes[*c] += 1;
  }
  return sizes;
}

double weighted_sum(const Vector& weights, const Vector& values) {
  double sum = 0;
  for (std::size_t c = 0; c < weights.size(); ++c) sum += weights[c] * values[c];
  return sum;
}

}  // namespace

Vector row(const Vector& matrix, std::size_t i, std::size_t columns) {
  Vector result(columns);
  for (std::size_t j = 0; j < columns; ++j) result[j] = matrix[i * columns + j];
  return result;
}

double inverse_root(double p) {
  return p > 0 ? 1 / std::sqrt(p) : 0;
}

Vector softmax(const Vector& logits, double tau) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  Vector f(logits.size());
  double sum = 0;
  for (std::size_t j = 0; j < logits.size(); ++j) {
    f[j] = std::exp(tau * (logits[j] - largest));
    sum += f[j];
  }
  for (double& value : f) value /= sum;
  return f;
}

Vector softmax_pullback(const Vector& f, double tau, const Vector& g) {
  double mean = 0;
  for (std::size_t j = 0; j < f.size(); ++j) mean += f[j] * g[j];
  Vector result(f.size());
  for (std::size_t j = 0; j < f.size(); ++j) result[j] = tau * f[j] * (g[j] - mean);
  return result;
}

double cross_entropy(const Vector& logits, std::size_t y) {
  const double largest = *std::max_element(logits.begin(), logits.end());
  double sum = 0;
  for (const double logit : logits) sum += std::exp(logit - largest);
  return std::log(sum) + (largest - logits[y]);
}

Vector cross_entropy_gradient(const Vector& logits, std::size_t y) {
  Vector gradient = softmax(logits, 1);
  gradient[y] -= 1;
  return gradient;
}

Vector condition_shares(const Problem& problem, const Rows& rows) {
  Vector shares = condition_sizes(problem, rows);
  for (double& share : shares) share /= static_cast<double>(rows.size());
  return shares;
}

Vector condition_weights(const Problem& problem, const Rows& rows) {
  Vector weights = condition_shares(problem, rows);
  for (double& value : weights) value = value > 0 ? condition_weight(problem.notion, value) : 0;
  return weights;
}

Vector group_marginals(const Problem& problem, const Rows& rows) {
  const std::size_t k = problem.groups;
  const Vector sizes = condition_sizes(problem, rows);
  Vector marginals(problem.conditions() * k, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (const auto c = problem.condition(rows.y[i])) marginals[*c * k + rows.s[i]] += 1 / sizes[*c];
  }
  return marginals;
}

Vector probabilities(const Problem& problem, const Vector& logits) {
  const std::size_t l = problem.classes;
  Vector f(logits.size());
  for (std::size_t i = 0; i < logits.size() / l; ++i) {
    const Vector fi = softmax(row(logits, i, l), problem.tau);
    for (std::size_t j = 0; j < l; ++j) f[i * l + j] = fi[j];
  }
  return f;
}

Vector mean_probabilities(const Problem& problem, const Rows& rows, const Vector& f) {
  const std::size_t l = problem.classes;
  const Vector sizes = condition_sizes(problem, rows);
  Vector mean(problem.conditions() * l, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto c = problem.condition(rows.y[i]);
    if (!c) continue;
    for (std::size_t j = 0; j < l; ++j) mean[*c * l + j] += f[i * l + j] / sizes[*c];
  }
  return mean;
}

Vector joint_probabilities(const Problem& problem, const Rows& rows, const Vector& f) {
  const std::size_t k = problem.groups;
  const std::size_t l = problem.classes;
  const Vector sizes = condition_sizes(problem, rows);
  Vector joint(problem.conditions() * k * l, 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto c = problem.condition(rows.y[i]);
    if (!c) continue;
    for (std::size_t j = 0; j < l; ++j) {
      joint[(*c * k + rows.s[i]) * l + j] += f[i * l + j] / sizes[*c];
    }
  }
  return joint;
}

Vector best_w(const Problem& problem, const Rows& rows, const Vector& f, const Vector& marginals) {
  const std::size_t k = problem.groups;
  const std::size_t l = problem.classes;
  const Vector mean = mean_probabilities(problem, rows, f);
  const Vector joint = joint_probabilities(problem, rows, f);
  Vector w(joint.size(), 0.0);
  for (std::size_t c = 0; c < problem.conditions(); ++c) {
    for (std::size_t r = 0; r < k; ++r) {
      for (std::size_t j = 0; j < l; ++j) {
        if (mean[c * l + j] == 0) continue;
        const std::size_t rj = (c * k + r) * l + j;
        w[rj] = joint[rj] / mean[c * l + j] * inverse_root(marginals[c * k + r]);
      }
    }
  }
  return w;
}

Vector ermi_by_condition(const Problem& problem, const Rows& rows, const Vector& f,
                         const Vector& marginals) {
  const std::size_t k = problem.groups;
  const std::size_t l = problem.classes;
  const Vector sizes = condition_sizes(problem, rows);
  const Vector mean = mean_probabilities(problem, rows, f);
  const Vector joint = joint_probabilities(problem, rows, f);
  Vector result(problem.conditions(), 0.0);
  for (std::size_t c = 0; c < problem.conditions(); ++c) {
    if (sizes[c] == 0) continue;
    result[c] = -1;
    for (std::size_t r = 0; r < k; ++r) {
      for (std::size_t j = 0; j < l; ++j) {
        const double together = joint[(c * k + r) * l + j];
        const double p = marginals[c * k + r];
        if (mean[c * l + j] == 0 || p == 0) continue;
        result[c] += together / mean[c * l + j] * together / p;
      }
    }
  }
  return result;
}

Vector psi_by_condition(const Problem& problem, const Rows& rows, const Vector& f,
                        const Vector& marginals, const Vector& w) {
  const std::size_t k = problem.groups;
  const std::size_t l = problem.classes;
  const Vector sizes = condition_sizes(problem, rows);
  Vector result(problem.conditions(), 0.0);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto c = problem.condition(rows.y[i]);
    if (!c) continue;
    const double root = inverse_root(marginals[*c * k + rows.s[i]]);
    double value = -1;
    for (std::size_t j = 0; j < l; ++j) {
      for (std::size_t r = 0; r < k; ++r) {
        const double wrj = w[(*c * k + r) * l + j];
        value -= wrj * wrj * f[i * l + j];
      }
      value += 2 * w[(*c * k + rows.s[i]) * l + j] * f[i * l + j] * root;
    }
    result[*c] += value / sizes[*c];
  }
  return result;
}

double ermi(const Problem& problem, const Rows& rows, const Vector& f, const Vector& marginals) {
  return weighted_sum(condition_weights(problem, rows),
                      ermi_by_condition(problem, rows, f, marginals));
}

double psi(const Problem& problem, const Rows& rows, const Vector& f, const Vector& marginals,
           const Vector& w) {
  return weighted_sum(condition_weights(problem, rows),
                      psi_by_condition(problem, rows, f, marginals, w));
}

double objective(const Problem& problem, const Rows& rows, const Vector& logits,
                 const Vector& marginals, const Vector& w) {
  double loss = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    loss += cross_entropy(row(logits, i, problem.classes), rows.y[i]);
  }
  const Vector f = probabilities(problem, logits);
  return loss / static_cast<double>(rows.size()) +
         problem.lambda * psi(problem, rows, f, marginals, w);
}

Vector logit_gradient(const Problem& problem, const Rows& rows, const Vector& logits,
                      const Vector& marginals, const Vector& w) {
  const std::size_t k = problem.groups;
  const std::size_t l = problem.classes;
  const auto n = static_cast<double>(rows.size());
  const Vector sizes = condition_sizes(problem, rows);
  const Vector weights = condition_weights(problem, rows);
  const Vector f = probabilities(problem, logits);
  Vector gradient(logits.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const Vector loss = cross_entropy_gradient(row(logits, i, l), rows.y[i]);
    for (std::size_t j = 0; j < l; ++j) gradient[i * l + j] = loss[j] / n;
    const auto c = problem.condition(rows.y[i]);
    if (!c) continue;
    const double root = inverse_root(marginals[*c * k + rows.s[i]]);
    Vector in_f(l, 0.0);  // d psi_c / dF_i, up to the factor 1/n_c
    for (std::size_t j = 0; j < l; ++j) {
      for (std::size_t r = 0; r < k; ++r) {
        const double wrj = w[(*c * k + r) * l + j];
        in_f[j] -= wrj * wrj;
      }
      in_f[j] += 2 * w[(*c * k + rows.s[i]) * l + j] * root;
    }
    const Vector fair = softmax_pullback(row(f, i, l), problem.tau, in_f);
    for (std::size_t j = 0; j < l; ++j) {
      gradient[i * l + j] += problem.lambda * weights[*c] / sizes[*c] * fair[j];
    }
  }
  return gradient;
}

Vector w_gradient(const Problem& problem, const Rows& rows, const Vector& logits,
                  const Vector& marginals, const Vector& w) {
  const std::size_t k = problem.groups;
  const std::size_t l = problem.classes;
  const Vector f = probabilities(problem, logits);
  const Vector weights = condition_weights(problem, rows);
  const Vector mean = mean_probabilities(problem, rows, f);
  const Vector joint = joint_probabilities(problem, rows, f);
  Vector gradient(w.size());
  for (std::size_t c = 0; c < problem.conditions(); ++c) {
    for (std::size_t r = 0; r < k; ++r) {
      for (std::size_t j = 0; j < l; ++j) {
        const std::size_t rj = (c * k + r) * l + j;
        gradient[rj] = problem.lambda * weights[c] * 2 *
                       (joint[rj] * inverse_root(marginals[c * k + r]) - w[rj] * mean[c * l + j]);
      }
    }
  }
  return gradient;
}

}  // namespace dpfermi::reference
