#include "audit/checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace dpfermi {

void append_checks(std::vector<Check>& checks, std::vector<Check> more) {
  std::ranges::move(more, std::back_inserter(checks));
}

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

std::vector<Finding> judge_together(Tier tier, const Subject& subject, std::vector<Check> checks,
                                    double false_alarms) {
  std::vector<Finding> findings = judge(tier, subject, std::move(checks), false_alarms);
  std::vector<Finding> red;
  double least = 1;
  for (Finding& finding : findings) {
    least = std::min(least, finding.p_value.value_or(1));
    if (finding.verdict == Verdict::kRed) red.push_back(finding);
  }
  if (!red.empty() || findings.empty()) return red;
  const auto count = static_cast<double>(findings.size());
  Finding& all = findings.front();
  all.p_value = std::min(1.0, least * count);
  all.note = fmt::format("{}; {} tests in all", all.note, findings.size());
  findings.resize(1);
  return findings;
}

}  // namespace dpfermi
