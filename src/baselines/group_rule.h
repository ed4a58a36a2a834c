#pragma once

/// Post-processing (Hardt, Price and Srebro 2016): from the decisions of a finished model and the
/// group, decisions that are as right as can be among those whose rates differ little by group.

#include <array>
#include <cstdint>
#include <vector>

#include "optimize/baseline.h"

namespace dpfermi {

/// How many rows, exactly or about, a finished model decides b on, of group r and label y; both are
/// 1 for the favourable class. Entries may be noisy; shares(...) is what the program reads.
struct DecisionTable {
  explicit DecisionTable(std::size_t k) : groups(k), counts(4 * k) {}

  std::size_t groups;
  std::vector<double> counts;  ///< at(b, r, y)

  static std::size_t index(std::size_t b, std::size_t r, std::size_t y) {
    return 4 * r + 2 * b + y;
  }
  double& at(std::size_t b, std::size_t r, std::size_t y) { return counts[index(b, r, y)]; }
  double at(std::size_t b, std::size_t r, std::size_t y) const { return counts[index(b, r, y)]; }

  /// Rows of a group with a label.
  double rows(std::size_t r, std::size_t y) const { return at(0, r, y) + at(1, r, y); }

  /// Negative entries become 0, and a group without rows of a label gets half a one of either
  /// decision: what noise or small numbers leave must still be a table.
  void correct();
};

/// P(favourable | group, decision), groups x 2 as in DecisionRule: the p that minimises the error
/// sum_{b,r} p_rb (q(b,r,0) - q(b,r,1)) while, for each label y, the rates P(1 | r, y) of any two
/// groups differ by at most tolerance[y] (1 or more: no constraint). Requires a corrected table.
Result<std::vector<double>> fair_group_table(const DecisionTable& table,
                                             std::array<double, 2> tolerance);

/// Equal tolerance for the labels that a notion compares: both, or the favourable one alone.
std::array<double, 2> tolerances(FairnessNotion notion, double tolerance);

/// The model that is post-processed (train_plain).
struct BaseModel {
  TrainingResult training;
  std::vector<std::uint8_t> favours;  ///< by row: whether it decides for the favourable class
};
Result<BaseModel> train_base_model(const Dataset& data, const BaselineOptions& options,
                                   NoiseSource noise, const TrainingHooks& hooks);

}  // namespace dpfermi
