#include "baselines/taylor_loss.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace dpfermi {
namespace {

using Vector = Eigen::VectorXd;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// The inverse on the directions that are large enough, zero on the others.
Matrix inverse_form(const TaylorLoss& loss) {
  const auto size = static_cast<Eigen::Index>(loss.inputs);
  const Eigen::Map<const Matrix> given(loss.quadratic.data(), size, size);
  const double ridge = 2 * std::sqrt(static_cast<double>(size)) * loss.quadratic_noise;
  Matrix form = (given + given.transpose()) / 2;
  form.diagonal().array() += ridge;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(form);
  const Vector& values = solver.eigenvalues();
  const double least = std::max(ridge / 2, 1e-9 * values.maxCoeff());
  const Vector inverse = (values.array() > least).select(values.cwiseInverse(), 0);
  return solver.eigenvectors() * inverse.asDiagonal() * solver.eigenvectors().transpose();
}

}  // namespace

std::vector<std::vector<double>> boundary_covariances(const TaylorLoss& loss) {
  const std::size_t size = loss.inputs;
  const std::size_t k = loss.groups.size() / size;
  std::vector<double> all(size);
  for (std::size_t i = 0; i < loss.groups.size(); ++i) all[i % size] += loss.groups[i];
  std::vector<std::vector<double>> result;
  for (std::size_t r = k == 2 ? 1 : 0; r < k; ++r) {
    const double* own = loss.groups.data() + r * size;
    const double share = std::clamp(own[size - 1] / all[size - 1], 0.0, 1.0);
    std::vector<double> c(size);
    for (std::size_t j = 0; j < size; ++j) c[j] = own[j] - share * all[j];
    result.push_back(std::move(c));
  }
  return result;
}

std::vector<double> minimise_taylor(const TaylorLoss& loss, double alpha) {
  const auto size = static_cast<Eigen::Index>(loss.inputs);
  const Matrix inverse = inverse_form(loss);
  const Eigen::Map<const Vector> linear(loss.linear.data(), size);
  Vector w = -inverse * linear / 2;

  // |<c, w>| is the largest t <c, w> with |t| <= 1: coordinate ascent in t, w being the best
  // answer.
  std::vector<Vector> directions;
  std::vector<Vector> answers;  // how w moves with t
  for (const std::vector<double>& c : boundary_covariances(loss)) {
    directions.emplace_back(Eigen::Map<const Vector>(c.data(), size));
    answers.emplace_back(-alpha * (inverse * directions.back()) / 2);
  }
  std::vector<double> t(directions.size());
  constexpr int kSweeps = 500;
  for (int sweep = 0; alpha > 0 && sweep < kSweeps; ++sweep) {
    double moved = 0;
    for (std::size_t r = 0; r < t.size(); ++r) {
      const double slope = directions[r].dot(answers[r]);
      if (slope == 0) continue;
      const double next = std::clamp(t[r] - directions[r].dot(w) / slope, -1.0, 1.0);
      w += (next - t[r]) * answers[r];
      moved = std::max(moved, std::abs(next - t[r]));
      t[r] = next;
    }
    if (moved < 1e-12) break;
  }
  return {w.begin(), w.end()};
}

}  // namespace dpfermi
