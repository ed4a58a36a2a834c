#pragma once

/// How well and how fairly a model does, computed exactly. These figures read s: they are for the
/// holder of the data, are labelled ExactForHolder::kLabel wherever they are shown, and are stored
/// in no model file or card.
///
/// The prediction yhat is the most likely class, the first of them where several are, or what a
/// rule makes of the row (model/decision_rule.h). With a condition C that follows from the label,
/// the violation of "yhat independent of S given C" is the largest | P(yhat=j | s=a, C=c) -
/// P(yhat=j | s=b, C=c) | over the conditions c, the classes j that the notion compares
/// (objective/fairness_notion.h) and pairs of groups a, b:
///
///   demographic parity   classes j and pairs of groups; no condition
///   equalized odds       labels c, classes j and pairs of groups
///   equal opportunity    pairs of groups; c and j are the favourable class
///
/// For two classes these are the definitions of the paper; for more it pools all labels but one.
/// Soft figures put the mean of the class probabilities in the place of the shares of predictions.
/// A group without rows (that meet the condition) takes part in no comparison, nor does one that is
/// left out by request.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/objective/per_notion.h"

namespace dpfermi {

struct Dataset;
struct DecisionRule;
struct ModelSpec;

/// Units whose probability of the favourable class lies in one tenth of [0, 1].
struct CalibrationBin {
  double units = 0;
  double mean_probability = 0;  ///< 0 without units, as is the share
  double share = 0;             ///< of the units that have the favourable label
};

/// How good decisions and probabilities are, of the favourable class against all others. None of
/// it reads s. Probabilities are those that `predict` prints: of deciding, where a model mixes or
/// repairs. What is a share of no units is missing.
struct Performance {
  static constexpr std::size_t kBins = 10;

  /// P(a favourable unit's probability > another unit's), ties count one half.
  std::optional<double> auc;
  std::optional<double> balanced_error;     ///< mean over the labels that occur of P(yhat != y | y)
  std::optional<double> precision;          ///< P(y favourable | yhat favourable)
  std::optional<double> recall;             ///< P(yhat favourable | y favourable)
  std::optional<double> brier;              ///< mean of (probability - [y favourable])^2
  std::vector<CalibrationBin> calibration;  ///< kBins of them; the last holds 1 as well
};

/// Metrics of one group. Rates over zero rows are absent.
struct GroupMetrics {
  std::uint64_t rows = 0;
  std::vector<double> rate;       ///< P(yhat=j | s) for every class; empty without rows
  std::vector<double> soft_rate;  ///< mean probability of every class
  std::optional<double> error;
  std::optional<double> true_positive_rate;   ///< of the favourable class
  std::optional<double> false_positive_rate;  ///< the same among rows with other labels
  std::optional<Performance> performance;     ///< nothing without rows
};

/// Figures by notion cover all of fairness_notions().
struct FairnessMetrics {
  PerNotion violation;
  PerNotion soft_violation;
  /// sum_c w_c (sum_{j,r} P(j,r|c)^2 / (P(j|c) p_{r|c}) - 1), over all classes j.
  PerNotion ermi;
  PerNotion soft_ermi;
  std::size_t favourable = 0;        ///< the class that groups compete for
  std::vector<GroupMetrics> groups;  ///< in the order of the domain
};

struct Metrics {
  std::uint64_t rows = 0;
  /// Where the data have an id column, figures are shares of persons, who count with the mean over
  /// their rows, and this is their number; otherwise they are shares of rows.
  std::optional<std::uint64_t> persons;
  double error = 0;                         ///< share of units with yhat != y
  std::optional<Performance> performance;   ///< nothing in figures written before it was added
  std::optional<FairnessMetrics> fairness;  ///< nothing where s is not known
};

/// The most likely class; the first of several.
std::size_t predicted_class(std::span<const float> probabilities);

/// Requires the n x l matrix `probabilities`, row after row, with values in [0, 1], and the labels
/// of the same n rows; n >= 1. Reads y, s, classes and groups of `data`, whose inputs play no part;
/// `groups` = 0 means that s is not known. One pass over the rows.
Result<Metrics> exact_metrics(std::span<const float> probabilities, const Dataset& data,
                              std::size_t favourable);

/// Which figures of a rule: those of the decisions that a model with these parameters makes, or
/// their expectations over its draws. Soft figures are the expectations in either case.
enum class Draws { kMade, kExpected };

/// The figures of a rule (model/decision_rule.h) at work on `data`, whose groups it may need.
/// `theta` as in decision_probabilities. Groups in `left_out`, where it is not empty, are described
/// and not compared. `scores` (rows x l), where given, replace those of theta and of the
/// data.
Result<Metrics> rule_metrics(const DecisionRule& rule, const ModelSpec& model,
                             std::span<const double> theta, const Dataset& data,
                             std::size_t favourable, Draws draws,
                             const std::vector<bool>& left_out = {},
                             std::span<const float> scores = {});

/// Which groups have fewer than `least` units.
std::vector<bool> small_groups(const Dataset& data, double least);

/// The error of deciding for `label` always, in the same units. Reads labels alone. Requires
/// labels.
double constant_error(const Dataset& data, std::size_t label);

/// The performance on all rows, of a rule's decisions. Reads labels and inputs, and s only where
/// the rule needs it.
Result<Performance> rule_performance(const DecisionRule& rule, const ModelSpec& model,
                                     std::span<const double> theta, const Dataset& data,
                                     std::size_t favourable);

/// {"exact_not_private": true, "rows", "error", "performance", "violation": {"demographic_parity",
/// ...}, "soft_violation", "ermi", "soft_ermi", "favourable": class, "groups": [{"name", "rows",
/// ...}]}; what is not known is left out, what is a share of no rows is null. Requires one name per
/// group.
std::string to_json(const Metrics& metrics, std::span<const std::string> group_names);

struct NamedGroupMetrics {
  Metrics metrics;
  std::vector<std::string> groups;  ///< their names
};
/// Reads that back exactly. Unknown keys are refused; a notion may be missing, as it is from
/// figures that were written before it was added.
Result<NamedGroupMetrics> parse_metrics(const std::string& json);

}  // namespace dpfermi
