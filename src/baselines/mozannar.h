#pragma once

/// `mozannar`: fair learning from randomised answers (Mozannar, Ohannessian and Srebro 2020, "Fair
/// Learning with Private Demographic Data"). Everybody answers about their group with epsilon of
/// local privacy. On one half of the rows `reductions` makes a mixture that is fair by the answers
/// (equalized odds); on the other half the table of decisions, true groups and labels is recovered
/// from the answers, P(yhat, a, y) = Pi^-1 P(yhat, z, y), and post-processed as `hardt` does.
///
/// **Protects** the sensitive attribute (adjacency `sensitive`), with pure epsilon, even against
/// the training party: what is charged is what the authors claim. **Needs s at prediction**, and
/// draws its decisions.
///
/// Deviations: none in the numbers (gamma = .001, T = 50, rate .5/B, tolerance 1e-4 in the second
/// step). Rows alternate between the halves. Entries of the recovered table below 0 are set to 0.

#include <span>
#include <vector>

#include "optimize/baseline.h"

namespace dpfermi {

/// Pi^-1 of randomised response: counts by true value from counts by answer, where the truth is
/// kept with probability `keep` and every other answer is equally likely. Requires at least two
/// values and keep > 1 / their number.
std::vector<double> true_counts(std::span<const double> answers, double keep);

namespace methods {
extern const MethodDescriptor mozannar;
}  // namespace methods

}  // namespace dpfermi
