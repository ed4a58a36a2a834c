#include "dpfermi/audit/audit.h"

#include <algorithm>
#include <chrono>

namespace dpfermi {

std::vector<TierEntry> audit_tiers() {
  return {};
}

Result<AuditReport> audit(std::span<const AuditCase> cases, std::span<const TierEntry> tiers,
                          const AuditOptions& options, const AuditProgress& progress) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  const auto statistical =
      static_cast<double>(cases.size()) *
      static_cast<double>(std::ranges::count(tiers, true, &TierEntry::statistical));
  AuditOptions share = options;
  share.false_alarm_rate = options.false_alarm_rate / std::max(statistical, 1.0);
  AuditReport report;
  if (statistical > 0) report.false_alarm_rate = options.false_alarm_rate;
  const auto total = static_cast<double>(cases.size() * tiers.size());
  double done = 0;
  for (const TierEntry& tier : tiers) {
    for (const AuditCase& audited : cases) {
      if (progress) progress(done, total);
      DPFERMI_ASSIGN(std::vector<Finding> found, tier.run(audited, share));
      report.findings.insert(report.findings.end(), std::make_move_iterator(found.begin()),
                             std::make_move_iterator(found.end()));
      ++done;
    }
  }
  report.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return report;
}

}  // namespace dpfermi
