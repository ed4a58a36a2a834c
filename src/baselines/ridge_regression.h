#pragma once

/// Linear regression on public rows, whose right-hand side X'c comes from elsewhere.

#include <memory>
#include <span>
#include <vector>

#include "data/hybrid_matrix.h"

namespace dpfermi {

/// out += factor [x_row, 1].
void add_row(const HybridMatrix& x, std::size_t row, double factor, std::span<double> out);

/// theta . [x_row, 1].
double inner_product(const HybridMatrix& x, std::size_t row, std::span<const double> theta);

class RidgeRegression {
 public:
  /// Factorises X'X + n/100 I, the last column being the constant.
  explicit RidgeRegression(const HybridMatrix& x);
  RidgeRegression(RidgeRegression&&) noexcept;
  RidgeRegression& operator=(RidgeRegression&&) noexcept;
  RidgeRegression(const RidgeRegression&) = delete;
  RidgeRegression& operator=(const RidgeRegression&) = delete;
  ~RidgeRegression();

  /// The coefficients for the right-hand side X'c.
  std::vector<double> solve(std::span<const double> sums) const;

 private:
  struct Factors;
  std::unique_ptr<const Factors> factors_;
};

}  // namespace dpfermi
