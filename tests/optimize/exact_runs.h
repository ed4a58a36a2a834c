#pragma once

/// Whole runs without noise on generated tables, and what became of them on the training rows.

#include <gtest/gtest.h>

#include <algorithm>

#include "dpfermi/evaluate/metrics.h"
#include "model/decision_rule.h"
#include "optimize/many_groups.h"
#include "optimize/training.h"
#include "privacy/research_ledger.h"
#include "random/lane.h"

namespace dpfermi::testing_support {

struct Judged {
  std::vector<double> theta;
  double error = 0;
  double violation = 0;
  double constant_error = 0;

  /// The error at a violation that a coin between this model and the best constant has.
  double line_at(double at) const {
    const double share = violation > 0 ? std::min(at / violation, 1.0) : 1;
    return constant_error + share * (error - constant_error);
  }
};

inline Judged train_and_judge(const Dataset& data, const TrainingRequest& request,
                              unsigned threads = 1) {
  constexpr std::size_t kFavoured = 1;
  const TrainingPlan plan = plan_training(request, data, kFavoured).value();
  ResearchLedger ledger;
  TrainingHooks hooks;
  hooks.threads = threads;
  const TrainingResult result = train(data, plan, ledger, seeded_noise(1), hooks).value();
  const Metrics metrics =
      rule_metrics(result.rule, plan.model, result.theta, data, kFavoured, Draws::kExpected)
          .value();
  std::vector<double> labels(data.classes);
  for (const std::uint16_t y : data.y) labels[y] += 1 / static_cast<double>(data.rows());
  return {result.theta, metrics.error, metrics.fairness->violation[request.notion],
          1 - std::ranges::max(labels)};
}

}  // namespace dpfermi::testing_support
