#include "dpfermi/audit/checks.h"

namespace dpfermi {

std::vector<Finding> judge(Tier tier, const Subject& subject, std::vector<Check> checks,
                           double false_alarms) {
  const double allowed = false_alarms / static_cast<double>(checks.size());
  std::vector<Finding> findings;
  findings.reserve(checks.size());
  for (Check& check : checks) {
    // Written so that a NaN accuses.
    const bool kept = check.p_value >= allowed;
    findings.push_back({.tier = tier,
                        .method = subject.method,
                        .adjacency = subject.adjacency,
                        .subject = subject.name,
                        .attempt = std::move(check.attempt),
                        .claimed = std::move(check.claimed),
                        .observed = std::move(check.observed),
                        .p_value = check.p_value,
                        .verdict = kept ? Verdict::kGreen : Verdict::kRed,
                        .note = std::move(check.note)});
  }
  return findings;
}

}  // namespace dpfermi
