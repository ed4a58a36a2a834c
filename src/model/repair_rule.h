#pragma once

/// A repaired model (docs/repair.md) at work. Given the scores eta_y(x) of a model and a proxy
/// p~(r | x, y) of the group it decides
///
///   yhat(x) = argmin_j sum_{y,r} eta_y(x) p~(r | x, y) cost(y, r, j),
///
/// of equal classes the first: costs of decisions that depend on the group, which prediction
/// ignores. The proxy is that of a sketch of encoded rows (sketch/max_entropy.h), one for every
/// condition of the sketch:
///
///   p~(r | x, c) proportional to exp(min(1, R / |x|) <beta_cr, x> + kappa beta_cr0).

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/hybrid_matrix.h"
#include "dpfermi/core/result.h"
#include "model/model_spec.h"

namespace dpfermi {

struct RepairRule {
  std::size_t groups = 2;  ///< k
  double clip_norm = 1;    ///< R
  double kappa = 1;
  /// The condition of every label in the sketch; one past the last: none, all groups alike.
  std::vector<std::uint32_t> condition_by_label;
  /// Conditions x (d + 1) x k, or x 1 for two groups, where the first has the logit 0.
  std::vector<float> beta;
  std::vector<double> costs;  ///< members x l x k x l

  std::size_t width() const { return groups == 2 ? 1 : groups; }
  std::size_t classes() const { return condition_by_label.size(); }

  bool operator==(const RepairRule&) const = default;
};

/// Refuses a rule whose parts do not fit each other, the model or the groups.
Status check_repair(const RepairRule& rule, const ModelSpec& model, std::size_t groups,
                    std::size_t members);

/// rows x l x k: P~(y, r | x) = eta_y(x) p~(r | x, y).
std::vector<double> joint_guess(const RepairRule& rule, const HybridMatrix& x,
                                std::span<const float> scores);

/// The cheapest decision about every row, given P~(y, r | x) (rows x l x k) and costs (l x k x l).
std::vector<std::uint16_t> cheapest_decisions(std::span<const double> joint,
                                              std::span<const double> costs, std::size_t classes);

/// What every member decides about every row. Requires scores of all rows (rows x l).
std::vector<std::vector<std::uint16_t>> repaired_decisions(const RepairRule& rule,
                                                           const HybridMatrix& x,
                                                           std::span<const float> scores);

}  // namespace dpfermi
