#pragma once

/// Statistical checks and what they may cost in false alarms.

#include <string>
#include <vector>

#include "audit/finding.h"

namespace dpfermi {

/// Shares of the audit's false-alarm rate (AuditOptions, 1e-4): most goes where every bit of power
/// counts. T0 is deterministic and has no false alarms.
struct FalseAlarmBudget {
  static constexpr double kNoise = 0.15;
  static constexpr double kEvaluation = 0.05;
  static constexpr double kSampler = 0.2;
  static constexpr double kAttribute = 0.5;
  static constexpr double kOneRun = 0.1;
};

/// One claim and the evidence against it.
struct Check {
  std::string attempt;
  std::string claimed;
  std::string observed;
  double p_value = 1;  ///< how likely this, or worse, is where the claim is true: at most
  std::string note;
};

void append_checks(std::vector<Check>& checks, std::vector<Check> more);

/// What a check was made on.
struct Subject {
  std::string method;
  Adjacency adjacency = Adjacency::kSensitive;
  std::string name;
};

/// Red is what a true claim would show with probability false_alarms / (number of checks) at most.
std::vector<Finding> judge(Tier tier, const Subject& subject, std::vector<Check> checks,
                           double false_alarms);

/// The same for many checks of one thing: where none is red they become one finding, told by the
/// first of them, with the p-value of all.
std::vector<Finding> judge_together(Tier tier, const Subject& subject, std::vector<Check> checks,
                                    double false_alarms);

}  // namespace dpfermi
