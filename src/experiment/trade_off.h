#pragma once

/// The records of a sweep as curves: a panel is a data set under a protocol with a notion; a curve
/// is a method at one epsilon; a point of it is one lambda or target, measured on every split.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiment/figures.h"
#include "experiment/frontier.h"
#include "experiment/run_record.h"

namespace dpfermi {

/// Which rows a violation is measured on. Curves are compared by errors on test rows in either
/// case; beside the free line errors are those of the same rows as violations.
enum class ViolationOf {
  kTest,   ///< what is asked for; of n rows without any gap, chance alone makes about 1/sqrt(n)
  kTrain,  ///< three times as many rows: less chance, but the rows that were trained on
};

/// What became of targets, run by run.
struct TargetCounts {
  std::size_t met = 0, missed = 0, untold = 0;  ///< by released figures: "cannot be told"
  /// Runs that claim to know and are above the target by more than .01 (within labels .02) on the
  /// training rows as they are.
  std::size_t strayed = 0;
  /// Runs that released an interval, and those of them where it holds what it is about.
  std::size_t intervals = 0, covered = 0;

  TargetCounts& operator+=(const TargetCounts& other);
};

/// One lambda: figures split by split.
struct CurveModel {
  std::optional<double> lambda;
  std::optional<double> target;
  std::vector<std::uint32_t> splits;
  std::vector<std::size_t> runs;  ///< of the records, by index; none for published means
  std::vector<double> error, violation, train_error, train_violation;
  std::vector<double> constant_error, train_constant_error;  ///< of the best one; NaN: not known
  std::vector<double> seconds;  ///< of training; none for published means
  TargetCounts targets;         ///< of private runs for a target

  const std::vector<double>& errors(ViolationOf rows) const {
    return rows == ViolationOf::kTest ? error : train_error;
  }
  const std::vector<double>& violations(ViolationOf rows) const {
    return rows == ViolationOf::kTest ? violation : train_violation;
  }
  const std::vector<double>& constant_errors(ViolationOf rows) const {
    return rows == ViolationOf::kTest ? constant_error : train_constant_error;
  }
};

struct Curve {
  std::string method;
  std::optional<double> epsilon;  ///< nothing: not private
  std::vector<CurveModel> models;
  bool published = false;  ///< means of the authors' files, without splits of their own
  bool derived = false;    ///< follows from other runs (derived_free_line)

  /// Means over splits.
  std::vector<TradeOffPoint> means(ViolationOf rows) const;

  /// "dp-fermi, epsilon 1", "fermi", "published dp-fermi".
  std::string name() const;

  /// Of the method, whatever model, adjacency and delta the curve is for; null where the registry
  /// has none, and for published means.
  const MethodDescriptor* descriptor() const;

  /// Whether these are the paper's own means, not those of its baselines.
  bool is_papers() const;
};

struct Panel {
  std::string dataset;
  Protocol protocol = Protocol::kHonest;
  FairnessNotion notion = FairnessNotion::kDemographicParity;
  std::uint32_t least_group = 0;  ///< training units; smaller groups are not compared
  std::vector<Curve> curves;

  std::string name() const;  ///< "adult, honest, demographic-parity"
  const Curve* find(const std::string& method, std::optional<double> epsilon) const;
};

/// The line from a model that ignores fairness to the best constant, on one split: a coin between
/// the two reaches every point of it, needs no protected attribute and costs no privacy.
struct FreeLine {
  TradeOffPoint plain, constant;

  /// The least error on it at a violation of at most `violation`.
  double error_at(double violation) const;
};

/// The line of every split on these rows, by number: from the curve of `coin`; without one, where
/// there are two classes, from `erm` and the shares of the classes, or the constant alone where
/// `erm` is missing. Splits of which neither is known are left out.
std::map<std::uint32_t, FreeLine> free_lines(const std::vector<Curve>& curves, ViolationOf rows);

/// The ends of the free line as a curve of `coin`: the model that ignores fairness and the
/// constant, or the constant alone. Nothing where the sweep has `coin`, or where no end is known.
std::optional<Curve> derived_free_line(const std::vector<Curve>& curves);

/// How a model lies to the free line on the same rows, paired split by split.
struct AboveLine {
  Estimate excess;         ///< its error less that of the line at its violation; < 0: below
  Estimate over_constant;  ///< its error less that of the constant
};
/// Nothing where the line is not known on any of the model's splits.
std::optional<AboveLine> above_line(const CurveModel& model,
                                    const std::map<std::uint32_t, FreeLine>& lines,
                                    ViolationOf rows);

/// In the order of the records. Models with hidden layers, another adjacency or a delta of their
/// own are curves of their own names ("dp-fermi (hidden 32)").
std::vector<Panel> make_panels(const std::vector<RunRecord>& runs);

/// What the paper published for a panel's data set and notion, whatever the protocol.
std::vector<Curve> published_curves(const std::string& dataset, FairnessNotion notion);

}  // namespace dpfermi
