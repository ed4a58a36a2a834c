#pragma once

/// One question of a file of accounting questions (docs/accounting.md, "Batches").

#include "dpfermi/privacy/event.h"
#include "privacy/json_fields.h"

namespace dpfermi {

struct AccountingRow {
  PrivacyEvent event;
  double delta;
};

/// Reads a row: mechanism (gaussian, laplace, discrete_gaussian, poisson or
/// poisson_subsampled_gaussian, poisson_gaussian_membership_revealed, heterogeneous with
/// "components"), adjacency (ADD_OR_REMOVE, REPLACE_ONE, REPLACE_SENSITIVE_ATTRIBUTE or our names),
/// q, sigma, T and delta; other keys are left alone. Under the exchange adjacencies a Gaussian's
/// contributions are +1 and -1: sigma is over the bound on one contribution, not over the distance.
/// Errors: kUsage for a row that makes no sense, kFailed for one that is not supported.
Result<AccountingRow> parse_accounting_row(const Json& row);

}  // namespace dpfermi
