#pragma once

/// The reductions approach (Agarwal, Beygelzimer, Dudik, Langford and Wallach 2018): fairness as a
/// zero-sum game between a learner, who answers costs, and an auditor, who prices gaps.

#include <cstdint>
#include <span>
#include <vector>

#include "optimize/baseline.h"

namespace dpfermi {

/// The gaps that a notion compares: for each condition c and group r, P(1 | r, c) - P(1 | c), where
/// 1 is the favourable decision. Conditions: none, the label, or the favourable label alone.
class RateGaps {
 public:
  /// `rows` of the data, with a group each, by whatever name: exact ones, or randomised answers.
  RateGaps(const Dataset& data, std::span<const std::uint32_t> rows,
           std::span<const std::uint16_t> groups, FairnessNotion notion, std::size_t favourable);

  std::size_t size() const { return cell_rows_.size(); }
  std::size_t conditions() const { return condition_rows_.size(); }
  std::size_t condition(std::size_t gap) const { return gap / groups_; }
  bool has_rows(std::size_t gap) const { return cell_rows_[gap] > 0; }

  /// Gaps of decisions, one a row (0 or 1). A group without rows of a condition has none.
  std::vector<double> of(std::span<const std::uint8_t> favours) const;

  /// Share of rows that are decided wrongly.
  double error_of(std::span<const std::uint8_t> favours) const;

  /// What deciding 1 adds to error + sum_j multiplier_j gap_j, by row.
  std::vector<double> costs(std::span<const double> multipliers) const;

 private:
  std::vector<std::uint8_t> positive_;  ///< by row: whether the label is the favourable one
  std::vector<std::uint32_t> cell_;     ///< by row: condition x group; size() for none
  std::vector<double> cell_rows_;       ///< conditions x groups
  std::vector<double> condition_rows_;  ///< by condition
  std::size_t groups_;
};

/// Multipliers of the gaps, of both signs: B e^{z_j} / (1 + sum e^z), above zero for "gap <=
/// gamma", below for "-gap <= gamma". z starts at 0 and moves by rate (+-gap - gamma).
class Auditor {
 public:
  Auditor(std::size_t gaps, double bound, double rate, double tolerance)
      : bound_(bound), rate_(rate), tolerance_(tolerance), z_(2 * gaps) {}

  /// Differences of the two multipliers of each gap.
  std::vector<double> multipliers() const;
  void observe(std::span<const double> gaps);

 private:
  double bound_, rate_, tolerance_;
  std::vector<double> z_;  ///< gap after gap: upper, then lower
};

struct GameOptions {
  double tolerance = 0.05;  ///< largest difference between two groups; gamma is half of it
  double eta = 2;           ///< the auditor's rate, times B
  std::size_t rounds = 50;
};

/// A mixture of regressions: members' parameters one after another, and their weights.
struct Mixture {
  std::vector<double> theta, weights;
};

/// Plays the game, then mixes all regressions found by the linear program min error + B slack,
/// |gap - centre| <= gamma + slack, a free centre for each condition. The bound B is 1 / gamma.
Result<Mixture> play_game(const Dataset& data, std::span<const std::uint32_t> rows,
                          std::span<const std::uint16_t> groups, const BaselineOptions& options,
                          const GameOptions& game, const TrainingHooks& hooks);

}  // namespace dpfermi
