#pragma once

/// How well and how fairly a model does, from a released table of counts: rates and violations as
/// in metrics.h, each with an interval. Computed from released and public numbers alone, so it
/// costs no privacy.
///
/// All intervals hold together with probability >= kConfidence (Bonferroni over all statements that
/// are printed). There are two kinds:
///   interval    of the exact figure of *these* rows: noise is the only thing in doubt
///   population  of the people that the rows were drawn from, independently: sampling as well.
///               Clopper-Pearson inside the noise; left out where a person has several rows.
/// docs/evaluation.md has the maths.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dpfermi/objective/per_notion.h"
#include "dpfermi/privacy/adjacency.h"

namespace dpfermi {

struct NoisyTable;

/// What is asked for. The budget buys one table of counts (evaluate/private_release.h).
struct EvaluationRequest {
  Adjacency adjacency = Adjacency::kSensitive;
  double epsilon = 1;
  std::optional<double> delta;  ///< 1/n^2
  /// n, under add-remove-record, where it is not to be counted; needed if delta is open.
  std::optional<std::uint32_t> declared_units;
};

struct Interval {
  double low = 0;
  double high = 1;
};

struct NoisyFigure {
  std::optional<double> value;  ///< nothing where the group cannot be told from an empty one
  Interval interval;
  std::optional<Interval> population;
};

/// Units are records, or persons, who count with the mean over their rows.
struct PrivateGroup {
  NoisyFigure units;              ///< low > 0: the group is there
  std::vector<NoisyFigure> rate;  ///< P(yhat=j | s) for every class
  NoisyFigure error;
  NoisyFigure true_positive_rate;   ///< of the favourable class
  NoisyFigure false_positive_rate;  ///< the same among units with other labels
  /// These follow from the intervals above and those of the sizes that rates are shares of; they
  /// hold whenever those do, and are no further statements. Recall is the true positive rate.
  NoisyFigure balanced_error;  ///< [0, 1] where a label may not be there
  NoisyFigure precision;       ///< P(y favourable | yhat favourable); no population interval
};

/// Over the groups (given the condition) that are surely there; nothing is said, [0, 1], where
/// there are fewer than two.
using PrivateViolations = ByNotion<NoisyFigure>;

struct PrivateMetrics {
  static constexpr double kConfidence = 0.95;

  NoisyFigure units;  ///< low = high where their number is public
  NoisyFigure error;
  PrivateViolations violation;
  std::vector<PrivateGroup> groups;  ///< in the order of the domain
  std::size_t statements = 0;        ///< how many intervals hold together
};

/// Requires favourable < table.classes.
PrivateMetrics private_metrics(const NoisyTable& table, std::size_t favourable);

/// {"exact_not_private": false, "confidence", "statements", "rows" or "persons", "error",
/// "violation", "groups"}; an estimate is {"value", "low", "high", "population": {"low", "high"}},
/// its value null and its population left out where there is none. Requires one name per group.
std::string to_json(const PrivateMetrics& metrics, bool persons,
                    std::span<const std::string> group_names);

}  // namespace dpfermi
