#pragma once

/// Statistical checks and what they may cost in false alarms.

#include <string>
#include <vector>

#include "dpfermi/audit/finding.h"

namespace dpfermi {

/// How likely a correct build is to be accused, tier by tier. Within a tier the share is divided
/// evenly among all checks (Bonferroni), so the sum holds whatever depends on what. T0 is
/// deterministic and accuses nobody by chance.
struct FalseAlarmBudget {
  static constexpr double kNoise = 2e-5;
  static constexpr double kSampler = 2e-5;
  static constexpr double kAttribute = 5e-5;
  static constexpr double kOneRun = 1e-5;
  static constexpr double kTotal = kNoise + kSampler + kAttribute + kOneRun;
};
static_assert(FalseAlarmBudget::kTotal <= 1.0001e-4);

/// One claim and the evidence against it.
struct Check {
  std::string attempt;
  std::string claimed;
  std::string observed;
  double p_value = 1;  ///< how likely this, or worse, is where the claim is true: at most
  std::string note;
};

/// What a check was made on.
struct Subject {
  std::string method;
  Adjacency adjacency = Adjacency::kSensitive;
  std::string name;
};

/// Red is what a true claim would show with probability false_alarms / (number of checks) at most.
std::vector<Finding> judge(Tier tier, const Subject& subject, std::vector<Check> checks,
                           double false_alarms);

}  // namespace dpfermi
