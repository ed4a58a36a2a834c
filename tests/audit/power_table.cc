// power_table [GAMES]: what the games of T3 and T4 see of planted defects. Prints the table of
// docs/audit.md, "What the games can see".

#include <fmt/format.h>

#include <cstdlib>

#include "audit/attribute_game.h"
#include "audit/one_run.h"
#include "core/mutant.h"

namespace dpfermi {
namespace {

constexpr std::uint64_t kSeed = 1;

Result<std::string> game_columns(Adjacency adjacency, std::size_t games, Workers& workers) {
  DPFERMI_ASSIGN(const AttributeGame game, make_game({.adjacency = adjacency}));
  DPFERMI_ASSIGN(const AttributeScores scores, play(game, games, kSeed, workers));
  DPFERMI_ASSIGN(const Profile claim, claimed_profile(scores.charged, {0}));
  const ProfileVerdict variation = profile_test(scores.mixture, claim);
  DPFERMI_ASSIGN(const Profile curve, claimed_profile(scores.charged, kProfilePoints));
  const ProfileVerdict all = profile_test(scores.mixture, curve, game.plan.delta);
  return fmt::format("{:.3f} of {:.3f} | {:.1g} | {:.2f}", variation.delta_observed,
                     variation.delta_claimed, all.p_value, all.epsilon_bound);
}

Result<std::string> one_run_column() {
  TrainingRequest request;
  request.epsilon = 2;
  request.lambda = 1;
  request.batch = 2500;
  request.epochs = 25;
  request.clip_norm = 0.05;
  DPFERMI_ASSIGN(const OneRunSetup setup, one_run_invented(request, 10'000, 1500, kSeed));
  DPFERMI_ASSIGN(const OneRunOutcome outcome, run_once(setup, kSeed));
  return fmt::format("{:.2f}", one_run_epsilon(outcome.guesses, outcome.claimed.delta, 0.05));
}

void print_row(std::string_view defect, std::size_t games, Workers& workers) {
  fmt::print("| {}", defect);
  for (const Adjacency adjacency : {Adjacency::kSensitive, Adjacency::kReplaceRecord}) {
    const Result<std::string> columns = game_columns(adjacency, games, workers);
    fmt::print(" | {}", columns ? *columns : "refused | | ");
  }
  const Result<std::string> column = one_run_column();
  fmt::print(" | {} |\n", column ? *column : "refused");
  std::fflush(stdout);
}

int run(std::size_t games) {
  Workers workers(2);
  fmt::print(
      "| defect | sensitive: total variation | p | eps >= | replace-record: total variation | p | "
      "eps >= | one run: eps >= |\n|---|---|---|---|---|---|---|---|\n");
  print_row("none", games, workers);
  for (const MutantInfo& info : all_mutants()) {
    using enum Mutant;
    const bool shown = info.mutant == kLongContributions || info.mutant == kSegmentsAsOne ||
                       info.mutant == kFewerStepsPriced || info.mutant == kHalfNoise ||
                       info.mutant == kLambdaAfterClip || info.mutant == kClipAfterAveraging ||
                       info.mutant == kHigherRate || info.mutant == kShuffledBatches ||
                       info.mutant == kNoNoise;
    if (!shown) continue;
    plant(info.mutant);
    print_row(info.defect, games, workers);
    plant(Mutant::kNone);
  }
  return 0;
}

}  // namespace
}  // namespace dpfermi

int main(int argc, char** argv) {
  return dpfermi::run(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 10'000);
}
