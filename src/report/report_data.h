#pragma once

/// What a report says, before it becomes a page: the runs of a sweep as panels of curves with means
/// and standard errors, group rates, training curves and privacy statements, and the answer in
/// words that each panel gives.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiment/run_store.h"
#include "experiment/trade_off.h"
#include "report/answer.h"

namespace dpfermi {

/// Means over runs; what no run could say is missing.
struct PerformanceMeans {
  std::optional<double> balanced_error, auc, precision, recall, brier;
  std::vector<CalibrationBin> calibration;  ///< weighted by units; empty: not known
};

/// Means over runs of what a group gets.
struct GroupMeans {
  std::string name;
  double rows = 0;
  std::optional<double> rate;  ///< of the favourable prediction
  std::optional<double> error, true_positive_rate, false_positive_rate;
  PerformanceMeans performance;
};

/// What is known of a point beyond its place on the curve.
struct PointDetails {
  double train_error = 0;
  double soft_violation = 0;
  PerformanceMeans performance;          ///< on test rows
  std::vector<GroupMeans> groups;        ///< on test rows
  std::optional<std::size_t> statement;  ///< index in ReportData: of the run that promises least
};

/// How one run went, at most kCurvePoints of its points.
struct TrainingCurve {
  std::optional<double> lambda;
  std::vector<CurvePoint> points;
};
inline constexpr std::size_t kCurvePoints = 60;

/// Of a curve of the runs; published ones have none.
struct CurveDetails {
  std::vector<PointDetails> points;       ///< one for each model
  std::optional<TrainingCurve> training;  ///< of the model closest to the panel's answer
};

struct ReportPanel {
  std::string dataset;
  Protocol protocol = Protocol::kHonest;
  FairnessNotion notion = FairnessNotion::kDemographicParity;
  std::vector<Curve> curves;          ///< of the runs, the published ones, the derived free line
  std::vector<CurveDetails> details;  ///< one for each curve of the runs
  std::optional<Answer> answer;

  std::string title() const;  ///< "Adult · demographic parity · honest"
};

struct ReportData {
  SweepDescription description;
  bool complete = false;
  std::size_t runs = 0;
  std::vector<ReportPanel> panels;
  std::vector<PrivacyStatement> statements;  ///< each once
};

/// The index of `statement` in `all`, appended where no other says the same.
std::size_t index_of(std::vector<PrivacyStatement>& all, const PrivacyStatement& statement);

/// Requires at least one run.
ReportData summarise(const SweepResults& results);

/// "Retired Adult" for "retired-adult".
std::string dataset_title(const std::string& name);

}  // namespace dpfermi
