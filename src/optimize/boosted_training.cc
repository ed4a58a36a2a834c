#include "optimize/boosted_training.h"

#include "core/stopwatch.h"

namespace dpfermi {

Result<BoostedTrees> trees_of(const Dataset& data, const TrainingHooks& hooks) {
  if (hooks.grown != nullptr) return *hooks.grown;
  Workers workers(hooks.threads);
  return grow_trees(data, workers, [&](std::size_t sets) {
    return !hooks.progress || hooks.progress({sets, kTreeSets, 0, {}});
  });
}

Result<TrainingResult> train_boosted(const Dataset& data, const TrainingPlan& plan,
                                     PrivacyStatement statement, const TrainingHooks& hooks) {
  const Stopwatch watch;
  DPFERMI_ASSIGN(BoostedTrees trees, trees_of(data, hooks));
  TrainingResult result;
  result.model = trees.model;
  result.theta = std::move(trees.theta);
  result.scores = std::move(trees.out_of_fold);
  result.gains = std::move(trees.gains);
  result.lambda = plan.lambda;
  result.steps = trees.rounds;
  result.statement = std::move(statement);
  result.seconds = watch.seconds();
  return result;
}

}  // namespace dpfermi
