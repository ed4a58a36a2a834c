#pragma once

/// pi_c and p_{r|c}, the marginals that psi divides by: released once with noise, or exact.

#include "data/dataset.h"
#include "data/unit_rows.h"
#include "dpfermi/privacy/statement.h"
#include "objective/ermi_penalty.h"
#include "optimize/training_plan.h"
#include "privacy/mechanism/counts_privatizer.h"

namespace dpfermi {

/// pi_c over units, where labels are public: a person counts with the mean over their rows.
std::vector<double> condition_shares(const Dataset& data, const UnitRows& rows,
                                     const FairnessSetting& setting);

/// Noisy counts of units by condition and group, made into marginals: at least a standard deviation
/// of the noise in every cell. A person is counted by one of their rows, so that each is in one
/// cell.
Result<GroupMarginals> release_marginals(const Dataset& data, const TrainingPlan& plan,
                                         CountsPrivatizer& privatizer);

/// Standard deviation of the noise on each p_{r|c} that release_marginals gives.
/// Why: with counts N_j + e_j, the e_j independent of variance sigma^2 and N their sum, a share
/// moves by (e_r - p_r sum_j e_j) / N to first order, which has the variance
/// sigma^2 ((1 - p_r)^2 + (k - 1) p_r^2) / N^2. Other counts at the floor hardly move and are
/// not among the k. For a share that is at the floor itself this is an upper bound.
std::vector<double> share_deviations(const TrainingPlan& plan, const GroupMarginals& marginals);

/// Marks the groups whose noisy count is large enough to tell that they are there.
void mark_known(const TrainingPlan& plan, GroupMarginals& marginals);

/// pi_c and p_{r|c} as they are, 0 without members; a person counts with the mean over their rows.
GroupMarginals exact_marginals(const Dataset& data, const FairnessSetting& setting,
                               const ExactRead& read);
/// The same of groups that have been read.
GroupMarginals marginals_of(const std::vector<std::uint16_t>& s, const Dataset& data,
                            const FairnessSetting& setting);

/// The same, but a group without members gets one, as its share is a divisor, and is marked as not
/// known: it moves neither W nor the violation.
GroupMarginals positive_marginals(const Dataset& data, const FairnessSetting& setting,
                                  const ExactRead& read);

}  // namespace dpfermi
