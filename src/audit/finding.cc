#include "audit/finding.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace dpfermi {

std::string_view to_string(Tier tier) {
  switch (tier) {
    case Tier::kReplay:
      return "T0 replay";
    case Tier::kNoise:
      return "T1 noise";
    case Tier::kSampler:
      return "T2 sampler";
    case Tier::kAttribute:
      return "T3 attribute game";
    case Tier::kOneRun:
      return "T4 one run";
  }
  return "unknown";
}

bool AuditReport::green() const {
  return std::ranges::all_of(
      findings, [](const Finding& finding) { return finding.verdict == Verdict::kGreen; });
}

std::string to_json(const AuditReport& report) {
  nlohmann::ordered_json findings = nlohmann::ordered_json::array();
  for (const Finding& finding : report.findings) {
    findings.push_back({{"tier", to_string(finding.tier)},
                        {"method", finding.method},
                        {"adjacency", to_string(finding.adjacency)},
                        {"subject", finding.subject},
                        {"attempt", finding.attempt},
                        {"claimed", finding.claimed},
                        {"observed", finding.observed},
                        {"value", nullptr},
                        {"p_value", nullptr},
                        {"verdict", finding.verdict == Verdict::kGreen ? "green" : "red"},
                        {"note", finding.note}});
    if (finding.value) findings.back()["value"] = *finding.value;
    if (finding.p_value) findings.back()["p_value"] = *finding.p_value;
  }
  const nlohmann::ordered_json all{{"green", report.green()},
                                   {"false_alarm_rate", report.false_alarm_rate},
                                   {"seconds", report.seconds},
                                   {"findings", std::move(findings)}};
  return all.dump(2);
}

}  // namespace dpfermi
