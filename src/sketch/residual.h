#pragma once

/// What a proxy misses, asked privately: E[(s - p~) F_theta], k x l numbers a round, for the hard
/// decisions F of one model. The sums over groups of public decisions are released as a sketch's
/// are, with vectors of length 1 in the place of phi; compared with what the proxy makes of them
/// they correct it (MaxEntropy::add), and for a finished model they bound its true violation
/// (violation_interval).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/mechanism/privatizer.h"
#include "sketch/max_entropy.h"
#include "sketch/sketch.h"
#include "sketch/violation_bounds.h"

namespace dpfermi {

/// Queries as they were charged.
struct QueryPlan {
  FairnessSetting setting;
  Adjacency adjacency = Adjacency::kSensitive;
  double noise_multiplier = 0;  ///< z of each
  std::uint64_t count = 0;
  std::size_t part = 0;  ///< of the joint plan in the ledger
};

/// Those that follow a sketch.
QueryPlan residual_queries(const SketchPlan& plan);

class ResidualQueries {
 public:
  /// `charge` is the number of the plan in the ledger; all queries are claimed at once.
  static Result<ResidualQueries> create(const Dataset& data, const QueryPlan& plan,
                                        StepLedger& ledger, std::uint64_t charge,
                                        NoiseSource& noise);

  /// One round: the decisions of a model, a class for every row, as (yhat_j - 1/l) / sqrt(1 - 1/l)
  /// for every class j (for two classes one number, +1 or -1), summed by condition and group.
  /// Requires that nothing but released answers tied them to s.
  Result<DenseStatistic> ask(std::span<const std::uint16_t> decisions);

  std::uint64_t remaining() const { return privatizer_.remaining(); }

 private:
  ResidualQueries(const Dataset& data, const FairnessSetting& setting, Privatizer privatizer)
      : data_(&data), setting_(setting), privatizer_(std::move(privatizer)) {}

  const Dataset* data_;
  FairnessSetting setting_;
  Privatizer privatizer_;
};

}  // namespace dpfermi
