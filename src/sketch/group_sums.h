#pragma once

/// Sums over the rows of every condition and group of vectors that are public themselves:
///
///   A_{c,r} = sum_i w_i 1[c_i = c, s_i = r] v_i,    w_i = 1 / (rows of the unit).
///
/// Only which block v_i falls into is secret: neighbours are sqrt(2) bound apart at most, and the
/// sums over all groups are public. docs/proofs/group-sums.md has the argument.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "data/unit_rows.h"
#include "dpfermi/core/result.h"
#include "dpfermi/privacy/mechanism/privatizer.h"
#include "dpfermi/privacy/statement.h"
#include "objective/ermi_penalty.h"

namespace dpfermi {

/// v_i, a function of the public part of row i (and of what was released before), |v_i| <= bound.
struct PublicVectors {
  std::size_t size;
  double bound;
  std::function<void(std::uint32_t row, std::span<double> out)> write;
};

/// What is known about A.
struct GroupSums {
  std::size_t conditions = 1;  ///< m
  std::size_t groups = 2;      ///< k
  std::size_t size = 0;        ///< of one vector
  std::vector<double> sums;    ///< m x k x size; over groups they add up to the public totals
  /// Standard deviation of the noise on each entry, before it was projected: afterwards the noise
  /// of an entry has the variance (1 - 1/k) noise^2, and the difference of two groups 2 noise^2.
  double noise = 0;

  std::span<const double> of(std::size_t condition, std::size_t group) const {
    return std::span(sums).subspan((condition * groups + group) * size, size);
  }
};

/// The layout of a unit's contribution.
Result<ContributionLayout> group_sums_layout(const FairnessSetting& setting,
                                             const PublicVectors& vectors, double noise_multiplier);

/// The event of one such release. Refused where features are not public.
Result<PrivacyEvent> group_sums_event(Adjacency adjacency, std::uint32_t units,
                                      double noise_multiplier);

/// One release of `privatizer`, which was made for that layout, over all units.
Result<GroupSums> release_group_sums(const Dataset& data, const FairnessSetting& setting,
                                     const PublicVectors& vectors, Privatizer& privatizer);

/// A itself, for methods that are not private.
GroupSums exact_group_sums(const Dataset& data, const FairnessSetting& setting,
                           const PublicVectors& vectors, const ExactRead& read);

}  // namespace dpfermi
