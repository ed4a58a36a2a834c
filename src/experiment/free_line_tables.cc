// Tables beside the free line: which models are worth anything, and which of others' are matched.

#include <algorithm>
#include <cmath>
#include <map>

#include "core/text.h"
#include "dpfermi/optimize/method.h"
#include "experiment/markdown_cells.h"

namespace dpfermi {
namespace {

/// "+2.1": in standard errors. With one split chance is not known.
std::string in_errors(const Estimate& value) {
  if (value.error > 0) return fmt::format("{:+.1f} s.e.", value.mean / value.error);
  return std::abs(value.mean) < 1e-12 ? "on it" : "one split";
}

/// Two standard errors decide.
bool is_above(const Estimate& excess) {
  return excess.mean > 2 * excess.error && excess.mean > 1e-12;
}

std::string against_line(const Estimate& excess) {
  const char* where = is_above(excess)                  ? "above"
                      : excess.mean < -2 * excess.error ? "below"
                                                        : "on it";
  return fmt::format("{} ({:+.4f}, {})", where, excess.mean, in_errors(excess));
}

/// "3 / 1 / 0"; empty where nothing was judged.
std::string verdicts(const TargetCounts& counts) {
  if (counts.met + counts.missed + counts.untold == 0) return "";
  return fmt::format("{} / {} / {}", counts.met, counts.missed, counts.untold);
}

/// "58 of 60"; empty where no run released an interval.
std::string coverage(const TargetCounts& counts) {
  if (counts.intervals == 0) return "";
  return fmt::format("{} of {}", counts.covered, counts.intervals);
}

/// What all cells of a method come to.
struct MethodCells {
  std::size_t cells = 0, above = 0, worse = 0, runs = 0, fewest = SIZE_MAX;
  double slowest = 0;
  TargetCounts targets;
};
using CellsByCurve = std::map<std::string, MethodCells>;

void count_cell(const CurveModel& model, bool above, bool worse, MethodCells& cells) {
  ++cells.cells;
  cells.above += above ? 1 : 0;
  cells.worse += worse ? 1 : 0;
  cells.runs += model.splits.size();
  cells.fewest = std::min(cells.fewest, model.splits.size());
  for (const double seconds : model.seconds) cells.slowest = std::max(cells.slowest, seconds);
  cells.targets += model.targets;
}

std::string totals_text(const CellsByCurve& totals) {
  std::string text =
      "### All cells\n\nA cell is a panel and a target or λ. \"Above\" and \"worse\" mean by more "
      "than two standard errors. \"Strayed\": runs that claim to know and exceed their target on "
      "the training rows by more than .01, within labels .02. \"Covered\": runs whose 95 % "
      "interval "
      "holds the violation on the training rows among the groups that noise does not hide.\n\n";
  text += header({"curve", "cells", "runs", "fewest splits", "above the free line",
                  "worse than the constant", "met / missed / cannot be told", "strayed", "covered",
                  "slowest, seconds"});
  for (const auto& [name, cells] : totals) {
    text +=
        row({name, std::to_string(cells.cells), std::to_string(cells.runs),
             std::to_string(cells.fewest), std::to_string(cells.above), std::to_string(cells.worse),
             verdicts(cells.targets), std::to_string(cells.targets.strayed),
             coverage(cells.targets), fmt::format("{:.1f}", cells.slowest)});
  }
  return text + "\n";
}

/// The models of a panel, of one method where it is named.
std::string panel_rows(const Panel& panel, ViolationOf rows, const std::string& method,
                       CellsByCurve& totals) {
  const auto lines = free_lines(panel.curves, rows);
  std::string text;
  for (const Curve& curve : panel.curves) {
    if (!method.empty() && curve.method != method) continue;
    for (const CurveModel& model : curve.models) {
      const auto above = above_line(model, lines, rows);
      if (!above) continue;
      const Estimate& constant = above->over_constant;
      const bool worse = is_above(constant);
      count_cell(model, is_above(above->excess), worse, totals[curve.name()]);
      text += row({panel.name(), curve.name(), weight(model), figure(estimate(model.errors(rows))),
                   figure(estimate(model.violations(rows))), against_line(above->excess),
                   worse ? fmt::format("yes ({:+.4f})", constant.mean) : "no",
                   verdicts(model.targets), fmt::format("{:.1f}", estimate(model.seconds).mean),
                   std::to_string(model.splits.size())});
    }
  }
  return text;
}

/// The splits that both were measured on, as differences of the first from the second.
struct Paired {
  std::vector<double> error, violation;
};

Paired paired(const CurveModel& first, const CurveModel& second, ViolationOf rows) {
  Paired differences;
  for (std::size_t i = 0; i < first.splits.size(); ++i) {
    const auto same = std::ranges::find(second.splits, first.splits[i]);
    if (same == second.splits.end()) continue;
    const auto j = static_cast<std::size_t>(same - second.splits.begin());
    differences.error.push_back(first.errors(rows)[i] - second.errors(rows)[j]);
    differences.violation.push_back(first.violations(rows)[i] - second.violations(rows)[j]);
  }
  return differences;
}

/// Whether it is larger by no more than two standard errors.
bool within(const std::vector<double>& differences) {
  const Estimate difference = estimate(differences);
  return difference.mean <= 2 * difference.error + 1e-12;
}

/// The model of `ours` that is nowhere worse than `point` by more than two standard errors.
const CurveModel* covering(const Curve& ours, const CurveModel& point, ViolationOf rows) {
  const auto found = std::ranges::find_if(ours.models, [&](const CurveModel& model) {
    const Paired differences = paired(model, point, rows);
    return !differences.error.empty() && within(differences.error) && within(differences.violation);
  });
  return found == ours.models.end() ? nullptr : &*found;
}

/// Private methods that are not this tool's own.
bool is_rival(const Curve& curve) {
  const MethodDescriptor* method = curve.descriptor();
  return curve.epsilon && method != nullptr && method->is_baseline();
}

}  // namespace

std::string weight(const CurveModel& model) {
  if (model.target) return fmt::format("target {}", shortest(*model.target));
  return model.lambda ? shortest(*model.lambda) : "";
}

std::string free_line_text(const Summary& summary, ViolationOf rows, const SummaryFilter& filter) {
  std::string text;
  CellsByCurve totals;
  for (const PanelSummary& panel : summary.panels) {
    text += panel_rows(panel.panel, rows, filter.method, totals);
  }
  if (text.empty()) return "";
  return header({"panel", "curve", "λ", "error", "violation", "free line",
                 "worse than the constant", "met / missed / cannot be told", "seconds", "splits"}) +
         text + "\n" + totals_text(totals);
}

std::string covered_text(const Summary& summary, ViolationOf rows, const SummaryFilter& filter) {
  const std::string method = filter.method.empty() ? "auto" : filter.method;
  std::string text;
  std::size_t covered = 0, points = 0;
  for (const PanelSummary& panel : summary.panels) {
    for (const Curve& other : panel.panel.curves) {
      const Curve* ours = panel.panel.find(method, other.epsilon);
      if (!is_rival(other) || ours == nullptr) continue;
      for (const CurveModel& point : other.models) {
        const CurveModel* found = covering(*ours, point, rows);
        ++points;
        covered += found != nullptr ? 1 : 0;
        text += row({panel.panel.name(), other.name(), weight(point),
                     figure(estimate(point.errors(rows))), figure(estimate(point.violations(rows))),
                     found != nullptr ? weight(*found) : "no"});
      }
    }
  }
  if (text.empty()) return "";
  return header({"panel", "curve", "λ", "error", "violation", fmt::format("{} at", method)}) +
         text +
         fmt::format(
             "\n{} of {} points are covered: some model of {} has an error and a violation that "
             "exceed theirs by at most two standard errors, paired on the same splits.\n\n",
             covered, points, method);
}

}  // namespace dpfermi
