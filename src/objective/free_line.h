#pragma once

/// The free line: mixtures of a model without fairness and the best constant. They need nothing of
/// s, and rates of a mixture are mixtures of rates, so that its violation is the model's times the
/// model's weight.

namespace dpfermi {

/// The least error of the free line at a violation of at most `violation`: that of a mixture of the
/// model without fairness, with its error and violation, and the best constant.
inline double line_error(double plain_error, double plain_violation, double constant_error,
                         double violation) {
  if (constant_error <= plain_error) return constant_error;
  if (violation >= plain_violation) return plain_error;
  return constant_error - (constant_error - plain_error) * violation / plain_violation;
}

}  // namespace dpfermi
