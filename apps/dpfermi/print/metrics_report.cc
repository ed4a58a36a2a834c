#include "print/metrics_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "dpfermi/privacy/protected.h"
#include "print/text_table.h"

namespace dpfermi::cli {
namespace {

std::string share(double value) {
  return fmt::format("{:.4f}", value);
}

std::string share(std::optional<double> value) {
  return value ? share(*value) : "-";
}

/// Where no two groups can be compared, a violation of 0 would read as a finding.
bool comparable(const Metrics& metrics) {
  return std::ranges::count_if(metrics.fairness->groups,
                               [](const GroupMetrics& group) { return group.rows > 0; }) > 1;
}

std::string violation(const Metrics& metrics, double hard, double soft) {
  return comparable(metrics) ? fmt::format("{:.4f} (soft {:.4f})", hard, soft) : "-";
}

std::string lone_group_text(std::span<const NamedMetrics> sets,
                            const std::vector<std::string>& groups) {
  std::string text;
  for (const auto& [name, metrics] : sets) {
    if (comparable(*metrics)) continue;
    const auto lone = std::ranges::find_if(
        metrics->fairness->groups, [](const GroupMetrics& group) { return group.rows > 0; });
    text += fmt::format(
        "\n{}: all rows fall into '{}', so nothing is compared; is the declared domain of the "
        "protected columns written as in the table?\n",
        name, groups[static_cast<std::size_t>(lone - metrics->fairness->groups.begin())]);
  }
  return text;
}

std::string unit_text(std::span<const NamedMetrics> sets) {
  const std::optional<std::uint64_t>& persons = sets.front().metrics->persons;
  return persons ? "\nFigures count persons, each with the mean over their rows.\n" : "";
}

std::string error_text(std::span<const NamedMetrics> sets) {
  TextTable text({"", "rows", "error"});
  for (const auto& [name, metrics] : sets) {
    text.add({name, with_thousands(metrics->rows), share(metrics->error)});
  }
  return text.to_string();
}

std::string violations_text(std::span<const NamedMetrics> sets) {
  std::vector<std::string> header = {ExactForHolder::kLabel, "rows", "error"};
  for (const FairnessNotion notion : fairness_notions()) header.push_back(notion_title(notion));
  TextTable text(std::move(header));
  for (const auto& [name, metrics] : sets) {
    std::vector<std::string> cells = {name, with_thousands(metrics->rows), share(metrics->error)};
    for (const auto& [notion, hard] : metrics->fairness->violation) {
      cells.push_back(violation(*metrics, hard, metrics->fairness->soft_violation[notion]));
    }
    text.add(cells);
  }
  return text.to_string() +
         "Violations count decisions; soft ones average predicted probabilities instead.\n";
}

/// The share of every class that is predicted; of two, the favourable one says it all.
std::string groups_text(std::span<const NamedMetrics> sets, const std::vector<std::string>& classes,
                        std::size_t favourable, const std::vector<std::string>& groups) {
  std::vector<std::size_t> shown;
  for (std::size_t j = 0; j < classes.size(); ++j) {
    if (classes.size() > 2 || j == favourable) shown.push_back(j);
  }
  std::vector<std::string> header = {fmt::format("groups, {}", ExactForHolder::kLabel), "group",
                                     "rows"};
  for (const std::size_t j : shown) header.push_back(fmt::format("predicted {}", classes[j]));
  header.insert(header.end(), {"error", "true positives", "false positives"});
  TextTable text(std::move(header));
  for (const auto& [name, metrics] : sets) {
    for (std::size_t r = 0; r < groups.size(); ++r) {
      const GroupMetrics& group = metrics->fairness->groups[r];
      std::vector<std::string> cells = {name, groups[r], with_thousands(group.rows)};
      for (const std::size_t j : shown) {
        cells.push_back(group.rate.empty() ? "-" : share(group.rate[j]));
      }
      cells.insert(cells.end(), {share(group.error), share(group.true_positive_rate),
                                 share(group.false_positive_rate)});
      text.add(cells);
    }
  }
  return text.to_string();
}

void add_performance(TextTable& text, const std::string& name, const Performance& of) {
  text.add({name, share(of.auc), share(of.balanced_error), share(of.precision), share(of.recall),
            share(of.brier)});
}

TextTable performance_table(const std::string& title) {
  return TextTable({title, "AUC", "balanced error", "precision", "recall", "Brier score"});
}

void add_calibration(TextTable& text, const std::string& name, const Performance& of) {
  for (std::size_t b = 0; b < of.calibration.size(); ++b) {
    const CalibrationBin& bin = of.calibration[b];
    if (bin.units == 0) continue;
    const double width = 1 / static_cast<double>(of.calibration.size());
    const double low = static_cast<double>(b) * width;
    text.add({name, fmt::format("{:.1f} to {:.1f}", low, low + width),
              fmt::format("{:.6g}", bin.units), share(bin.mean_probability), share(bin.share)});
  }
}

TextTable calibration_table(const std::string& title, const std::string& favourable) {
  return TextTable(
      {title, fmt::format("probability of {}", favourable), "units", "mean", "observed share"});
}

}  // namespace

std::string performance_text(const Performance& performance, const std::string& favourable) {
  TextTable text = performance_table("");
  add_performance(text, "all rows", performance);
  TextTable bins = calibration_table("", favourable);
  add_calibration(bins, "all rows", performance);
  return text.to_string() + "\n" + bins.to_string();
}

std::string performance_text(const Metrics& metrics, const std::vector<std::string>& groups,
                             const std::string& favourable) {
  if (!metrics.performance) return "";
  if (!metrics.fairness) return performance_text(*metrics.performance, favourable);
  TextTable text = performance_table(ExactForHolder::kLabel);
  TextTable bins = calibration_table(ExactForHolder::kLabel, favourable);
  add_performance(text, "all rows", *metrics.performance);
  add_calibration(bins, "all rows", *metrics.performance);
  for (std::size_t r = 0; r < groups.size(); ++r) {
    const Performance own = metrics.fairness->groups[r].performance.value_or(Performance{});
    add_performance(text, groups[r], own);
    add_calibration(bins, groups[r], own);
  }
  return text.to_string() + "\n" + bins.to_string();
}

std::string metrics_text(std::span<const NamedMetrics> sets,
                         const std::vector<std::string>& classes, std::size_t favourable,
                         const std::vector<std::string>& groups) {
  const bool fairness = std::ranges::all_of(
      sets, [](const NamedMetrics& set) { return set.metrics->fairness.has_value(); });
  if (!fairness) return error_text(sets) + unit_text(sets);
  return violations_text(sets) + "\n" + groups_text(sets, classes, favourable, groups) +
         lone_group_text(sets, groups) + unit_text(sets);
}

}  // namespace dpfermi::cli
