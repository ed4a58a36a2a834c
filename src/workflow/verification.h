#pragma once

/// What somebody who received a file can check about it without the data.

#include <string>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger/ledger_file.h"
#include "dpfermi/privacy/statement.h"
#include "privacy/plan_state.h"

namespace dpfermi {

/// Whether the file begins as models and sketches do.
bool has_statement(const std::string& path);

/// The statement of a model or sketch file.
Result<PrivacyStatement> read_statement(const std::string& path);

/// Everything that the statement lists, as one event.
Result<PrivacyEvent> all_releases(const PrivacyStatement& statement);

/// Recomputes the certified epsilon of the listed releases at the stated delta. Returns it, 0 where
/// nothing is promised. Refuses a statement that promises more than its releases allow. This checks
/// the arithmetic, not what was run.
Result<double> recompute_epsilon(const PrivacyStatement& statement);

/// Where the file at `path` says that it was charged; refuses one that names no ledger.
Result<LedgerPlace> recorded_place(const std::string& path, const PrivacyStatement& statement);

/// The run that a file says it was charged to, in a ledger that still contains it.
Result<RunState> recorded_run(const LedgerFile& ledger, const LedgerPlace& place);

}  // namespace dpfermi
