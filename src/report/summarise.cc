// From the records of a sweep to what a report shows.

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "core/text.h"
#include "report/report_data.h"

namespace dpfermi {
namespace {

using Runs = std::vector<const RunRecord*>;

/// The mean of what some runs know.
class MeanOfKnown {
 public:
  void add(std::optional<double> value) {
    if (!value) return;
    sum_ += *value;
    ++count_;
  }
  std::optional<double> mean() const {
    return count_ == 0 ? std::nullopt : std::optional(sum_ / static_cast<double>(count_));
  }

 private:
  double sum_ = 0;
  std::size_t count_ = 0;
};

/// Of the performances that some runs know; null: not known.
PerformanceMeans performance_means(const std::vector<const Performance*>& all) {
  MeanOfKnown balanced_error, auc, precision, recall, brier;
  std::vector<CalibrationBin> bins;
  for (const Performance* one : all) {
    if (one == nullptr) continue;
    balanced_error.add(one->balanced_error);
    auc.add(one->auc);
    precision.add(one->precision);
    recall.add(one->recall);
    brier.add(one->brier);
    bins.resize(std::max(bins.size(), one->calibration.size()));
    for (std::size_t b = 0; b < one->calibration.size(); ++b) {
      const CalibrationBin& bin = one->calibration[b];
      bins[b].units += bin.units;
      bins[b].mean_probability += bin.units * bin.mean_probability;
      bins[b].share += bin.units * bin.share;
    }
  }
  for (CalibrationBin& bin : bins) {
    if (bin.units == 0) continue;
    bin.mean_probability /= bin.units;
    bin.share /= bin.units;
    bin.units /= static_cast<double>(all.size());
  }
  return {balanced_error.mean(), auc.mean(),   precision.mean(),
          recall.mean(),         brier.mean(), std::move(bins)};
}

const Performance* known(const std::optional<Performance>& performance) {
  return performance ? &*performance : nullptr;
}

GroupMeans group_means(const Runs& runs, std::size_t group) {
  std::vector<const Performance*> performances;
  MeanOfKnown rows, rate, error, true_positive, false_positive;
  for (const RunRecord* run : runs) {
    const GroupMetrics& metrics = run->test.fairness->groups[group];
    rows.add(static_cast<double>(metrics.rows));
    if (!metrics.rate.empty()) rate.add(metrics.rate[run->test.fairness->favourable]);
    error.add(metrics.error);
    true_positive.add(metrics.true_positive_rate);
    false_positive.add(metrics.false_positive_rate);
    performances.push_back(known(metrics.performance));
  }
  return {runs.front()->groups[group],
          rows.mean().value_or(0),
          rate.mean(),
          error.mean(),
          true_positive.mean(),
          false_positive.mean(),
          performance_means(performances)};
}

/// What is promised, from nothing to much: a statement that promises nothing comes first, then the
/// largest epsilon.
bool promises_less(const PrivacyStatement& a, const PrivacyStatement& b) {
  const auto epsilon = [](const PrivacyStatement& statement) {
    return is_private(statement) && statement.cost ? statement.cost->epsilon
                                                   : std::numeric_limits<double>::infinity();
  };
  return epsilon(a) > epsilon(b);
}

PointDetails point_details(const Runs& runs, std::vector<PrivacyStatement>& statements) {
  PointDetails details;
  MeanOfKnown train_error, soft;
  std::vector<const Performance*> performances;
  const PrivacyStatement* weakest = nullptr;
  bool all_promise = true;
  for (const RunRecord* run : runs) {
    train_error.add(run->train.error);
    soft.add(soft_violation_of(run->test, run->spec.notion));
    performances.push_back(known(run->test.performance));
    all_promise = all_promise && run->privacy;
    if (run->privacy && (weakest == nullptr || promises_less(*run->privacy, *weakest))) {
      weakest = &*run->privacy;
    }
  }
  details.train_error = train_error.mean().value_or(0);
  details.performance = performance_means(performances);
  details.soft_violation = soft.mean().value_or(0);
  if (all_promise && weakest != nullptr) details.statement = index_of(statements, *weakest);
  for (std::size_t r = 0; r < runs.front()->groups.size(); ++r) {
    details.groups.push_back(group_means(runs, r));
  }
  return details;
}

/// Evenly spaced points of a curve, the first and the last among them.
std::vector<CurvePoint> thinned(const std::vector<CurvePoint>& curve) {
  if (curve.size() <= kCurvePoints) return curve;
  std::vector<CurvePoint> kept;
  for (std::size_t i = 0; i < kCurvePoints; ++i) {
    kept.push_back(curve[i * (curve.size() - 1) / (kCurvePoints - 1)]);
  }
  return kept;
}

/// Of the model whose violation is closest to `level` among those that were followed.
std::optional<TrainingCurve> training_curve(const Curve& curve, const std::vector<RunRecord>& runs,
                                            double level) {
  std::optional<TrainingCurve> closest;
  double distance = std::numeric_limits<double>::infinity();
  for (const CurveModel& model : curve.models) {
    const double off = std::abs(estimate(model.violation).mean - level);
    const auto followed =
        std::ranges::find_if(model.runs, [&](std::size_t run) { return !runs[run].curve.empty(); });
    if (followed == model.runs.end() || off >= distance) continue;
    distance = off;
    closest = TrainingCurve{model.lambda, thinned(runs[*followed].curve)};
  }
  return closest;
}

/// Methods that ran at an epsilon which is claimed and not certified.
std::vector<std::string> only_claimed(const std::vector<RunRecord>& runs) {
  std::vector<std::string> names;
  for (const RunRecord& run : runs) {
    if (!run.privacy || !run.spec.epsilon || contains(names, run.spec.method)) continue;
    const std::optional<PrivacyCost>& cost = run.privacy->cost;
    if (!cost || cost->epsilon > *run.spec.epsilon) names.push_back(run.spec.method);
  }
  return names;
}

ReportPanel make_panel(Panel panel, const std::vector<RunRecord>& runs,
                       std::vector<PrivacyStatement>& statements) {
  ReportPanel made{panel.dataset, panel.protocol, panel.notion, std::move(panel.curves)};
  const std::size_t own = made.curves.size();
  for (Curve& curve : published_curves(made.dataset, made.notion)) {
    made.curves.push_back(std::move(curve));
  }
  if (auto line = derived_free_line(made.curves)) made.curves.push_back(*std::move(line));
  made.answer = find_answer(made.curves, only_claimed(runs));
  const double level = made.answer ? made.answer->violation.mean : 0;
  for (std::size_t i = 0; i < own; ++i) {
    CurveDetails details;
    for (const CurveModel& model : made.curves[i].models) {
      Runs of_model;
      for (const std::size_t run : model.runs) of_model.push_back(&runs[run]);
      details.points.push_back(point_details(of_model, statements));
    }
    details.training = training_curve(made.curves[i], runs, level);
    made.details.push_back(std::move(details));
  }
  return made;
}

}  // namespace

std::size_t index_of(std::vector<PrivacyStatement>& all, const PrivacyStatement& statement) {
  const std::string text = describe(statement);
  const auto same = [&](const PrivacyStatement& known) { return describe(known) == text; };
  const auto found = std::ranges::find_if(all, same);
  if (found != all.end()) return static_cast<std::size_t>(found - all.begin());
  all.push_back(statement);
  return all.size() - 1;
}

ReportData summarise(const SweepResults& results) {
  ReportData data{results.description, results.complete, results.runs.size()};
  for (Panel& panel : make_panels(results.runs)) {
    data.panels.push_back(make_panel(std::move(panel), results.runs, data.statements));
  }
  return data;
}

std::string ReportPanel::title() const {
  return dataset_title(dataset) + " · " + notion_title(notion) + " · " +
         std::string(to_string(protocol));
}

std::string dataset_title(const std::string& name) {
  std::string title = name;
  bool start = true;
  for (char& c : title) {
    if (c == '-' || c == '_') c = ' ';
    if (start) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    start = c == ' ';
  }
  return title;
}

}  // namespace dpfermi
