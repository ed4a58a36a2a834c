#pragma once

/// The audit: every tier on every case. It tries to break the privacy claims of this very build;
/// docs/audit.md says what each tier does and what it cannot see.

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "audit/audit_case.h"
#include "audit/finding.h"
#include "core/team.h"
#include "dpfermi/core/result.h"

namespace dpfermi {

struct AuditOptions {
  bool quick = false;      ///< the short form: fewer runs, less power, the same false-alarm rate
  std::uint64_t seed = 1;  ///< of rehearsals and inventions
  /// How many runs and draws the statistical tiers make, against the usual number of the form
  /// chosen. Less is quicker and sees less; the false-alarm rate stays.
  double effort = 1;
  /// How likely a red verdict may be where every promise is kept. audit() gives each tier its share
  /// (FalseAlarmBudget), divided evenly among its cases, and each case among its tests
  /// (Bonferroni): the rate holds for the whole audit, whatever depends on what.
  double false_alarm_rate = 1e-4;
  /// The processes that rehearse together, each of which runs the same audit: for T0 of our own
  /// methods. What was seen is judged by the leader, which alone has the sums.
  Team* team = &Team::alone();
};

/// How much of the work has been done, for people who wait.
using AuditProgress = std::function<void(double done, double total)>;

/// One tier on one case; no findings where nothing is released. An error means that the audit
/// itself failed.
using AuditTier =
    std::function<Result<std::vector<Finding>>(const AuditCase&, const AuditOptions&)>;

struct TierEntry {
  Tier tier;
  double false_alarms;  ///< its share of the false-alarm rate; 0: deterministic
  AuditTier run;
  std::function<bool(const AuditCase&)> applies = {};  ///< empty: to every case
};

/// All tiers, in the order in which they run.
std::vector<TierEntry> audit_tiers();

Result<AuditReport> audit(std::span<const AuditCase> cases, std::span<const TierEntry> tiers,
                          const AuditOptions& options, const AuditProgress& progress = {});

}  // namespace dpfermi
