#pragma once

/// The objective's side of a step: it speaks outputs of the model, a block of rows at a time, and
/// knows neither parameters nor who reads the result.
///
/// Both the loss and psi are simple in a row's probabilities F: given W, psi adds <v, F> with a
/// vector v that depends on the row's condition and group alone (objective/ermi_penalty.h).
///
/// `width` is the number of outputs of the model: l, or 1 for two classes, where F is kept as
/// F_1 and v as v_1 - v_0.

#include <cstddef>
#include <cstdint>
#include <span>

namespace dpfermi {

/// F_j of one row, as it is kept.
inline double class_probability(std::span<const double> f, std::size_t j) {
  return f.size() > 1 ? f[j] : (j == 1 ? f[0] : 1 - f[0]);
}

/// out += factor v: v has an entry for each class, `out` is as functionals are kept.
inline void add_functional(std::span<const double> v, double factor, std::span<double> out) {
  if (out.size() == 1) {
    out[0] += factor * (v[1] - v[0]);
  } else {
    for (std::size_t j = 0; j < v.size(); ++j) out[j] += factor * v[j];
  }
}

/// F = softmax(tau outputs), rows x width.
void class_probabilities(std::span<const double> outputs, std::size_t width, double tau,
                         std::span<double> f);

/// The same at both sharpnesses that a step needs: f with tau = 1, f_sharp with `tau`.
void class_probabilities(std::span<const double> outputs, std::size_t width, double tau,
                         std::span<double> f, std::span<double> f_sharp);

/// deltas = weight_i d/d(outputs) of the cross-entropy: weight_i (F_i - e_{y_i}).
/// Requires: f made with tau = 1.
void loss_gradient(std::span<const double> f, std::size_t width, std::span<const std::uint16_t> y,
                   std::span<const double> weights, std::span<double> deltas);

/// deltas += weight_i scale d/d(outputs) <v_i, F_i>, where v_i is row which[i] of `functionals`
/// (any number of rows x width; an empty `which` stands for the first, for all) and f was made with
/// sharpness tau.
void add_functional_gradient(std::span<const double> f, std::size_t width, double tau, double scale,
                             std::span<const double> functionals,
                             std::span<const std::uint32_t> which, std::span<const double> weights,
                             std::span<double> deltas);

}  // namespace dpfermi
