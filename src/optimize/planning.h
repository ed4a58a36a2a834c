#pragma once

/// The parts of plan_training.

#include "optimize/training_plan.h"

namespace dpfermi {

/// Refuses a lambda, a target or a kind of model that makes no sense.
Status check_goal(const TrainingRequest& request);

/// Sets lambda and the target of a plan whose notion is set.
void set_goal(const TrainingRequest& request, TrainingPlan& plan);

/// The mean of |[x, 1]|^2, or what a network has in its place: the scale of outputs and gradients.
double mean_square(const TrainingRequest& request, const Dataset& data);

/// The plan of a method that releases nothing with noise: softmax regression takes all rows at
/// once, unless the request says how to make steps or the table is too large.
Result<TrainingPlan> plan_exact(const TrainingRequest& request, const Dataset& data,
                                TrainingPlan plan);

/// Noise for the counts from their share of the budget, then noise for the steps such that all of
/// it together costs epsilon.
Status plan_noise(const TrainingRequest& request, TrainingPlan& plan);

/// sigma of each of `releases` tables of counts that together take their share of the budget.
double counts_noise(Adjacency adjacency, double epsilon, double delta, std::uint64_t releases);

/// Step sizes and number of steps as the convergence theorem of noisy SGDA prescribes them
/// (label `thm: SGDA formal` of the paper):
///   eta_theta = 1 / (16 kappa_w (beta_theta + beta_thetaw kappa_thetaw)),  eta_w = 1 / beta_w,
///   T = sqrt(kappa_w [Delta (beta_theta + beta_thetaw kappa_thetaw) + beta_thetaw^2 D^2])
///       epsilon n min(1 / (L_theta sqrt(d_theta)), beta_w / (beta_thetaw L_w sqrt(kappa_w d_w))),
/// with the constants of loss + lambda psi for a model whose probabilities have gradients of length
/// at most X/4, X^2 = `square`. The theorem needs F_j bounded below for strong concavity (modulus
/// 2 lambda min_j F_j), which no model grants; 0.05 stands in for it. W ascends and the iterate is
/// uniformly random, as in the theorem.
void apply_theorem(const TrainingRequest& request, double square, TrainingPlan& plan);

}  // namespace dpfermi
