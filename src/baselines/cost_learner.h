#pragma once

/// The learner of a fair game: the regression that decides most cheaply, given what deciding for
/// the favourable class costs on each row. By weighted logistic regression: weights |cost|, label
/// "favourable" where the cost is negative.

#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "sketch/row_blocks.h"

namespace dpfermi {

class CostLearner {
 public:
  /// Requires two classes.
  CostLearner(const Dataset& data, std::vector<std::uint32_t> rows, std::size_t favourable);

  std::size_t parameters() const { return network_.spec().parameter_count(); }

  /// Moves theta to the answer, by L-BFGS from where it is: costs change little from round to
  /// round.
  Status answer(std::span<const double> costs, std::vector<double>& theta);

  /// By row: whether the regression decides for the favourable class, as stored in 32 bits.
  std::vector<std::uint8_t> favours(std::span<const double> theta);

 private:
  Network network_;
  RowBlocks blocks_;
  bool class_one_;  ///< whether class 1, whose probability the model gives, is the favourable one
};

}  // namespace dpfermi
