#pragma once

/// Intervals for counts and for ratios of counts that carry the noise of a NoisyTable.

#include <limits>

#include "dpfermi/evaluate/private_metrics.h"
#include "evaluate/private_release.h"

namespace dpfermi {

/// A sum of cells of one table.
struct Part {
  double value = 0;  ///< with noise
  double cells = 0;  ///< how many of them carry noise
  double most = 0;   ///< the sum cannot be larger, by public totals; may be infinite
};

/// The quantile of the standard normal law that |N(0,1)| exceeds with probability `tail`.
double two_sided_quantile(double tail);

/// Ensures: holds the exact count unless the noise of the sum exceeds z deviations.
Interval count_interval(const Part& part, const TableNoise& noise, double z);

/// For p = yes / (yes + no), by inverting a test (Fieller): p is kept where
/// |yes - p (yes + no)| = |(1-p) yes - p no| <= z sd(p) + slack. At the exact p the exact counts
/// cancel and what remains is noise of known deviation, however small the group.
/// Cut to what public totals allow, given that yes + no is at least `fewest`.
/// Ensures: holds the exact p unless that one combination of the noise exceeds z deviations or
/// yes + no < fewest; [0, 1] where nothing can be said.
Interval rate_interval(const Part& yes, const Part& no, const TableNoise& noise, double z,
                       double fewest);

/// For the p of a population of which the counted records are independent draws: the union of
/// Clopper-Pearson intervals, each missing p with probability <= `tail`, over all counts that lie
/// within z deviations of the noisy ones. It is attained at two corners, because the limits rise
/// with successes and fall with failures.
Interval population_interval(const Part& yes, const Part& no, const TableNoise& noise, double z,
                             double tail);

}  // namespace dpfermi
