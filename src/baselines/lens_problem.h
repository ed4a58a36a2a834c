#pragma once

/// The step of fairness-lens, as a problem for the solver. What a record adds is
///   products  [x, 1] times (u, v_s beta, w beta): u the derivative of its loss and its part of the
///             penalties, v_s that of the loss in the place of its group, w what clipping cut off;
///             each cut so that its product has length at most C. Together at most
///             C sqrt(1 + 2 beta^2);
///   sizes     (1, 1 - sum F^2) in the place of its group, at most sqrt(2).
/// Softmax regression only: there a direction of theta has outputs like a model.

#include <cstdint>
#include <span>
#include <vector>

#include "baselines/lens_statistics.h"
#include "data/dataset.h"
#include "data/unit_rows.h"
#include "dpfermi/optimize/min_max_solver.h"
#include "model/network.h"
#include "optimize/training_plan.h"

namespace dpfermi {

struct RowBlock;

class LensProblem {
 public:
  /// Of the plan: model, clip_norm, lambda, steps and units. `sizes_weight`: share of the norm.
  LensProblem(const Dataset& data, const TrainingPlan& plan, double sizes_weight);

  /// What the penalties ask for, instead of what the statistics say.
  void set_terms(LensTerms terms) { terms_ = std::move(terms); }

  std::size_t theta_size() const { return network_.spec().parameter_count(); }
  std::size_t w_size() const { return 0; }
  std::size_t entries() const;

  /// (products, sizes).
  std::vector<Segment> segments() const;

  /// What noise of C times the multiplier on theta's sum has become.
  double noise_scale() const;

  void begin_step(std::span<const double> theta, std::span<const double> w);
  void add_public(std::span<const std::uint32_t>, Gradients&, Workers*) const {}
  Result<ClippedSum> clipped_sum(const Privatizer& privatizer, Batch batch, Workers* workers);
  void add_released(const NoisySum& noisy, Gradients& gradients);
  void project(std::span<double>) const {}

 private:
  void write(const std::vector<std::uint16_t>& s, RowBlock block);
  void write_row(std::size_t group, std::uint32_t row, std::size_t i);

  const Dataset* data_;
  Network network_;
  UnitRows units_;
  double clip_norm_;     ///< C
  double sizes_weight_;  ///< of the norm
  double smoothing_;     ///< least share of the statistics that one step makes up
  double lambda_;
  double least_share_;
  std::size_t width_;  ///< of the products: (k + 2) outputs
  LensStatistics statistics_;
  LensTerms terms_;
  std::uint64_t steps_ = 0;
  std::vector<double> theta_;  ///< of this step
  FactorBlock block_;
  std::vector<double> outputs_, f_, bias_, uneven_;
};

}  // namespace dpfermi
