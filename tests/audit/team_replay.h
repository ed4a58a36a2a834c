#pragma once

/// T0 by the processes of a team: what the leader found is known to all of them.

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <string>

#include "audit/replay.h"
#include "core/team.h"

namespace dpfermi::testing_support {

/// Steps of a case: one planted defect begins at the sixth.
inline constexpr std::uint64_t kTeamSteps = 9;

/// The first thing that the leader found; empty: nothing.
inline Result<std::string> first_red(const AuditCase& audited, Team& team) {
  DPFERMI_ASSIGN(const std::vector<Finding> findings,
                 replay_tier(audited, {.quick = true, .team = &team}));
  if (team.leads() && findings.empty()) return failed("a replay without findings");
  const auto red = std::ranges::find(findings, Verdict::kRed, &Finding::verdict);
  if (red == findings.end()) return hand_out(team, std::string());
  return hand_out(team, fmt::format("{}: {}: {}", audited.name, red->attempt, red->note));
}

/// Fails where one of the cases is red; the paper's method claims more than it keeps.
inline Status expect_green(std::span<const AuditCase> cases, Team& team) {
  for (const AuditCase& audited : cases) {
    if (audited.request.method == Method::kDpFermiPaper) continue;
    DPFERMI_ASSIGN(const std::string red, first_red(audited, team));
    if (!red.empty()) return failed(red);
  }
  return {};
}

/// Fails where none of them is.
inline Status expect_red(std::span<const AuditCase> cases, Team& team) {
  for (const AuditCase& audited : cases) {
    DPFERMI_ASSIGN(const std::string red, first_red(audited, team));
    if (!red.empty()) return {};
  }
  return failed("nothing was found");
}

}  // namespace dpfermi::testing_support
