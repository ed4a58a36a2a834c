// mutation_table [--quick]: audits this build with one planted defect after the other and prints
// the table of docs/audit.md. Exit 1 where a defect passes the audit, or the correct build does
// not.

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "audit/audit.h"
#include "core/mutant.h"

namespace dpfermi {
namespace {

/// Steps of a case, as `dpfermi audit` has them.
constexpr std::uint64_t kSteps = 40;

/// The share of a case in an audit of all of them.
AuditOptions share_of(const TierEntry& tier, const std::vector<AuditCase>& cases,
                      AuditOptions options) {
  const auto tried = tier.applies ? std::ranges::count_if(cases, tier.applies) : cases.size();
  options.false_alarm_rate /= static_cast<double>(tried);
  return options;
}

/// The first red finding of the cheapest tier that sees the defect.
std::string row_of(const MutantInfo& info, const AuditOptions& options, bool& caught) {
  plant(info.mutant);
  std::string row;
  const std::vector<AuditCase> cases = private_cases(kSteps);
  for (const TierEntry& tier : audit_tiers()) {
    const AuditOptions share = share_of(tier, cases, options);
    for (const AuditCase& audited : cases) {
      if (tier.applies && !tier.applies(audited)) continue;
      const Result<AuditReport> report = audit({&audited, 1}, {&tier, 1}, share);
      const std::string where = fmt::format("{}, {}, {}", to_string(audited.request.method),
                                            to_string(audited.request.adjacency), audited.name);
      if (!report) {
        row = fmt::format("| {} | {} | {} | | refused: {} |\n", info.defect, to_string(tier.tier),
                          where, report.error().message);
      } else if (!report->green()) {
        for (const Finding& finding : report->findings) {
          if (finding.verdict == Verdict::kGreen) continue;
          row = fmt::format("| {} | {} | {} | {}: {} | {} |\n", info.defect, to_string(tier.tier),
                            where, finding.attempt, finding.claimed,
                            finding.note.empty() ? finding.observed
                                                 : finding.observed + " (" + finding.note + ")");
          break;
        }
      }
      if (!row.empty()) break;
    }
    if (!row.empty()) break;
  }
  plant(Mutant::kNone);
  caught = !row.empty();
  return caught ? row : fmt::format("| {} | **not caught** | | | |\n", info.defect);
}

int run(const AuditOptions& options) {
  bool all = true;
  const std::vector<AuditCase> cases = private_cases(kSteps);
  const Result<AuditReport> correct = audit(cases, audit_tiers(), options);
  all = correct && correct->green();
  fmt::print("\n| defect | caught by | on | claimed | observed |\n|---|---|---|---|---|\n");
  fmt::print("| none | {} | {} cases | {} findings | all green |\n",
             all ? "nothing" : "**something**", cases.size(),
             correct ? correct->findings.size() : 0);
  for (const MutantInfo& info : all_mutants()) {
    bool caught = false;
    fmt::print("{}", row_of(info, options, caught));
    std::fflush(stdout);
    all = all && caught;
  }
  fmt::print("\n");
  return all ? 0 : 1;
}

}  // namespace
}  // namespace dpfermi

int main(int argc, char** argv) {
  dpfermi::AuditOptions options;
  options.quick = argc > 1 && std::strcmp(argv[1], "--quick") == 0;
  return dpfermi::run(options);
}
