#pragma once

/// The step of fairness-lens, as a problem for the solver: what a record adds is the clipped
/// gradient of its loss and its part of the penalties, and its share of the statistics
/// (baselines/lens_statistics.h). Softmax regression only.

#include <cstdint>
#include <span>
#include <vector>

#include "baselines/lens_statistics.h"
#include "dpfermi/data/dataset.h"
#include "dpfermi/data/unit_rows.h"
#include "dpfermi/model/network.h"
#include "dpfermi/optimize/min_max_solver.h"
#include "dpfermi/optimize/training.h"

namespace dpfermi {

struct RowBlock;

class LensProblem {
 public:
  /// Of the plan: model, clip_norm, lambda, steps and units.
  LensProblem(const Dataset& data, const TrainingPlan& plan, double statistics_weight);

  /// What the penalties ask for, in place of what the statistics say.
  void set_terms(LensTerms terms) { terms_ = std::move(terms); }

  std::size_t theta_size() const { return network_.spec().parameter_count(); }
  std::size_t w_size() const { return 0; }
  std::size_t entries() const { return theta_size() + statistics_.size(); }

  /// (theta, statistics).
  std::vector<Segment> segments() const;

  void begin_step(std::span<const double> theta, std::span<const double> w);
  void add_public(std::span<const std::uint32_t>, Gradients&, Workers*) const {}
  Result<ClippedSum> clipped_sum(const Privatizer& privatizer, Batch batch, Workers* workers);
  void add_released(const NoisySum& noisy, Gradients& gradients);
  void project(std::span<double>) const {}

 private:
  void write(const std::vector<std::uint16_t>& s, RowBlock block);
  void write_row(std::size_t group, std::uint32_t row, std::size_t i);
  void add_outer(std::uint32_t row, std::span<const double> delta, double factor,
                 std::span<double> out) const;

  const Dataset* data_;
  Network network_;
  UnitRows units_;
  double clip_norm_;
  double weight_;
  double smoothing_;
  double lambda_;
  double least_share_;
  LensStatistics statistics_;
  LensTerms terms_;
  std::uint64_t steps_ = 0;
  std::vector<double> theta_;  ///< of this step
  FactorBlock block_;
  std::vector<double> outputs_, f_, bias_, uneven_;
};

}  // namespace dpfermi
