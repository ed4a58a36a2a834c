#pragma once

/// The table P~(j, r | c) that psi is read off.

#include <cstddef>
#include <span>
#include <vector>

namespace dpfermi {

/// One-hot decisions, rows x width.
void decide(std::span<const double> outputs, std::size_t width, std::span<double> f);

/// block (k x l) += weight p~_r F_j of one row.
void add_joint(std::span<const double> f, std::size_t classes, double weight,
               std::span<const float> groups, std::span<double> block);

/// ERMI of one condition among the groups that are known: adds factor d / d P(j, r) to `slopes`.
/// With Q = P / p_K over the known groups K, sum_{j,r} Q(j,r)^2 / (Q(j) q_r) - 1.
double add_ermi(std::span<const double> joint, std::span<const double> p,
                const std::vector<bool>& known, double factor, std::span<double> slopes);

}  // namespace dpfermi
