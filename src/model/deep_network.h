#pragma once

/// A network that this process does not hold: another process (the program dpfermi-deep, on a GPU
/// for instance) has the rows of the training data, knows their labels, and computes on request.
/// Rows are named by their number in the training data; parameters are a vector, as for any model.
///
/// A row's part of the objective is loss_weight * CE(outputs, y) + <v, F>, F = softmax(tau
/// outputs), where v is the row's line of a table of functionals (objective/row_gradients.h, with
/// one column per class, for two classes as well).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// Which rows, and what of each.
struct NetworkRows {
  std::span<const std::uint32_t> rows;
  double loss_weight = 0;
  std::span<const double> functionals;   ///< any number of lines x classes
  std::span<const std::uint32_t> which;  ///< the line of each row
  double tau = 1;                        ///< sharpness of F
};

class DeepNetwork {
 public:
  virtual ~DeepNetwork() = default;

  virtual std::size_t classes() const = 0;
  virtual std::size_t rows() const = 0;

  /// theta_0: of the public network that training goes on from, or drawn from a seed.
  virtual const std::vector<double>& start() const = 0;
  std::size_t parameters() const { return start().size(); }

  virtual Status set_parameters(std::span<const double> theta) = 0;

  /// The mean gradient over rows (parameters()), and F of each (rows x classes).
  virtual Status gradient(const NetworkRows& rows, std::span<double> mean, std::span<double> f) = 0;

  /// Sums of the rows' gradients, each clipped to `clip_norm`, scaled so that this is `longest`,
  /// and rounded toward zero; and F of each row. A row named twice is refused.
  /// Requires of an implementation (Privatizer::sum_integers): a row's integers have norm at
  /// most `longest` and depend on that row, its line and public values alone; sums are exact.
  virtual Status clipped_sum(const NetworkRows& rows, double clip_norm, double longest,
                             std::span<std::int64_t> sums, std::span<double> f) = 0;
};

}  // namespace dpfermi
