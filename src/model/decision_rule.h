#pragma once

/// How decisions come out of a model whose most likely class is not all there is to it:
///
///   mixture       M members of one shape; each decision takes the most likely class of one of
///                 them, which is drawn by its weight
///   repair        a cost for every decision, label and group, both of which a proxy and the scores
///   of
///                 a model guess (model/repair_rule.h); the decision costs least
///   group table   two classes; from the decision above and the group of the row, the probability
///                 of the favourable class. Needs s at prediction.
///
/// A plain rule has none: one member, its most likely class, s not needed.
///
/// Draws come from a public hash of the encoded row, keyed by the parameters (rule_decisions): the
/// same model decides the same way about the same inputs, whenever and wherever it is asked. Over
/// rows that differ in their inputs draws are independent, so that shares of decisions differ from
/// their expectations (decision_probabilities) by chance, about 1 / (2 sqrt(rows)). The hash
/// is not secret: a person who knows the model and may choose their inputs can choose among draws.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "data/hybrid_matrix.h"
#include "dpfermi/core/result.h"
#include "model/model_spec.h"
#include "model/repair_rule.h"

namespace dpfermi {

struct DecisionRule {
  std::vector<double> weights;  ///< of the members, >= 0, sum 1; empty: one member
  /// groups x 2: P(favourable | group, base decision), first of the unfavourable decision, then of
  /// the favourable one; empty: the base decision stands.
  std::vector<double> group_table;
  /// Members are then tables of costs, and theta is one model's, or empty where scores come with
  /// the rows.
  std::optional<RepairRule> repair;

  std::size_t members() const { return weights.empty() ? 1 : weights.size(); }
  bool needs_group() const { return !group_table.empty(); }
  bool plain() const { return weights.empty() && group_table.empty() && !repair; }

  bool operator==(const DecisionRule&) const = default;
};

/// Refuses weights or probabilities outside [0, 1], weights that do not sum to 1, and a table that
/// does not fit `groups` or a model of more than two classes.
Status check_rule(const DecisionRule& rule, const ModelSpec& model, std::size_t groups);

/// Probabilities (rows x l, row after row) of deciding for each class. `theta` holds the members'
/// parameters one after another. Requires a rule that check_rule accepts, the group of every row
/// where rule.needs_group(), and its scores (rows x l) where the rule repairs those of another
/// model; scores that are given replace those of theta.
std::vector<float> decision_probabilities(const DecisionRule& rule, const ModelSpec& model,
                                          std::span<const double> theta, std::size_t favourable,
                                          const HybridMatrix& x,
                                          std::span<const std::uint16_t> groups,
                                          std::span<const float> scores = {});

/// The decision about each row. Requires what decision_probabilities requires. Numbers of a row are
/// rounded to multiples of 1/4096 before they are hashed, which hides differences between machines.
std::vector<std::uint16_t> rule_decisions(const DecisionRule& rule, const ModelSpec& model,
                                          std::span<const double> theta, std::size_t favourable,
                                          const HybridMatrix& x,
                                          std::span<const std::uint16_t> groups,
                                          std::span<const float> scores = {});

/// The most frequent of the labels, the first of several: the best constant decision. `weights`:
/// what each counts; none: all alike.
std::size_t commonest_label(std::span<const std::uint16_t> labels, std::size_t classes,
                            std::span<const float> weights = {});

/// The parameters of a member that decides for `label` whatever the inputs.
std::vector<double> constant_member(const ModelSpec& model, std::size_t label);

}  // namespace dpfermi
