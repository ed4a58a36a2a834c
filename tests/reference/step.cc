#include "reference/step.h"

#include <algorithm>
#include <cmath>

#include "objective/smallest_ball.h"

namespace dpfermi::reference {
namespace {

/// J^T g: from a gradient in F of one row to one in theta.
Vector from_probabilities(const Problem& problem, const Model& model, const Vector& theta,
                          const Vector& x, const Vector& g) {
  const Vector f = softmax(logits(model, theta, x), problem.tau);
  return theta_gradient(model, theta, x, softmax_pullback(f, problem.tau, g));
}

void add(Vector& total, double factor, const Vector& part) {
  for (std::size_t t = 0; t < total.size(); ++t) total[t] += factor * part[t];
}

/// m x l: the mean probabilities over the rows of the batch that meet c.
Vector batch_mean(const Problem& problem, const Model& model, const Vector& theta, const Data& data,
                  const Batch& batch) {
  Rows rows;
  Vector f;
  for (const std::size_t i : batch) {
    rows.y.push_back(data.rows.y[i]);
    const Vector fi = softmax(logits(model, theta, row(data.x, i, model.inputs)), problem.tau);
    f.insert(f.end(), fi.begin(), fi.end());
  }
  Vector mean = mean_probabilities(problem, rows, f);
  const Vector shares = condition_shares(problem, rows);
  const std::size_t l = problem.classes;
  for (std::size_t c = 0; c < problem.conditions(); ++c) {
    for (std::size_t j = 0; j < l; ++j) {
      if (!(shares[c] > 0)) mean[c * l + j] = 1 / static_cast<double>(l);
    }
  }
  return mean;
}

/// The public part: the loss, - sum_rj W_rj^2 F_j, and what centring took away.
Vector public_theta_gradient(const Problem& problem, const Model& model, const State& state,
                             const Data& data, const Batch& open, const Centring& centring) {
  const std::size_t k = problem.groups;
  const std::size_t l = problem.classes;
  Vector total(state.theta.size(), 0.0);
  for (const std::size_t i : open) {
    const Vector x = row(data.x, i, model.inputs);
    const std::size_t y = data.rows.y[i];
    const Vector loss = cross_entropy_gradient(logits(model, state.theta, x), y);
    add(total, 1, theta_gradient(model, state.theta, x, loss));
    const auto c = problem.condition(y);
    if (!c) continue;
    Vector in_f(l);
    for (std::size_t j = 0; j < l; ++j) {
      in_f[j] = 2 * centring.centre[*c * l + j];
      for (std::size_t r = 0; r < k; ++r) {
        const double wrj = state.w[(*c * k + r) * l + j];
        in_f[j] -= wrj * wrj;
      }
    }
    add(total, problem.lambda * centring.scale[*c],
        from_probabilities(problem, model, state.theta, x, in_f));
  }
  for (double& value : total) value /= static_cast<double>(open.size());
  return total;
}

}  // namespace

Centring centre_contributions(const Problem& problem, const Rows& rows, const State& state) {
  const std::size_t k = problem.groups;
  const std::size_t l = problem.classes;
  const Vector shares = condition_shares(problem, rows);
  const Vector weights = condition_weights(problem, rows);
  Centring result;
  for (std::size_t c = 0; c < problem.conditions(); ++c) {
    Vector b(k * l);
    for (std::size_t r = 0; r < k; ++r) {
      const double root = inverse_root(state.marginals[c * k + r]);
      double mean = 0;
      for (std::size_t j = 0; j < l; ++j) {
        b[r * l + j] = state.w[(c * k + r) * l + j] * root;
        mean += b[r * l + j] / static_cast<double>(l);
      }
      for (std::size_t j = 0; j < l; ++j) b[r * l + j] -= mean;
    }
    const Ball ball = smallest_ball(b, l);
    const double scale = shares[c] > 0 ? weights[c] / shares[c] : 0;
    result.b.insert(result.b.end(), b.begin(), b.end());
    result.centre.insert(result.centre.end(), ball.centre.begin(), ball.centre.end());
    result.scale.push_back(scale);
    result.radius = std::max(result.radius, scale * ball.radius);
  }
  return result;
}

Vector theta_contribution(const Problem& problem, const Model& model, const State& state,
                          const Centring& centring, const Vector& x, std::size_t y, std::size_t s) {
  const std::size_t k = problem.groups;
  const std::size_t l = problem.classes;
  const auto c = problem.condition(y);
  if (!c || centring.radius == 0) return Vector(state.theta.size(), 0.0);
  Vector in_f(l);
  for (std::size_t j = 0; j < l; ++j) {
    in_f[j] = (centring.b[(*c * k + s) * l + j] - centring.centre[*c * l + j]) *
              (centring.scale[*c] / centring.radius);
  }
  return from_probabilities(problem, model, state.theta, x, in_f);
}

Vector table_contribution(const Problem& problem, const Vector& f, std::size_t s) {
  const std::size_t k = problem.groups;
  const std::size_t l = problem.classes;
  Vector v(k * l);
  for (std::size_t r = 0; r < k; ++r) {
    for (std::size_t j = 0; j < l; ++j) {
      v[r * l + j] =
          ((r == s ? 1.0 : 0.0) - 1 / static_cast<double>(k)) * (f[j] - 1 / static_cast<double>(l));
    }
  }
  return v;
}

Vector clip(const Vector& v, double norm) {
  double squares = 0;
  for (const double value : v) squares += value * value;
  const double length = std::sqrt(squares);
  if (length <= norm) return v;
  Vector result = v;
  for (double& value : result) value *= norm / length;
  return result;
}

SecretSums secret_sums(const Problem& problem, const Model& model, const State& state,
                       const Data& data, const Batch& secret, double clip_norm) {
  const std::size_t cells = problem.groups * problem.classes;
  const Centring centring = centre_contributions(problem, data.rows, state);
  SecretSums sums{Vector(state.theta.size(), 0.0), Vector(problem.conditions() * cells, 0.0)};
  for (const std::size_t i : secret) {
    const auto c = problem.condition(data.rows.y[i]);
    if (!c) continue;
    const Vector x = row(data.x, i, model.inputs);
    const Vector u =
        theta_contribution(problem, model, state, centring, x, data.rows.y[i], data.rows.s[i]);
    add(sums.theta, 1, clip(u, clip_norm));
    const Vector f = softmax(logits(model, state.theta, x), problem.tau);
    const Vector v = table_contribution(problem, f, data.rows.s[i]);
    for (std::size_t rj = 0; rj < cells; ++rj) sums.table[*c * cells + rj] += v[rj];
  }
  return sums;
}

Estimates estimate(const Problem& problem, const Model& model, const State& state, const Data& data,
                   const Batch& open, const SecretSums& sums, double q) {
  const std::size_t k = problem.groups;
  const std::size_t l = problem.classes;
  const auto n = static_cast<double>(data.rows.size());
  const Centring centring = centre_contributions(problem, data.rows, state);
  const Vector shares = condition_shares(problem, data.rows);
  const Vector weights = condition_weights(problem, data.rows);

  Estimates result;
  result.theta = public_theta_gradient(problem, model, state, data, open, centring);
  add(result.theta, problem.lambda * 2 * centring.radius / (q * n), sums.theta);
  result.mean = batch_mean(problem, model, state.theta, data, open);
  result.table.resize(state.w.size());
  result.w.resize(state.w.size());
  for (std::size_t c = 0; c < problem.conditions(); ++c) {
    for (std::size_t r = 0; r < k; ++r) {
      const double p = state.marginals[c * k + r];
      for (std::size_t j = 0; j < l; ++j) {
        const std::size_t rj = (c * k + r) * l + j;
        const double mean = result.mean[c * l + j];
        const double centred = shares[c] > 0 ? sums.table[rj] / (q * n * shares[c]) : 0;
        result.table[rj] = centred + mean / static_cast<double>(k) + p / static_cast<double>(l) -
                           1 / static_cast<double>(k * l);
        result.w[rj] = problem.lambda * weights[c] * 2 *
                       (result.table[rj] * inverse_root(p) - state.w[rj] * mean);
      }
    }
  }
  return result;
}

}  // namespace dpfermi::reference
