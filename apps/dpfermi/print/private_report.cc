#include "print/private_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "print/text_table.h"

namespace dpfermi::cli {
namespace {

std::string range(const Interval& interval) {
  return fmt::format("({:.4f} to {:.4f})", interval.low, interval.high);
}

/// "0.0412 (0.0301 to 0.0519)"; a number that is public stands alone.
std::string figure(const NoisyFigure& estimate) {
  const bool exact = estimate.interval.low == estimate.interval.high;
  if (exact) return fmt::format("{:.4f}", estimate.interval.low);
  return (estimate.value ? fmt::format("{:.4f} ", *estimate.value) : "- ") +
         range(estimate.interval);
}

std::string population(const NoisyFigure& estimate) {
  return estimate.population ? range(*estimate.population) : "";
}

std::string whole(double value) {
  return with_thousands(static_cast<unsigned long long>(std::llround(value)));
}

std::string units(const NoisyFigure& estimate) {
  if (estimate.interval.low == estimate.interval.high) return whole(estimate.interval.low);
  return fmt::format("{} ({} to {})", whole(*estimate.value),
                     whole(std::ceil(estimate.interval.low)),
                     whole(std::floor(estimate.interval.high)));
}

std::string violations_text(const PrivateMetrics& metrics, const std::string& unit) {
  std::vector<std::string> header = {"private", unit, "error"};
  std::vector<std::string> exact = {"these rows", units(metrics.units), figure(metrics.error)};
  std::vector<std::string> sampled = {"population", "", population(metrics.error)};
  for (const auto& [notion, violation] : metrics.violation) {
    header.push_back(notion_title(notion));
    exact.push_back(figure(violation));
    sampled.push_back(population(violation));
  }
  TextTable text(std::move(header));
  text.add(exact);
  if (metrics.error.population) text.add(sampled);
  return text.to_string();
}

/// One line of the table of groups: `show` is figure or population.
std::vector<std::string> group_row(const PrivateGroup& group, const std::vector<std::size_t>& shown,
                                   std::string (*show)(const NoisyFigure&)) {
  std::vector<std::string> cells;
  for (const std::size_t j : shown) cells.push_back(show(group.rate[j]));
  cells.insert(cells.end(), {show(group.error), show(group.true_positive_rate),
                             show(group.false_positive_rate)});
  return cells;
}

std::string groups_text(const PrivateMetrics& metrics, const std::string& unit,
                        const std::vector<std::string>& classes, std::size_t favourable,
                        const std::vector<std::string>& groups) {
  std::vector<std::size_t> shown;
  for (std::size_t j = 0; j < classes.size(); ++j) {
    if (classes.size() > 2 || j == favourable) shown.push_back(j);
  }
  std::vector<std::string> header = {"groups, private", "group", unit};
  for (const std::size_t j : shown) header.push_back(fmt::format("predicted {}", classes[j]));
  header.insert(header.end(), {"error", "true positives", "false positives"});
  TextTable text(std::move(header));
  const auto add = [&](std::vector<std::string> first, const std::vector<std::string>& rest) {
    first.insert(first.end(), rest.begin(), rest.end());
    text.add(first);
  };
  for (std::size_t r = 0; r < groups.size(); ++r) {
    const PrivateGroup& group = metrics.groups[r];
    add({"these rows", groups[r], units(group.units)}, group_row(group, shown, figure));
    if (group.error.population) {
      add({"population", groups[r], ""}, group_row(group, shown, population));
    }
  }
  return text.to_string();
}

/// What follows from the figures above: recall is the rate of true positives.
std::string derived_text(const PrivateMetrics& metrics, const std::vector<std::string>& groups) {
  TextTable text({"groups, private", "group", "balanced error", "precision"});
  for (std::size_t r = 0; r < groups.size(); ++r) {
    const PrivateGroup& group = metrics.groups[r];
    text.add({"these rows", groups[r], figure(group.balanced_error), figure(group.precision)});
    if (group.balanced_error.population) {
      text.add({"population", groups[r], population(group.balanced_error), ""});
    }
  }
  return text.to_string();
}

std::string promise_text(const PrivateMetrics& metrics, const std::vector<std::string>& groups) {
  const bool sampled = metrics.error.population.has_value();
  std::string text = fmt::format(
      "With probability {:.0f} % all intervals of \"these rows\" hold at once: they contain the "
      "exact figures of the table, violations those of the groups that are compared.\n",
      100 * PrivateMetrics::kConfidence);
  if (sampled) {
    text += fmt::format(
        "So do those of \"population\": they contain the figures of whom the rows were drawn from "
        "at random.\n");
  }
  std::vector<std::string> absent;
  for (std::size_t r = 0; r < groups.size(); ++r) {
    if (metrics.groups[r].units.interval.low <= 0) absent.push_back(printable(groups[r]));
  }
  if (!absent.empty()) {
    text += fmt::format("Too small to be told from noise, and in no comparison: {}.\n",
                        fmt::join(absent, ", "));
  }
  return text;
}

}  // namespace

std::string private_metrics_text(const PrivateMetrics& metrics, bool persons,
                                 const std::vector<std::string>& classes, std::size_t favourable,
                                 const std::vector<std::string>& groups) {
  const std::string unit = persons ? "persons" : "rows";
  return violations_text(metrics, unit) + "\n" +
         groups_text(metrics, unit, classes, favourable, groups) + "\n" +
         derived_text(metrics, groups) + "\n" + promise_text(metrics, groups);
}

std::string spent_text(const PrivacyStatement& statement) {
  if (statement.noise == Reproducibility::kReproducible) {
    return "Not private: the noise came from a known seed.\n";
  }
  return fmt::format(
      "This evaluation spent epsilon {} and delta {}, once; whatever is computed from these "
      "figures is free.\n",
      rounded_up(statement.cost->epsilon), rounded_up(statement.cost->delta));
}

}  // namespace dpfermi::cli
