#pragma once

/// A run: from a plan to a trained model.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "dpfermi/optimize/min_max_solver.h"
#include "dpfermi/privacy/ledger.h"
#include "dpfermi/privacy/statement.h"
#include "dpfermi/random/noise_source.h"
#include "model/decision_rule.h"
#include "optimize/training_plan.h"
#include "sketch/residual.h"

namespace dpfermi {

class DeepNetwork;
class Team;  // core/team.h

/// Where a run stands, for people who wait; nothing in it is secret.
struct TrainingProgress {
  std::uint64_t step;
  std::uint64_t steps;
  double lambda;
  std::span<const double> theta;  ///< of this step, whatever the iterate rule will choose
  /// How much of what comes before the first step is done; below 1 nothing has been charged.
  double start = 1;
};

/// All that a run needs to go on after a crash; nothing in it is secret. docs/training.md says what
/// is charged for the steps in between.
struct TrainingCheckpoint {
  TrainingPlan plan;
  SolverState state;
  double lambda = 0;
  std::vector<double> shares, marginals;   ///< pi_c, p_{r|c}
  std::vector<double> table;               ///< the smoothed sums
  std::uint64_t ledger_plan = 0;           ///< number of the charge
  std::vector<std::uint16_t> merged = {};  ///< as in TrainingResult
};

struct BoostedTrees;
struct TrainingResult;

struct TrainingHooks {
  std::function<bool(const TrainingProgress&)> progress;  ///< false ends the run
  std::uint64_t checkpoint_every = 0;                     ///< steps; 0: never
  std::function<Status(const TrainingCheckpoint&)> checkpoint;
  const TrainingCheckpoint* resume = nullptr;
  std::vector<double> start;     ///< theta_0, public; empty: small random values
  std::vector<double> repaired;  ///< the model to repair; empty: data.scores, or it is trained
  /// Trees that were grown on these rows before (trees/boosted_trees.h); null: they are grown.
  const BoostedTrees* grown = nullptr;
  DeepNetwork* deep_network = nullptr;  ///< the model, where the plan is for one
  /// Where a sketch is for a model that is trained elsewhere: trains it by the proxy of the result
  /// so far, reading nothing protected, and returns what it decides about every row. Asked again
  /// with every proxy that residual queries have corrected; theta stays that of the first proxy's
  /// model.
  std::function<Result<std::vector<std::uint16_t>>(const TrainingResult& so_far)> follow;
  unsigned threads = 1;
  Team* team = nullptr;  ///< the processes that share the work on rows; null: this one
};

/// Whether the released violation of hard decisions on the training rows is within the target.
struct TargetVerdict {
  std::optional<bool> met;  ///< nothing: it cannot be told
  double released = 0;      ///< the violation, as far as it can be seen
  bool blurred = false;     ///< some rates are: they count less what noise may explain
  double deviation = 0;     ///< the largest standard deviation of the noise on a compared rate
  std::size_t cell = 0;     ///< whose: condition x groups + group
};

struct TrainingResult {
  ModelSpec model;             ///< of one member, where the rule mixes several
  DecisionRule rule;           ///< how decisions come about; by default the most likely class
  std::vector<double> theta;   ///< the members' parameters, one after another
  double lambda = 0;           ///< as it ended, where it was steered
  std::uint64_t steps = 0;     ///< made
  PrivacyStatement statement;  ///< without the names that only a table knows (id column, domain)
  /// Where numbers of the plan followed from what was read: the plan with them.
  std::optional<TrainingPlan> settled;
  /// What the private sums say about the last steps: p_{r|c} (conditions x groups) and, where
  /// lambda was steered, the share of decisions for each class (conditions x groups x classes).
  std::vector<double> released_shares;
  /// Standard deviation of the noise on each released share; empty where it is not known.
  std::vector<double> share_deviations;
  std::vector<bool> known_groups;  ///< conditions x groups: large enough to be told from noise
  /// Where small groups were to be merged: the group that each of the groups is counted as.
  std::vector<std::uint16_t> merged;
  std::vector<double> released_rates;
  std::optional<ViolationInterval> violation;  ///< of decisions on these rows, where it was asked
  std::optional<TargetVerdict> target;         ///< where one was given and released figures tell
  std::string returned;      ///< where the model is not the trained one: which, and why
  std::vector<float> proxy;  ///< rows x groups: p~(s | x, c), where a sketch was released
  /// rows x l: scores of the training rows by trees that have not seen them, which say more about
  /// new rows than those of the model; empty: the model's own.
  std::vector<float> scores;
  std::vector<double> gains;  ///< of boosted trees (trees/boosted_trees.h), for people
  double seconds = 0;         ///< of the steps alone
};

/// Whether the mechanism, the starting values, the checkpoint and, where the plan is for one, the
/// network fit the data and the plan: whatever can be known before anything is charged. Asks the
/// network whether it is alive; reads nothing protected.
Status check_run(const Dataset& data, const TrainingPlan& plan, const TrainingHooks& hooks);

/// Charges the plan to the ledger, then reads the data; without noise, as a training without noise
/// (charge_exact). The noise source gives the noise, the secret batches and the starting values;
/// whether it is secret goes into the statement. Baselines train by their options alone.
Result<TrainingResult> train(const Dataset& data, const TrainingPlan& plan, StepLedger& ledger,
                             NoiseSource noise, const TrainingHooks& hooks = {});

}  // namespace dpfermi
