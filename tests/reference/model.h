#pragma once

/// The models in plain loops: logits of one row, and the gradient in theta that belongs to a
/// gradient in its logits.
///
/// With l > 2 classes a model has l outputs, the logits. With l = 2 it has one output v, and the
/// logits are (0, v): class 1 has probability sigmoid(v).

#include <cstddef>
#include <vector>

#include "reference/objective.h"

namespace dpfermi::reference {

/// Softmax regression where `hidden` is empty; otherwise tanh layers of these widths and a linear
/// one.
struct Model {
  std::size_t inputs = 0;           ///< d
  std::vector<std::size_t> hidden;  ///< width of each hidden layer
  std::size_t classes = 2;          ///< l

  std::size_t outputs() const { return classes == 2 ? 1 : classes; }
};

/// The length of theta. Regression: outputs x (d + 1), the bias last in its row. Otherwise layer
/// after layer: weights (out x in), then biases (out).
std::size_t parameter_count(const Model& model);

/// l: z(theta, x) for one row x (d).
Vector logits(const Model& model, const Vector& theta, const Vector& x);

/// (dz/dtheta)^T g for one row x (d) and a gradient g (l) in its logits.
Vector theta_gradient(const Model& model, const Vector& theta, const Vector& x, const Vector& g);

/// n x l: the logits of every row of x (n x d).
Vector all_logits(const Model& model, const Vector& theta, const Vector& x);

/// The sum of theta_gradient over all rows of x (n x d) and g (n x l).
Vector total_theta_gradient(const Model& model, const Vector& theta, const Vector& x,
                            const Vector& g);

}  // namespace dpfermi::reference
