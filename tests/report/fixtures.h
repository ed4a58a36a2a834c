#pragma once

/// Records of runs that never were, with the figures that a test asks for.

#include <string>
#include <vector>

#include "experiment/run_store.h"

namespace dpfermi {

inline Metrics metrics_of(double error, double gap) {
  Metrics metrics;
  metrics.rows = 100;
  metrics.error = error;
  FairnessMetrics& fairness = metrics.fairness.emplace();
  fairness.favourable = 1;
  for (const FairnessNotion notion : fairness_notions()) {
    fairness.violation.add(notion, gap);
    fairness.soft_violation.add(notion, gap / 2);
  }
  for (const double rate : {0.2, 0.2 + gap}) {
    GroupMetrics group;
    group.rows = 50;
    group.rate = {1 - rate, rate};
    group.error = error;
    group.true_positive_rate = rate;
    fairness.groups.push_back(group);
  }
  return metrics;
}

inline PrivacyStatement statement_of(double epsilon) {
  PrivacyStatement statement;
  statement.cost = PrivacyCost{epsilon, 1e-6};
  statement.accountant = "PLD, certified upper bound";
  return statement;
}

/// A run on Adult.
struct RunOf {
  std::string method;
  std::optional<double> epsilon;
  double lambda = 0;
  double error = 0;
  double gap = 0;
  std::uint32_t split = 0;

  operator RunRecord() const {  // NOLINT(google-explicit-constructor)
    RunRecord run;
    run.spec.dataset = "adult";
    run.spec.method = method;
    run.spec.epsilon = epsilon;
    run.spec.lambda = lambda;
    run.spec.split = split;
    run.groups = {"f", "m"};
    run.train = metrics_of(error, gap);
    run.test = metrics_of(error, gap);
    if (epsilon) run.privacy = statement_of(*epsilon);
    return run;
  }
};

/// The same run with as many favourable labels as `share` says.
inline RunRecord with_labels(RunRecord run, double share) {
  for (Metrics* metrics : {&run.train, &run.test}) {
    metrics->performance.emplace().calibration = {{100, share, share}};
  }
  return run;
}

inline SweepResults results_of(std::vector<RunRecord> runs) {
  SweepResults results;
  results.description.title = "Test";
  results.description.stamp = kResearchStamp;
  results.description.command = "dpfermi sweep";
  results.runs = std::move(runs);
  results.complete = true;
  return results;
}

}  // namespace dpfermi
