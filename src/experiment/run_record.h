#pragma once

/// What is kept of one run: a line of JSON in a results folder.
///
///   {"key", "spec": {...}, "version", "exact_not_private": true, "train": {...}, "test": {...},
///    "released": {"violation", "met", "interval": [low, high]}, "compared_violation",
///    "privacy": {...} or null, "curve": [{"step", "error", "violation"}], "seconds": {...}}
///
/// The same sweep gives the same bytes every time, except what is under "seconds". Figures other
/// than those under "released" are exact, not private: a record is for the holder of the data.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/evaluate/metrics.h"
#include "dpfermi/objective/violation_interval.h"
#include "dpfermi/privacy/statement.h"
#include "experiment/run_spec.h"

namespace dpfermi {

/// One point of a training curve: on the training rows, with the parameters of that step.
struct CurvePoint {
  std::uint64_t step = 0;
  double error = 0;
  double violation = 0;  ///< of the run's notion
};

/// What a run with a target released about the violation of its decisions on training rows.
struct ReleasedViolation {
  double violation = 0;
  std::optional<bool> met;  ///< nothing: noise hides whether the target is met
  std::optional<ViolationInterval> interval;
};

struct RunRecord {
  RunSpec spec;
  std::string version;
  std::vector<std::string> groups;  ///< names, in the order of the metrics
  Metrics train;
  Metrics test;
  std::optional<ReleasedViolation> released;
  /// What a released interval is about, exactly (evaluate/compared_violation.h).
  std::optional<double> compared_violation;
  std::optional<PrivacyStatement> privacy;  ///< nothing where nothing is promised
  std::vector<CurvePoint> curve;            ///< of one split; empty for others
  double train_seconds = 0;
  double total_seconds = 0;
};

/// The figure of a notion.
double violation_of(const Metrics& metrics, FairnessNotion notion);
double soft_violation_of(const Metrics& metrics, FairnessNotion notion);

/// One line, without its end.
std::string to_json_line(const RunRecord& record);
Result<RunRecord> parse_record(const std::string& line);

}  // namespace dpfermi
