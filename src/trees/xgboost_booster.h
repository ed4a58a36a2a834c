#pragma once

/// XGBoost's C interface, as far as boosting needs it. It is asked to train and to hand over its
/// trees; it never reads a file. One thread each: sums of several would depend on their number. A
/// booster stays on the thread that made it, because XGBoost keeps a part of it there.

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "data/hybrid_matrix.h"
#include "dpfermi/core/result.h"
#include "model/model_spec.h"

namespace dpfermi {

/// Rows of x in XGBoost's hands. A category that a row does not have is absent there.
class BoosterRows {
 public:
  /// Labels and weights are those of all rows of x.
  static Result<BoosterRows> create(const HybridMatrix& x, std::span<const std::uint32_t> rows,
                                    std::span<const std::uint16_t> labels,
                                    std::span<const float> weights);
  void* handle() const { return handle_.get(); }

 private:
  explicit BoosterRows(void* handle);
  std::unique_ptr<void, void (*)(void*)> handle_;
};

struct GrownTree {
  std::vector<double> nodes;            ///< model/tree_ensemble.h
  std::map<std::size_t, double> gains;  ///< of the columns it asks about, as XGBoost counts them
};

/// Trees that grow by a round at a time: one tree for every output.
class Booster {
 public:
  /// `rows` to train on and `held_out`, null for none, must outlive it.
  static Result<Booster> create(const ModelSpec& model, const BoosterRows& rows,
                                const BoosterRows* held_out);

  Status add_round();

  /// The outputs (rows x outputs) of the rows that are held out.
  Result<std::vector<float>> held_out_outputs();

  /// All trees, of inputs whose first `numbers` columns are numbers and whose others are 0 or 1.
  Result<std::vector<GrownTree>> trees(std::size_t numbers);

 private:
  Booster(void* handle, const BoosterRows& rows, const BoosterRows* held_out);
  std::unique_ptr<void, void (*)(void*)> handle_;
  const BoosterRows* rows_;
  const BoosterRows* held_out_;
  int round_ = 0;
};

}  // namespace dpfermi
