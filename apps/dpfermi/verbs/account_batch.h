#pragma once

/// `dpfermi account --batch`: many accounting questions from one file.

#include <string>

#include "cli.h"
#include "dpfermi/core/result.h"

namespace dpfermi::cli {

/// Reads a JSON array of rows and prints for each one line {"id", "epsilon_lower",
/// "epsilon_upper"}, or {"id", "error"} where a row is not supported or makes no sense. Fails after
/// the last row if there were any of the latter; the former are noted on stderr.
///
/// Rows: mechanism (gaussian, laplace, discrete_gaussian, poisson_subsampled_gaussian,
/// poisson_gaussian_membership_revealed, heterogeneous with "components"), adjacency
/// (ADD_OR_REMOVE, REPLACE_ONE, REPLACE_SENSITIVE_ATTRIBUTE or this tool's names), q, sigma, T and
/// delta; other keys are left alone. Under the exchange adjacencies a Gaussian's contributions are
/// +1 and -1: sigma is over the bound on one contribution, not over the distance.
Status account_batch(const std::string& path, double tolerance, const Context& context);

}  // namespace dpfermi::cli
