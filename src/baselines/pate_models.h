#pragma once

/// What sf-pate needs besides noise: parts of a table, small models fitted to the end, and votes.

#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "dpfermi/core/workers.h"
#include "objective/ermi_penalty.h"

namespace dpfermi {

/// Features and labels of some rows, each a separate unit; the groups stay behind.
Dataset public_part(const Dataset& data, std::span<const std::uint32_t> rows);

/// The rows of teacher `teacher` of `teachers`: those of every unit whose number leaves that
/// remainder.
std::vector<std::uint32_t> rows_of_teacher(const Dataset& data, std::uint32_t teacher,
                                           std::size_t teachers);

/// Regression: loss + lambda psi + decay, with `proxy` (rows x groups) instead of s. Groups
/// without rows are left out of psi.
Result<std::vector<double>> fit_regression(const Dataset& data, const FairnessSetting& setting,
                                           std::vector<float> proxy, double lambda,
                                           Workers* workers = nullptr);

/// The same for the loss alone.
Result<std::vector<double>> fit_plain(const Dataset& data, Workers* workers = nullptr);

/// out (queries x classes) = e_decision - 1/classes for every row of `queries`.
void write_votes(const Dataset& queries, std::size_t classes, std::span<const double> theta,
                 std::span<double> out);

/// argmax over each row of `votes` (queries x classes).
std::vector<std::uint16_t> winners(std::span<const double> votes, std::size_t classes);

}  // namespace dpfermi
