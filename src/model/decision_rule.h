#pragma once

/// How decisions come out of a model whose most likely class is not all there is to it:
///
///   mixture       M members of one shape; each decision draws one of them, by its weight, and
///                 takes the member's most likely class
///   group table   two classes; from the decision above and the group of the row, the probability
///                 of the favourable class. Needs s at prediction.
///
/// A plain rule has neither: one member, its most likely class, s not needed.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/hybrid_matrix.h"
#include "dpfermi/core/result.h"
#include "model/model_spec.h"

namespace dpfermi {

struct DecisionRule {
  std::vector<double> weights;  ///< of the members, >= 0, sum 1; empty: one member
  /// groups x 2: P(favourable | group, base decision), first of the unfavourable decision, then of
  /// the favourable one; empty: the base decision stands.
  std::vector<double> group_table;

  std::size_t members() const { return weights.empty() ? 1 : weights.size(); }
  bool needs_group() const { return !group_table.empty(); }
  bool plain() const { return weights.empty() && group_table.empty(); }

  bool operator==(const DecisionRule&) const = default;
};

/// Refuses weights or probabilities outside [0, 1], weights that do not sum to 1, and a table that
/// does not fit `groups` or a model of more than two classes.
Status check_rule(const DecisionRule& rule, const ModelSpec& model, std::size_t groups);

/// Probabilities (rows x l, row after row) of deciding for each class. `theta` holds the members'
/// parameters one after another. Requires a rule that check_rule accepts, and the group of every
/// row where rule.needs_group().
std::vector<float> decision_probabilities(const DecisionRule& rule, const ModelSpec& model,
                                          std::span<const double> theta, std::size_t favourable,
                                          const HybridMatrix& x,
                                          std::span<const std::uint16_t> groups);

}  // namespace dpfermi
