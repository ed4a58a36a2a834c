// Runs of several processes: the same model for any number of them, the noise of one.

#include <gtest/gtest.h>

#include <mutex>

#include "optimize/census_data.h"
#include "optimize/refusing_ledger.h"
#include "optimize/training.h"
#include "privacy/research_ledger.h"
#include "privacy/team_ledger.h"
#include "thread_team.h"

namespace dpfermi {
namespace {

using testing_support::census_data;
using testing_support::kFavourable;

const Dataset& team_census() {
  static const Dataset data = census_data({.rows = 4000});
  return data;
}

/// The same rows, four in a row of one person.
Dataset persons() {
  Dataset data = team_census();
  for (std::size_t row = 0; row < data.rows(); ++row) {
    data.units[row] = static_cast<std::uint32_t>(row / 4);
  }
  data.unit_count = data.rows() / 4;
  data.persons = true;
  return data;
}

struct TeamRun {
  std::vector<std::vector<double>> thetas;  ///< of the processes, in no order
  std::uint64_t charged = 0;                ///< plans in the leader's ledger
};

TeamRun train_with(unsigned size, const Dataset& data, const TrainingRequest& request,
                   std::optional<std::uint64_t> seed) {
  const auto planned = plan_training(request, data, kFavourable);
  EXPECT_TRUE(planned.has_value()) << planned.error().message;
  const TrainingPlan& plan = planned.value();
  TeamRun run;
  std::mutex mutex;
  const auto ended = run_team(size, [&](Team& team) -> Status {
    std::shared_ptr<ResearchLedger> own;
    if (team.leads()) own = std::make_shared<ResearchLedger>();
    TeamLedger ledger(team, own);
    TrainingHooks hooks;
    hooks.team = &team;
    DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(seed, team));
    DPFERMI_ASSIGN(const TrainingResult result, train(data, plan, ledger, std::move(noise), hooks));
    const std::lock_guard lock(mutex);
    run.thetas.push_back(result.theta);
    if (own) run.charged += own->plans().size();
    return {};
  });
  for (const Status& status : ended) EXPECT_TRUE(status) << status.error().message;
  EXPECT_EQ(run.thetas.size(), size);
  return run;
}

TEST(TeamOfProcesses, TrainsTheSameModelWhateverItsSize) {
  TrainingRequest sensitive{.epsilon = 1, .lambda = 1, .epochs = 3};
  sensitive.batch = 1500;
  TrainingRequest target = sensitive;
  target.lambda.reset();
  target.max_violation = 0.05;
  TrainingRequest records = sensitive;
  records.adjacency = Adjacency::kReplaceRecord;
  records.declared_norm = 3;
  TrainingRequest hidden = sensitive;
  hidden.hidden = {5};
  const Dataset of_persons = persons();
  for (const auto& [data, request] :
       {std::pair(&team_census(), sensitive), std::pair(&team_census(), target),
        std::pair(&team_census(), records), std::pair(&team_census(), hidden),
        std::pair(&of_persons, sensitive), std::pair(&of_persons, records)}) {
    const std::vector<double> alone = train_with(1, *data, request, 7).thetas.front();
    for (const unsigned size : {2U, 3U, 4U, 7U}) {
      const TeamRun run = train_with(size, *data, request, 7);
      for (const std::vector<double>& theta : run.thetas) EXPECT_EQ(theta, alone);
      EXPECT_EQ(run.charged, 1U);
    }
  }
}

TEST(TeamOfProcesses, SketchesAndModelsWithoutNoiseAreTheSameWhateverItsSize) {
  for (const Method method : {Method::kSketch, Method::kErm, Method::kFermi}) {
    TrainingRequest request{.method = method, .epsilon = 1, .epochs = 3};
    if (method != Method::kErm) request.lambda = 1;
    const std::vector<double> alone = train_with(1, team_census(), request, 7).thetas.front();
    for (const std::vector<double>& theta : train_with(3, team_census(), request, 7).thetas) {
      EXPECT_EQ(theta, alone);
    }
  }
}

// The others' own keys would give every process another model.
TEST(TeamOfProcesses, TakesSecretNoiseAndBatchesFromTheLeader) {
  TrainingRequest request{.epsilon = 1, .lambda = 1, .epochs = 2};
  const TeamRun run = train_with(3, team_census(), request, std::nullopt);
  for (const std::vector<double>& theta : run.thetas) EXPECT_EQ(theta, run.thetas.front());
  EXPECT_NE(run.thetas.front(), train_with(3, team_census(), request, std::nullopt).thetas.front());
}

TEST(TeamOfProcesses, EndsEverywhereWhereTheLedgerRefuses) {
  const TrainingRequest request{.epsilon = 1, .lambda = 1, .epochs = 2};
  const TrainingPlan plan = plan_training(request, team_census(), kFavourable).value();
  const auto ended = run_team(3, [&](Team& team) -> Status {
    std::shared_ptr<StepLedger> own;
    if (team.leads()) own = std::make_shared<testing_support::RefusingLedger>();
    TeamLedger ledger(team, own);
    TrainingHooks hooks;
    hooks.team = &team;
    DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(7, team));
    return train(team_census(), plan, ledger, std::move(noise), hooks).map([](const auto&) {});
  });
  for (const Status& status : ended) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().kind, ErrorKind::kBudgetRefused);
    EXPECT_EQ(status.error().message, "no plan");
  }
}

TEST(TeamOfProcesses, EndsEverywhereWhereOneOfThemStops) {
  const TrainingRequest request{.epsilon = 1, .lambda = 1, .epochs = 5};
  const TrainingPlan plan = plan_training(request, team_census(), kFavourable).value();
  const auto ended = run_team(3, [&](Team& team) -> Status {
    std::shared_ptr<StepLedger> own;
    if (team.leads()) own = std::make_shared<ResearchLedger>();
    TeamLedger ledger(team, own);
    TrainingHooks hooks;
    hooks.team = &team;
    hooks.progress = [&](const TrainingProgress& now) {
      return now.start < 1 || team.rank() != 2 || now.step < 3;
    };
    DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(7, team));
    DPFERMI_ASSIGN(const TrainingResult result,
                   train(team_census(), plan, ledger, std::move(noise), hooks));
    if (result.steps < plan.steps) return failed("stopped");
    return {};
  });
  for (const Status& status : ended) {
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().message, "stopped");
  }
}

}  // namespace
}  // namespace dpfermi
