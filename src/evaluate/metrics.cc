#include "dpfermi/evaluate/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>

#include "core/text.h"
#include "data/dataset.h"
#include "evaluate/group_table.h"
#include "model/decision_rule.h"
#include "model/network.h"
#include "objective/fairness_setting.h"

namespace dpfermi {
namespace {

/// More cells than this are a mistake in the declaration of groups or classes.
constexpr std::size_t kMostExactCells = std::size_t{1} << 25;

/// One table per label.
struct Counts {
  Counts(std::size_t classes, std::size_t groups)
      : hard(classes, GroupTable(groups, classes)), soft(hard) {}

  std::vector<GroupTable> hard;  ///< predictions
  std::vector<GroupTable> soft;  ///< probabilities
};

Status check_input(std::span<const float> probabilities, const Dataset& data,
                   std::size_t favourable) {
  const std::size_t n = data.y.size();
  if (n == 0) return usage_error("there are no labelled rows to evaluate; give a table with some");
  if (favourable >= data.classes || probabilities.size() != n * data.classes) {
    return usage_error(fmt::format("{} probabilities do not fit {} rows and {} classes",
                                   probabilities.size(), n, data.classes));
  }
  if (data.groups > kMostExactCells / data.classes / data.classes) {
    return usage_error(
        fmt::format("{} groups and {} classes are too many to compare; declare fewer groups",
                    with_thousands(data.groups), with_thousands(data.classes)));
  }
  if (std::ranges::any_of(data.y, [&](std::uint16_t y) { return y >= data.classes; })) {
    return usage_error(fmt::format("a label is not one of the {} classes", data.classes));
  }
  // A softmax in floats may exceed 1 by its rounding. NaN is not >= 0.
  const auto bad =
      std::ranges::find_if(probabilities, [](float p) { return !(p >= 0 && p <= 1.0001F); });
  if (bad != probabilities.end()) {
    const auto row = static_cast<std::size_t>(bad - probabilities.begin()) / data.classes;
    return failed(fmt::format("row {}: the model gives {} as a probability; train it again", row,
                              static_cast<double>(*bad)));
  }
  return {};
}

/// How many rows are decided wrongly, in expectation.
double count_errors(std::span<const float> probabilities, const Dataset& data,
                    Decisions decisions) {
  double errors = 0;
  for (std::size_t i = 0; i < data.y.size(); ++i) {
    const auto row = probabilities.subspan(i * data.classes, data.classes);
    if (decisions == Decisions::kDrawn) {
      errors += 1 - static_cast<double>(row[data.y[i]]);
    } else {
      errors += predicted_class(row) != data.y[i] ? 1 : 0;
    }
  }
  return errors;
}

Counts count_groups(std::span<const float> probabilities, const Dataset& data,
                    const std::vector<std::uint16_t>& s, Decisions decisions) {
  const std::size_t l = data.classes;
  Counts counts(l, data.groups);
  for (std::size_t i = 0; i < data.y.size(); ++i) {
    assert(s[i] < data.groups);
    const auto row = probabilities.subspan(i * l, l);
    GroupTable& hard = counts.hard[data.y[i]];
    GroupTable& soft = counts.soft[data.y[i]];
    hard.add_rows(s[i], 1);
    soft.add_rows(s[i], 1);
    hard.add_mass(s[i], predicted_class(row), 1);
    for (std::size_t j = 0; j < l; ++j) soft.add_mass(s[i], j, static_cast<double>(row[j]));
  }
  if (decisions == Decisions::kDrawn) counts.hard = counts.soft;
  return counts;
}

GroupTable over_labels(const std::vector<GroupTable>& by_label,
                       std::span<const std::size_t> labels) {
  GroupTable sum(by_label[0].groups(), by_label[0].classes());
  for (const std::size_t y : labels) sum.add(by_label[y]);
  return sum;
}

GroupTable over_all_labels(const std::vector<GroupTable>& by_label) {
  std::vector<std::size_t> labels(by_label.size());
  std::iota(labels.begin(), labels.end(), 0U);
  return over_labels(by_label, labels);
}

double violation_in(const std::vector<GroupTable>& by_label, const FairnessSetting& setting) {
  double violation = 0;
  for (std::size_t c = 0; c < setting.conditions(); ++c) {
    const GroupTable given = over_labels(by_label, setting.labels_of(c));
    for (std::size_t j = 0; j < setting.classes; ++j) {
      if (setting.compares(j)) violation = std::max(violation, given.gap(j));
    }
  }
  return violation;
}

double ermi_in(const std::vector<GroupTable>& by_label, const FairnessSetting& setting,
               double rows) {
  double ermi = 0;
  for (std::size_t c = 0; c < setting.conditions(); ++c) {
    const GroupTable given = over_labels(by_label, setting.labels_of(c));
    const double share = static_cast<double>(given.total_rows()) / rows;
    ermi += condition_weight(setting.notion, share) * given.ermi();
  }
  return ermi;
}

void add_notions(const Counts& counts, FairnessMetrics& metrics) {
  const std::size_t l = counts.hard.size();
  const auto rows = static_cast<double>(over_all_labels(counts.hard).total_rows());
  for (const FairnessNotion notion : fairness_notions()) {
    const FairnessSetting setting{notion, counts.hard[0].groups(), l, metrics.favourable};
    metrics.violation.add(notion, violation_in(counts.hard, setting));
    metrics.soft_violation.add(notion, violation_in(counts.soft, setting));
    metrics.ermi.add(notion, ermi_in(counts.hard, setting, rows));
    metrics.soft_ermi.add(notion, ermi_in(counts.soft, setting, rows));
  }
}

std::optional<double> ratio(double part, std::uint64_t whole) {
  if (whole == 0) return std::nullopt;
  return part / static_cast<double>(whole);
}

GroupMetrics group_metrics(const Counts& counts, const GroupTable& hard, const GroupTable& soft,
                           std::size_t group, std::size_t favourable) {
  GroupMetrics metrics;
  metrics.rows = hard.rows(group);
  if (metrics.rows == 0) return metrics;
  double right = 0;
  for (std::size_t j = 0; j < hard.classes(); ++j) {
    metrics.rate.push_back(hard.share(group, j));
    metrics.soft_rate.push_back(soft.share(group, j));
    right += counts.hard[j].mass(group, j);
  }
  metrics.error = 1 - right / static_cast<double>(metrics.rows);
  const GroupTable& positives = counts.hard[favourable];
  metrics.true_positive_rate = ratio(positives.mass(group, favourable), positives.rows(group));
  metrics.false_positive_rate =
      ratio(hard.mass(group, favourable) - positives.mass(group, favourable),
            hard.rows(group) - positives.rows(group));
  return metrics;
}

FairnessMetrics fairness_metrics(const Counts& counts, std::size_t favourable) {
  FairnessMetrics metrics;
  metrics.favourable = favourable;
  add_notions(counts, metrics);
  const GroupTable hard = over_all_labels(counts.hard);
  const GroupTable soft = over_all_labels(counts.soft);
  for (std::size_t group = 0; group < hard.groups(); ++group) {
    metrics.groups.push_back(group_metrics(counts, hard, soft, group, favourable));
  }
  return metrics;
}

}  // namespace

std::size_t predicted_class(std::span<const float> probabilities) {
  std::size_t best = 0;
  for (std::size_t j = 1; j < probabilities.size(); ++j) {
    if (probabilities[j] > probabilities[best]) best = j;
  }
  return best;
}

Result<Metrics> exact_metrics(std::span<const float> probabilities, const Dataset& data,
                              std::size_t favourable, Decisions decisions) {
  DPFERMI_TRY(check_input(probabilities, data, favourable));
  Metrics metrics;
  metrics.rows = data.y.size();
  metrics.error = count_errors(probabilities, data, decisions) / static_cast<double>(metrics.rows);
  if (data.groups == 0) return metrics;
  const std::vector<std::uint16_t>& s = ExactForHolder::read(data.s);
  if (s.size() != data.y.size()) {
    return usage_error(
        fmt::format("{} protected values do not fit {} labels", s.size(), data.y.size()));
  }
  metrics.fairness = fairness_metrics(count_groups(probabilities, data, s, decisions), favourable);
  return metrics;
}

Result<Metrics> rule_metrics(const DecisionRule& rule, const ModelSpec& model,
                             std::span<const double> theta, const Dataset& data,
                             std::size_t favourable) {
  if (rule.plain()) return exact_metrics(predict(Network(model), theta, data.x), data, favourable);
  std::span<const std::uint16_t> groups;
  if (rule.needs_group()) {
    groups = ExactForHolder::read(data.s);
    if (data.groups == 0 || groups.size() != data.x.rows()) {
      return usage_error(
          "this model decides by the protected columns as well; give a table that has them");
    }
  }
  return exact_metrics(decision_probabilities(rule, model, theta, favourable, data.x, groups), data,
                       favourable, Decisions::kDrawn);
}

}  // namespace dpfermi
