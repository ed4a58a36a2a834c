#include "audit/audit.h"

#include <algorithm>

#include "audit/checks.h"
#include "audit/replay.h"
#include "audit/statistical_tiers.h"
#include "core/stopwatch.h"

namespace dpfermi {
namespace {

std::vector<const AuditCase*> cases_of(const TierEntry& tier, std::span<const AuditCase> cases) {
  std::vector<const AuditCase*> own;
  for (const AuditCase& audited : cases) {
    if (!tier.applies || tier.applies(audited)) own.push_back(&audited);
  }
  return own;
}

}  // namespace

std::vector<TierEntry> audit_tiers() {
  return {{Tier::kReplay, 0, replay_tier},
          {Tier::kNoise, FalseAlarmBudget::kNoise, noise_tier},
          {Tier::kSampler, FalseAlarmBudget::kSampler, sampler_tier, sampler_applies},
          {Tier::kAttribute, FalseAlarmBudget::kAttribute, attribute_tier, attribute_applies},
          {Tier::kOneRun, FalseAlarmBudget::kOneRun, one_run_tier, one_run_applies}};
}

Result<AuditReport> audit(std::span<const AuditCase> cases, std::span<const TierEntry> tiers,
                          const AuditOptions& options, const AuditProgress& progress) {
  const Stopwatch watch;
  AuditReport report;
  double total = 0;
  for (const TierEntry& tier : tiers) {
    total += static_cast<double>(cases_of(tier, cases).size());
    report.false_alarm_rate += options.false_alarm_rate * tier.false_alarms;
  }
  double done = 0;
  for (const TierEntry& tier : tiers) {
    const std::vector<const AuditCase*> own = cases_of(tier, cases);
    AuditOptions share = options;
    share.false_alarm_rate *= tier.false_alarms / static_cast<double>(own.size());
    for (const AuditCase* audited : own) {
      if (progress) progress(done, total);
      DPFERMI_ASSIGN(std::vector<Finding> found, tier.run(*audited, share));
      report.findings.insert(report.findings.end(), std::make_move_iterator(found.begin()),
                             std::make_move_iterator(found.end()));
      ++done;
    }
  }
  report.seconds = watch.seconds();
  return report;
}

}  // namespace dpfermi
