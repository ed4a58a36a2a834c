#pragma once

/// The audit: every tier on every case. It tries to break the privacy claims of this very build;
/// docs/audit.md says what each tier does and what it cannot see.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "dpfermi/audit/audit_case.h"
#include "dpfermi/audit/finding.h"
#include "dpfermi/core/result.h"

namespace dpfermi {

struct AuditOptions {
  bool quick = false;      ///< the short form: fewer runs, less power, the same false-alarm rate
  std::uint64_t seed = 1;  ///< of rehearsals and inventions
  /// How likely a red verdict may be where every promise is kept. audit() divides its own evenly
  /// among all calls of statistical tiers (Bonferroni), and each call among its own tests.
  double false_alarm_rate = 1e-4;
};

/// How much of the work has been done, for people who wait.
using AuditProgress = std::function<void(double done, double total)>;

/// One tier on one case: at least one finding. An error means that the audit itself failed.
using AuditTier =
    std::function<Result<std::vector<Finding>>(const AuditCase&, const AuditOptions&)>;

struct TierEntry {
  Tier tier;
  bool statistical;  ///< whether it needs a share of the false-alarm rate
  AuditTier run;
};

/// All tiers, in the order in which they run.
std::vector<TierEntry> audit_tiers();

Result<AuditReport> audit(std::span<const AuditCase> cases, std::span<const TierEntry> tiers,
                          const AuditOptions& options, const AuditProgress& progress = {});

}  // namespace dpfermi
