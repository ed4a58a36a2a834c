#pragma once

/// T0, T1 and T2 for the baselines that claim privacy: whole runs of the registered code, with its
/// own numbers of steps and rounds, on small synthetic data.

#include <vector>

#include "audit/audit.h"

namespace dpfermi {

/// Small cases that the baseline can train: two groups; more groups, and classes where it takes
/// them; persons of several rows where it protects those. `baseline` has to outlive them.
std::vector<AuditCase> baseline_cases(const MethodDescriptor& baseline);

/// T0: neighbours with the same streams and releases, as for our own methods (audit/replay.h); the
/// path is theta after every step, the result includes the rule of decisions.
Result<std::vector<Finding>> baseline_replay_tier(const AuditCase& audited,
                                                  const AuditOptions& options);

/// T1: the noise of every kind of release, pooled over as many runs as it takes.
Result<std::vector<Finding>> baseline_noise_tier(const AuditCase& audited,
                                                 const AuditOptions& options);

/// T2: who is in the secret batches; no findings where everybody is in every sum.
Result<std::vector<Finding>> baseline_sampler_tier(const AuditCase& audited,
                                                   const AuditOptions& options);

/// All three, for audit().
std::vector<TierEntry> baseline_tiers();

}  // namespace dpfermi
