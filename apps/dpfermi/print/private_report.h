#pragma once

/// Private figures, for people: every number with its intervals.

#include <string>
#include <vector>

#include "dpfermi/evaluate/private_metrics.h"
#include "dpfermi/privacy/statement.h"

namespace dpfermi::cli {

/// Error and violations, then the rates of every group; "these rows" are the set that was given,
/// "population" those whom it was drawn from. Then what the intervals promise.
std::string private_metrics_text(const PrivateMetrics& metrics, bool persons,
                                 const std::vector<std::string>& classes, std::size_t favourable,
                                 const std::vector<std::string>& groups);

/// One plain sentence: what was spent.
std::string spent_text(const PrivacyStatement& statement);

}  // namespace dpfermi::cli
