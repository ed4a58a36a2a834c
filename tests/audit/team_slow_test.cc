// T0 of runs of three processes, which are threads here; team_replay.cc does the same with MPI.

#include <gtest/gtest.h>

#include "audit/replay_mutants.h"
#include "audit/team_replay.h"
#include "thread_team.h"

#ifdef DPFERMI_MUTANTS

namespace dpfermi {
namespace {

void expect_all(const std::vector<Status>& ended) {
  for (const Status& status : ended) EXPECT_TRUE(status) << status.error().message;
}

TEST(ReplayOfATeam, TheCorrectBuildIsGreen) {
  // Our methods and every adjacency.
  const std::vector<AuditCase> cases = standard_cases(testing_support::kTeamSteps);
  expect_all(run_team(3, [&](Team& team) {
    return testing_support::expect_green(std::span(cases).first(12), team);
  }));
}

class PlantedInATeam : public testing::TestWithParam<MutantInfo> {
 protected:
  void SetUp() override { plant(GetParam().mutant); }
  void TearDown() override { plant(Mutant::kNone); }
};

TEST_P(PlantedInATeam, IsFoundByReplay) {
  // Three cases of adjacency sensitive are enough.
  const std::vector<AuditCase> cases = standard_cases(testing_support::kTeamSteps);
  expect_all(run_team(
      3, [&](Team& team) { return testing_support::expect_red(std::span(cases).first(3), team); }));
}

INSTANTIATE_TEST_SUITE_P(Mutants, PlantedInATeam,
                         testing::ValuesIn(testing_support::replay_mutants()),
                         [](const auto& chosen) {
                           return testing_support::parameter_name(chosen.param.name);
                         });

}  // namespace
}  // namespace dpfermi

#endif
