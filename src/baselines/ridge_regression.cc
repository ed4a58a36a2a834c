#include "baselines/ridge_regression.h"

#include <Eigen/Cholesky>

namespace dpfermi {
namespace {

/// Calls use(column, value) for the entries of [x_row, 1] that are not zero.
template <class Use>
void for_entries(const HybridMatrix& x, std::size_t row, const Use& use) {
  const HybridMatrix::Row entries = x.row(row);
  for (std::size_t j = 0; j < entries.numbers.size(); ++j) {
    use(j, static_cast<double>(entries.numbers[j]));
  }
  for (const std::uint16_t column : entries.ones) {
    if (column < x.columns()) use(column, 1.0);
  }
  use(x.columns(), 1.0);
}

}  // namespace

void add_row(const HybridMatrix& x, std::size_t row, double factor, std::span<double> out) {
  for_entries(x, row, [&](std::size_t j, double value) { out[j] += factor * value; });
}

double inner_product(const HybridMatrix& x, std::size_t row, std::span<const double> theta) {
  double sum = 0;
  for_entries(x, row, [&](std::size_t j, double value) { sum += theta[j] * value; });
  return sum;
}

struct RidgeRegression::Factors {
  Eigen::LLT<Eigen::MatrixXd> of;
};

RidgeRegression::RidgeRegression(const HybridMatrix& x) {
  constexpr double kRidge = 0.01;
  const auto size = static_cast<Eigen::Index>(x.columns() + 1);
  Eigen::MatrixXd gram =
      kRidge * static_cast<double>(x.rows()) * Eigen::MatrixXd::Identity(size, size);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for_entries(x, i, [&](std::size_t a, double first) {
      for_entries(x, i, [&](std::size_t b, double second) {
        gram(static_cast<Eigen::Index>(a), static_cast<Eigen::Index>(b)) += first * second;
      });
    });
  }
  factors_ = std::make_unique<const Factors>(Factors{gram.llt()});
}

RidgeRegression::RidgeRegression(RidgeRegression&&) noexcept = default;
RidgeRegression& RidgeRegression::operator=(RidgeRegression&&) noexcept = default;
RidgeRegression::~RidgeRegression() = default;

std::vector<double> RidgeRegression::solve(std::span<const double> sums) const {
  const Eigen::Map<const Eigen::VectorXd> right(sums.data(),
                                                static_cast<Eigen::Index>(sums.size()));
  const Eigen::VectorXd theta = factors_->of.solve(right);
  return {theta.data(), theta.data() + theta.size()};
}

}  // namespace dpfermi
