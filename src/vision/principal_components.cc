#include "vision/principal_components.h"

#include <Eigen/Dense>
#include <algorithm>
#include <numeric>

namespace dpfermi {

void PrincipalComponents::append(std::span<const float> row, std::vector<float>& out) const {
  for (std::size_t i = 0; i < count(); ++i) {
    const std::span<const float> direction = std::span(map).subspan(i * (inputs + 1), inputs + 1);
    out.push_back(static_cast<float>(
        std::inner_product(row.begin(), row.begin() + static_cast<std::ptrdiff_t>(inputs),
                           direction.begin(), static_cast<double>(direction.back()))));
  }
}

PrincipalComponents principal_components(std::span<const float> table, std::size_t stride,
                                         std::size_t inputs, std::span<const std::uint32_t> rows,
                                         std::size_t count) {
  if (count == 0 || inputs == 0) return {inputs, {}};
  const auto width = static_cast<Eigen::Index>(inputs);
  const auto n = static_cast<double>(std::max<std::size_t>(rows.size(), 1));
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(width);
  const auto values = [&](std::uint32_t row) {
    return Eigen::Map<const Eigen::VectorXf>(table.data() + row * stride, width).cast<double>();
  };
  for (const std::uint32_t row : rows) mean += values(row) / n;
  Eigen::MatrixXd covariance = Eigen::MatrixXd::Zero(width, width);
  for (const std::uint32_t row : rows) {
    covariance.selfadjointView<Eigen::Lower>().rankUpdate(values(row) - mean, 1 / n);
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(covariance);
  PrincipalComponents components{inputs, {}};
  for (std::size_t i = 0; i < std::min(count, inputs); ++i) {
    // Eigenvalues rise.
    const Eigen::VectorXd direction =
        solver.eigenvectors().col(width - 1 - static_cast<Eigen::Index>(i));
    for (const double entry : direction) components.map.push_back(static_cast<float>(entry));
    components.map.push_back(static_cast<float>(-direction.dot(mean)));
  }
  return components;
}

PrincipalComponents side_by_side(const PrincipalComponents& first,
                                 const PrincipalComponents& second) {
  PrincipalComponents both{first.inputs + second.inputs, {}};
  const auto place = [&](const PrincipalComponents& part, std::size_t before) {
    for (std::size_t i = 0; i < part.count(); ++i) {
      const auto direction = part.map.begin() + static_cast<std::ptrdiff_t>(i * (part.inputs + 1));
      const auto end = direction + static_cast<std::ptrdiff_t>(part.inputs);
      both.map.insert(both.map.end(), before, 0.0F);
      both.map.insert(both.map.end(), direction, end);
      both.map.insert(both.map.end(), both.inputs - before - part.inputs, 0.0F);
      both.map.push_back(*end);
    }
  };
  place(first, 0);
  place(second, first.inputs);
  return both;
}

}  // namespace dpfermi
