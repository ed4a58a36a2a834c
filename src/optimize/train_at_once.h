#pragma once

/// Training without noise over all rows at once: deterministic, by L-BFGS.

#include "optimize/training.h"
#include "optimize/training_run.h"
#include "sketch/proxy_training.h"

namespace dpfermi {

/// Iterations for the minimum of the loss: kLossIterations, or, of models with hidden layers,
/// kHiddenIterations, which do not converge.
std::size_t loss_iterations(const ModelSpec& model);
/// The same where a private training follows: with hidden layers no more rows are gone over than
/// there, in its public and its secret batches.
std::size_t start_iterations(const TrainingPlan& plan, std::size_t rows);

/// The parameters that minimise the loss, from `theta` on, in at most `most` iterations; s is not
/// read. `watch` as in ProxyTraining.
Result<ProxyFit> minimise_loss(const Dataset& data, const ModelSpec& model,
                               std::vector<double> theta, Workers& workers, std::size_t most,
                               const std::function<bool(std::span<const double>)>& watch = {});

/// Iterations that train_at_once() takes at most.
std::size_t most_iterations(const TrainingPlan& plan);

/// The minimum of the loss alone, or of loss + lambda psi with s in the place of its proxy, or what
/// meets the plan's target: a model (sketch/proxy_training.h) or, where that misses it or is above
/// the free line, a mixture of two (optimize/model_choice.h). Groups without members take no
/// part. Reads s if reads_groups_exactly(plan).
Result<TrainingResult> train_at_once(const Dataset& data, const TrainingPlan& plan,
                                     ExactOpening opening, NoiseSource& noise,
                                     const TrainingHooks& hooks);

}  // namespace dpfermi
