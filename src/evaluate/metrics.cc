#include "dpfermi/evaluate/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <numeric>

#include "core/text.h"
#include "data/dataset.h"
#include "evaluate/group_table.h"
#include "evaluate/performance.h"
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

/// A person counts with the mean over their rows.
std::vector<double> weights_of(const Dataset& data) {
  std::vector<double> weights;
  if (!data.persons) return weights;
  std::vector<double> rows(data.unit_count);
  for (const std::uint32_t unit : data.units) ++rows[unit];
  for (const std::uint32_t unit : data.units) weights.push_back(1 / rows[unit]);
  return weights;
}

std::vector<std::uint32_t> all_of(const Dataset& data) {
  std::vector<std::uint32_t> rows(data.y.size());
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

/// How many units are decided wrongly.
double count_errors(const Judged& judged, const Dataset& data) {
  double errors = 0;
  for (std::size_t i = 0; i < data.y.size(); ++i) {
    if (judged.decisions) {
      errors += (*judged.decisions)[i] != data.y[i] ? judged.weight(i) : 0;
    } else {
      const double right = judged.probabilities[i * data.classes + data.y[i]];
      errors += judged.weight(i) * (1 - right);
    }
  }
  return errors;
}

Counts count_groups(const Judged& judged, const Dataset& data,
                    const std::vector<std::uint16_t>& s) {
  const std::size_t l = data.classes;
  Counts counts(l, data.groups);
  for (std::size_t i = 0; i < data.y.size(); ++i) {
    assert(s[i] < data.groups);
    const auto row = judged.probabilities.subspan(i * l, l);
    GroupTable& hard = counts.hard[data.y[i]];
    GroupTable& soft = counts.soft[data.y[i]];
    const double weight = judged.weight(i);
    hard.add_unit(s[i], weight);
    soft.add_unit(s[i], weight);
    if (judged.decisions) hard.add_mass(s[i], (*judged.decisions)[i], weight);
    for (std::size_t j = 0; j < l; ++j) {
      soft.add_mass(s[i], j, weight * static_cast<double>(row[j]));
    }
  }
  if (!judged.decisions) counts.hard = counts.soft;
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
               double units) {
  double ermi = 0;
  for (std::size_t c = 0; c < setting.conditions(); ++c) {
    const GroupTable given = over_labels(by_label, setting.labels_of(c));
    const double share = given.total_units() / units;
    ermi += condition_weight(setting.notion, share) * given.ermi();
  }
  return ermi;
}

void add_notions(const Counts& counts, FairnessMetrics& metrics) {
  const std::size_t l = counts.hard.size();
  const double units = over_all_labels(counts.hard).total_units();
  for (const FairnessNotion notion : fairness_notions()) {
    const FairnessSetting setting{notion, counts.hard[0].groups(), l, metrics.favourable};
    metrics.violation.add(notion, violation_in(counts.hard, setting));
    metrics.soft_violation.add(notion, violation_in(counts.soft, setting));
    metrics.ermi.add(notion, ermi_in(counts.hard, setting, units));
    metrics.soft_ermi.add(notion, ermi_in(counts.soft, setting, units));
  }
}

std::optional<double> ratio(double part, double whole) {
  if (whole == 0) return std::nullopt;
  return part / whole;
}

GroupMetrics group_metrics(const Counts& counts, const GroupTable& hard, const GroupTable& soft,
                           std::size_t group, std::size_t favourable) {
  GroupMetrics metrics;
  if (hard.units(group) == 0) return metrics;
  double right = 0;
  for (std::size_t j = 0; j < hard.classes(); ++j) {
    metrics.rate.push_back(hard.share(group, j));
    metrics.soft_rate.push_back(soft.share(group, j));
    right += counts.hard[j].mass(group, j);
  }
  metrics.error = 1 - right / hard.units(group);
  const GroupTable& positives = counts.hard[favourable];
  metrics.true_positive_rate = ratio(positives.mass(group, favourable), positives.units(group));
  metrics.false_positive_rate =
      ratio(hard.mass(group, favourable) - positives.mass(group, favourable),
            hard.units(group) - positives.units(group));
  return metrics;
}

/// The counts of the groups that are compared.
Counts without(Counts counts, const std::vector<bool>& left_out) {
  for (std::vector<GroupTable>* tables : {&counts.hard, &counts.soft}) {
    for (GroupTable& table : *tables) {
      for (std::size_t group = 0; group < left_out.size(); ++group) {
        if (left_out[group]) table.leave_out(group);
      }
    }
  }
  return counts;
}

FairnessMetrics fairness_metrics(const Counts& counts, std::size_t favourable,
                                 const std::vector<bool>& left_out) {
  FairnessMetrics metrics;
  metrics.favourable = favourable;
  add_notions(without(counts, left_out), metrics);
  const GroupTable hard = over_all_labels(counts.hard);
  const GroupTable soft = over_all_labels(counts.soft);
  for (std::size_t group = 0; group < hard.groups(); ++group) {
    metrics.groups.push_back(group_metrics(counts, hard, soft, group, favourable));
  }
  return metrics;
}

Result<Metrics> judge(const Judged& judged, const Dataset& data, std::size_t favourable,
                      const std::vector<bool>& left_out) {
  Metrics metrics;
  metrics.rows = data.y.size();
  if (data.persons) metrics.persons = data.unit_count;
  const std::uint64_t units = metrics.persons.value_or(metrics.rows);
  metrics.error = count_errors(judged, data) / static_cast<double>(units);
  metrics.performance = performance_of(judged, data, favourable, all_of(data));
  if (data.groups == 0) return metrics;
  const std::vector<std::uint16_t>& s = ExactForHolder::read(data.s);
  if (s.size() != data.y.size()) {
    return usage_error(
        fmt::format("{} protected values do not fit {} labels", s.size(), data.y.size()));
  }
  metrics.fairness = fairness_metrics(count_groups(judged, data, s), favourable, left_out);
  std::vector<std::vector<std::uint32_t>> rows(data.groups);
  for (std::size_t i = 0; i < s.size(); ++i) rows[s[i]].push_back(static_cast<std::uint32_t>(i));
  for (std::size_t group = 0; group < data.groups; ++group) {
    GroupMetrics& own = metrics.fairness->groups[group];
    own.rows = rows[group].size();
    if (own.rows > 0) own.performance = performance_of(judged, data, favourable, rows[group]);
  }
  return metrics;
}

std::vector<std::uint16_t> likeliest(std::span<const float> probabilities, std::size_t classes) {
  std::vector<std::uint16_t> decisions(probabilities.size() / classes);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    const auto row = probabilities.subspan(i * classes, classes);
    decisions[i] = static_cast<std::uint16_t>(predicted_class(row));
  }
  return decisions;
}

/// A rule's probabilities and decisions; nothing of s is read but by a rule that needs it.
struct RuleOutcome {
  std::vector<float> probabilities;
  std::optional<std::vector<std::uint16_t>> decisions;
};

Result<RuleOutcome> rule_outcome(const DecisionRule& rule, const ModelSpec& model,
                                 std::span<const double> theta, const Dataset& data,
                                 std::size_t favourable, Draws draws,
                                 std::span<const float> scores) {
  RuleOutcome outcome;
  if (rule.plain()) {
    outcome.probabilities = scores.empty() ? predict(Network(model), theta, data.x)
                                           : std::vector(scores.begin(), scores.end());
    DPFERMI_TRY(check_input(outcome.probabilities, data, favourable));
    outcome.decisions = likeliest(outcome.probabilities, data.classes);
    return outcome;
  }
  if (scores.empty()) scores = data.scores;
  std::span<const std::uint16_t> groups;
  if (rule.needs_group()) {
    groups = ExactForHolder::read(data.s);
    if (data.groups == 0 || groups.size() != data.x.rows()) {
      return usage_error(
          "this model decides by the protected columns as well; give a table that has them");
    }
  }
  outcome.probabilities =
      decision_probabilities(rule, model, theta, favourable, data.x, groups, scores);
  DPFERMI_TRY(check_input(outcome.probabilities, data, favourable));
  if (draws == Draws::kMade) {
    outcome.decisions = rule_decisions(rule, model, theta, favourable, data.x, groups, scores);
  }
  return outcome;
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
                              std::size_t favourable) {
  DPFERMI_TRY(check_input(probabilities, data, favourable));
  return judge({probabilities, likeliest(probabilities, data.classes), weights_of(data)}, data,
               favourable, {});
}

double constant_error(const Dataset& data, std::size_t label) {
  const Judged judged{
      {}, std::vector(data.y.size(), static_cast<std::uint16_t>(label)), weights_of(data)};
  const std::size_t units = data.persons ? data.unit_count : data.y.size();
  return count_errors(judged, data) / static_cast<double>(units);
}

Result<Metrics> rule_metrics(const DecisionRule& rule, const ModelSpec& model,
                             std::span<const double> theta, const Dataset& data,
                             std::size_t favourable, Draws draws, const std::vector<bool>& left_out,
                             std::span<const float> scores) {
  DPFERMI_ASSIGN(RuleOutcome outcome,
                 rule_outcome(rule, model, theta, data, favourable, draws, scores));
  return judge({outcome.probabilities, std::move(outcome.decisions), weights_of(data)}, data,
               favourable, left_out);
}

Result<Performance> rule_performance(const DecisionRule& rule, const ModelSpec& model,
                                     std::span<const double> theta, const Dataset& data,
                                     std::size_t favourable) {
  DPFERMI_ASSIGN(RuleOutcome outcome,
                 rule_outcome(rule, model, theta, data, favourable, Draws::kMade, {}));
  const Judged judged{outcome.probabilities, std::move(outcome.decisions), weights_of(data)};
  return performance_of(judged, data, favourable, all_of(data));
}

std::vector<bool> small_groups(const Dataset& data, double least) {
  std::vector<double> units(data.groups);
  const Judged judged{{}, std::nullopt, weights_of(data)};
  const std::vector<std::uint16_t>& s = ExactForHolder::read(data.s);
  for (std::size_t i = 0; i < s.size(); ++i) units[s[i]] += judged.weight(i);
  std::vector<bool> small;
  for (const double size : units) small.push_back(size < least);
  return small;
}

}  // namespace dpfermi
