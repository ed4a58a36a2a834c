#include "trees/boosted_trees.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <unordered_set>

#include "data/chosen_rows.h"
#include "data/split.h"
#include "data/unit_rows.h"
#include "model/tree_ensemble.h"
#include "trees/xgboost_booster.h"

namespace dpfermi {
namespace {

constexpr std::size_t kFolds = kTreeSets - 1;
constexpr std::uint64_t kFoldSeed = 1;

/// What every row counts, one on the mean over rows: how strongly XGBoost holds trees back depends
/// on the scale.
std::vector<float> row_weights(const Dataset& data) {
  const double scale = static_cast<double>(data.rows()) / static_cast<double>(data.unit_count);
  std::vector<float> weights;
  for (const double weight : loss_weights(data)) {
    weights.push_back(static_cast<float>(weight * scale));
  }
  return weights;
}

/// -log of the probability that outputs give to `label`.
double loss_of(std::span<const float> outputs, std::size_t label) {
  if (outputs.size() == 1) {
    const double v = label == 1 ? outputs[0] : -outputs[0];
    return v > 0 ? std::log1p(std::exp(-v)) : std::log1p(std::exp(v)) - v;
  }
  const double most = *std::ranges::max_element(outputs);
  double sum = 0;
  for (const float output : outputs) sum += std::exp(output - most);
  return most + std::log(sum) - outputs[label];
}

/// Whether the one who waits wants to stop, asked on the calling thread and seen on all.
class Growth {
 public:
  explicit Growth(const GrowthWatch& watch) : watch_(&watch) {}

  Status round_is_over(unsigned worker) {
    if (worker == 0 && !stopped_ && *watch_ && !(*watch_)(finished_)) stopped_ = true;
    return go_on();
  }
  Status go_on() const {
    return stopped_ ? failed("interrupted while trees were grown") : Status();
  }
  void finish() { ++finished_; }

 private:
  const GrowthWatch* watch_;
  std::atomic<std::size_t> finished_ = 0;  ///< sets of trees
  std::atomic<bool> stopped_ = false;
};

/// What all sets of trees share.
struct Ground {
  const Dataset* data;
  ModelSpec model;
  std::vector<float> weights;
  std::vector<std::uint32_t> fold_of;
};

/// Trees on all rows but those of a fold, and how they do on these.
struct FoldTrees {
  std::vector<std::uint32_t> rows;  ///< of the fold
  std::vector<double> losses;       ///< sum over them, after every round
  std::vector<GrownTree> trees;     ///< of all rounds
};

Result<BoosterRows> booster_rows(const Ground& ground, std::span<const std::uint32_t> rows) {
  return BoosterRows::create(ground.data->x, rows, ground.data->y, ground.weights);
}

double fold_loss(const Ground& ground, std::span<const std::uint32_t> rows,
                 std::span<const float> outputs) {
  const std::size_t width = ground.model.outputs();
  double sum = 0;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    sum += ground.weights[rows[at]] *
           loss_of(outputs.subspan(at * width, width), ground.data->y[rows[at]]);
  }
  return sum;
}

/// Grows until the loss has not fallen for a while.
Result<FoldTrees> grow_fold(const Ground& ground, std::uint32_t fold, unsigned worker,
                            Growth& growth) {
  DPFERMI_TRY(growth.go_on());
  FoldTrees grown;
  std::vector<std::uint32_t> others;
  for (std::uint32_t i = 0; i < ground.fold_of.size(); ++i) {
    (ground.fold_of[i] == fold ? grown.rows : others).push_back(i);
  }
  DPFERMI_ASSIGN(const BoosterRows held_out, booster_rows(ground, grown.rows));
  DPFERMI_ASSIGN(const BoosterRows rows, booster_rows(ground, others));
  DPFERMI_ASSIGN(Booster booster, Booster::create(ground.model, rows, &held_out));
  std::size_t best = 0;
  for (std::size_t round = 0; round < kMostTreeRounds && round <= best + kTreePatience; ++round) {
    DPFERMI_TRY(booster.add_round());
    DPFERMI_ASSIGN(const std::vector<float> outputs, booster.held_out_outputs());
    grown.losses.push_back(fold_loss(ground, grown.rows, outputs));
    if (grown.losses[round] < grown.losses[best]) best = round;
    DPFERMI_TRY(growth.round_is_over(worker));
  }
  DPFERMI_ASSIGN(grown.trees, booster.trees(ground.data->x.number_count()));
  growth.finish();
  return grown;
}

/// The number of rounds with the least loss on all folds together.
std::size_t best_rounds(const std::vector<FoldTrees>& folds) {
  std::size_t most = kMostTreeRounds;
  for (const FoldTrees& fold : folds) most = std::min(most, fold.losses.size());
  std::vector<double> losses(most);
  for (const FoldTrees& fold : folds) {
    for (std::size_t round = 0; round < most; ++round) losses[round] += fold.losses[round];
  }
  return static_cast<std::size_t>(std::ranges::min_element(losses) - losses.begin()) + 1;
}

std::vector<double> first_trees(const std::vector<GrownTree>& trees, std::size_t count) {
  std::vector<double> theta;
  for (std::size_t tree = 0; tree < count; ++tree) {
    theta.insert(theta.end(), trees[tree].nodes.begin(), trees[tree].nodes.end());
  }
  return theta;
}

/// outputs x inputs.
std::vector<double> total_gains(const ModelSpec& model, const std::vector<GrownTree>& trees) {
  std::vector<double> gains(model.outputs() * model.inputs);
  for (std::size_t tree = 0; tree < trees.size(); ++tree) {
    for (const auto& [column, gain] : trees[tree].gains) {
      gains[tree % model.outputs() * model.inputs + column] += gain;
    }
  }
  return gains;
}

/// Puts the scores of a fold's rows into `scores` (rows x l).
void score_fold(const Ground& ground, const FoldTrees& fold, std::size_t rounds,
                std::span<float> scores) {
  ModelSpec model = ground.model;
  const std::vector<double> theta = first_trees(fold.trees, rounds * model.outputs());
  model.tree_nodes = theta.size() / 3;
  const std::vector<float> own =
      tree_probabilities(model, theta, chosen_rows(ground.data->x, fold.rows));
  const std::size_t l = model.classes;
  for (std::size_t at = 0; at < fold.rows.size(); ++at) {
    std::ranges::copy(std::span(own).subspan(at * l, l),
                      scores.subspan(fold.rows[at] * l, l).begin());
  }
}

/// Trees on all rows.
Result<std::vector<GrownTree>> grow_all(const Ground& ground, std::size_t rounds, unsigned worker,
                                        Growth& growth) {
  std::vector<std::uint32_t> all(ground.data->rows());
  std::iota(all.begin(), all.end(), 0U);
  DPFERMI_ASSIGN(const BoosterRows rows, booster_rows(ground, all));
  DPFERMI_ASSIGN(Booster booster, Booster::create(ground.model, rows, nullptr));
  for (std::size_t round = 0; round < rounds; ++round) {
    DPFERMI_TRY(booster.add_round());
    DPFERMI_TRY(growth.round_is_over(worker));
  }
  DPFERMI_ASSIGN(std::vector<GrownTree> trees, booster.trees(ground.data->x.number_count()));
  growth.finish();
  return trees;
}

/// A thread at a time grows a fold from its first tree to its last.
Result<std::vector<FoldTrees>> grow_folds(const Ground& ground, Workers& workers, Growth& growth) {
  std::vector<Result<FoldTrees>> grown(kFolds);
  workers.run(kFolds, [&](std::size_t fold, unsigned worker) {
    grown[fold] = grow_fold(ground, static_cast<std::uint32_t>(fold), worker, growth);
  });
  std::vector<FoldTrees> folds;
  for (Result<FoldTrees>& fold : grown) {
    DPFERMI_ASSIGN(FoldTrees trees, std::move(fold));
    folds.push_back(std::move(trees));
  }
  return folds;
}

}  // namespace

Result<BoostedTrees> grow_trees(const Dataset& data, Workers& workers, const GrowthWatch& watch) {
  const std::vector<std::uint32_t> blocks = split_blocks(data);
  if (std::unordered_set(blocks.begin(), blocks.end()).size() < kFolds) {
    return failed(
        "boosted trees need five persons or different rows at least; bring more or use a model "
        "without trees");
  }
  const ModelSpec model{data.x.columns(), data.classes, {}, /*boosted=*/true};
  const Ground ground{&data, model, row_weights(data), deal_folds(blocks, kFolds, kFoldSeed)};
  Growth growth(watch);
  DPFERMI_ASSIGN(const std::vector<FoldTrees> folds, grow_folds(ground, workers, growth));
  BoostedTrees trees{model, {}, std::vector<float>(data.rows() * data.classes), best_rounds(folds)};
  // The trees on all rows, beside the scores of the folds.
  Result<std::vector<GrownTree>> all;
  workers.run(kFolds + 1, [&](std::size_t task, unsigned worker) {
    if (task == 0) {
      all = grow_all(ground, trees.rounds, worker, growth);
    } else {
      score_fold(ground, folds[task - 1], trees.rounds, trees.out_of_fold);
    }
  });
  DPFERMI_ASSIGN(const std::vector<GrownTree> grown, std::move(all));
  trees.theta = first_trees(grown, grown.size());
  trees.gains = total_gains(model, grown);
  trees.model.tree_nodes = trees.theta.size() / 3;
  return trees;
}

}  // namespace dpfermi
