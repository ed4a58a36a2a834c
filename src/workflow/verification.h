#pragma once

/// What the recipient of a file can check about it without the data.

#include <optional>
#include <string>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger/ledger_file.h"
#include "dpfermi/privacy/statement.h"
#include "privacy/plan_state.h"

namespace dpfermi {

/// Whether the file begins as models and sketches do.
bool has_statement(const std::string& path);

/// The statement of a model or sketch file.
Result<PrivacyStatement> read_statement(const std::string& path);

/// The listed releases about one person, as one event; of several parts that share no person those
/// of the part that costs most at the stated delta.
/// Requires: a promise, and releases.
Result<PrivacyEvent> costliest_releases(const PrivacyStatement& statement);

/// Recomputes the certified epsilon of the listed releases at the stated delta. Returns it, 0 where
/// nothing is promised. Refuses a statement that promises more than its releases allow. This checks
/// the arithmetic, not what was run.
Result<double> recompute_epsilon(const std::string& path, const PrivacyStatement& statement);

/// The runs that the file at `path` says it was charged to, its own first. Refuses a file that
/// names none, a ledger that does not contain them, and a statement that promises more, or lists
/// less, than they were charged for. A statement may list more: what a repaired model released
/// before it was recorded anywhere.
Result<std::vector<RunState>> recorded_runs(const LedgerFile& ledger, const std::string& path,
                                            const PrivacyStatement& statement);

/// What was found in order about a file.
struct Verified {
  std::optional<std::string> signer;          ///< nothing: unsigned
  std::optional<PrivacyStatement> statement;  ///< nothing: neither model nor sketch
  double epsilon = 0;                         ///< recomputed from the listed releases
  std::vector<RunState> runs;                 ///< in the ledger it was compared with
};

struct VerificationRequest {
  std::string file;
  std::string key = {};  ///< public key that is trusted, or a file with one; empty: any
  std::string ledger =
      {};  ///< must hold the runs that the file names, charged for what it lists; empty: not asked
};

/// Checks the signature of a file, the arithmetic of its statement, and its runs. The first thing
/// that does not fit is an error. Of dossiers and exports the signature is all there is to check.
Result<Verified> verify_file(const VerificationRequest& request);

}  // namespace dpfermi
