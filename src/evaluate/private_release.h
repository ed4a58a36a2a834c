#pragma once

/// The one release behind a private evaluation: the table of units by group, label and decision,
/// with noise, charged before s is read. Everything else (rates, violations, intervals) is computed
/// from it and costs nothing more.
///
/// A record counts 1 in one cell and gets an exact discrete Gaussian (CountsPrivatizer). A person
/// with m rows counts 1/m per row, one in all, and gets the rounded Gaussian (Privatizer) on the
/// table less its mean over whatever has a public total: what is left of a person has l2 norm
/// <= sqrt(1 - 1/b), b the number of cells that share a total.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "dpfermi/evaluate/private_metrics.h"
#include "dpfermi/privacy/adjacency.h"
#include "dpfermi/privacy/ledger.h"
#include "dpfermi/privacy/statement.h"
#include "dpfermi/random/noise_source.h"

namespace dpfermi {

/// Every number of the release, fixed before protected data is read.
struct EvaluationPlan {
  std::size_t groups = 0;
  std::size_t classes = 0;
  bool persons = false;
  double noise = 0;  ///< sigma of the discrete Gaussian; of persons, the noise multiplier
  Charge charge;     ///< priced: what the ledger is asked for
};

/// Noise of the least deviation that epsilon pays for, but never less than 1 a count: below, noise
/// is lumpy, intervals gain nothing, and the budget is better kept.
/// Reads of `data` what the adjacency leaves public.
Result<EvaluationPlan> plan_evaluation(const EvaluationRequest& request, const Dataset& data);

/// The noise of a sum over a of the table's cells: variance sigma^2 (own a - shared a^2), and at
/// most `slack` beyond what a normal law gives.
struct TableNoise {
  double sigma = 0;
  double own = 1;     ///< less than 1 where totals over groups are public
  double shared = 0;  ///< 1 / cells where the total of the table is public
  double slack = 0;   ///< half a step of the integers; of persons, what rounding may add
};

/// What came out, made to agree with what is public (least squares, which is best for equal
/// noise): with the totals over groups under adjacency `sensitive`, with n under replace-record.
struct NoisyTable {
  std::size_t groups = 0;
  std::size_t classes = 0;
  std::vector<double> counts;   ///< by group, label, decision: (r l + y) l + j
  std::vector<double> totals;   ///< by label, decision, over groups, where public; else empty
  std::optional<double> units;  ///< n, where public
  bool persons = false;
  TableNoise noise;

  double count(std::size_t group, std::size_t label, std::size_t decision) const {
    return counts[(group * classes + label) * classes + decision];
  }
};

/// Charges the plan, then reads s. `decisions` holds the class that is decided for each row.
Result<NoisyTable> release_table(const EvaluationPlan& plan,
                                 std::span<const std::uint16_t> decisions, const Dataset& data,
                                 Ledger& ledger, NoiseSource noise);

/// The statement of that release, without the names that only a table knows.
PrivacyStatement statement_of(const EvaluationPlan& plan, Reproducibility noise);

}  // namespace dpfermi
