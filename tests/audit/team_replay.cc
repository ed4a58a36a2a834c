// T0 through the processes that mpirun started: green on the correct build, red with each planted
// defect that a replay of dp-fermi can see. Process 0 says what failed; the exit status is 1 then.

#include "audit/team_replay.h"

#include "audit/replay_mutants.h"
#include "core/mutant.h"
#include "core/processes.h"

namespace dpfermi {
namespace {

Status audit_together(Team& team) {
  if (team.size() < 2) return usage_error("start several processes with mpirun");
  const std::vector<AuditCase> all = standard_cases(testing_support::kTeamSteps);
  // Of adjacency sensitive; that is enough for every defect.
  const auto cases = std::span(all).first(3);
  DPFERMI_TRY(testing_support::expect_green(cases, team));
  for (const MutantInfo& info : testing_support::replay_mutants()) {
    plant(info.mutant);
    if (const Status found = testing_support::expect_red(cases, team); !found) {
      return failed(fmt::format("{}: {}", info.defect, found.error().message));
    }
  }
  return {};
}

Status run() {
  const std::optional<Launch> launch = find_launch();
  if (!launch) return usage_error("start several processes with mpirun");
  DPFERMI_ASSIGN(const auto team, join_processes(*launch));
  const Status ended = team->leave(audit_together(*team));
  return team->leads() ? ended : Status();
}

}  // namespace
}  // namespace dpfermi

int main() {
  const dpfermi::Status status = dpfermi::run();
  if (!status) fmt::print(stderr, "{}\n", status.error().message);
  return status ? 0 : 1;
}
