#pragma once

/// Loss plus terms that are linear in a row's class probabilities,
///
///   mean_i [ loss_i + <v_{y_i, s_i}, F_i> ],    F = softmax(tau outputs),
///
/// which is what a Lagrangian of rate constraints is, given its multipliers. The vectors v are
/// public: they follow from what was released before the step.
///
/// What unit i adds to the secret sums:
///   theta      under `sensitive` J_i^T (v_{y,s} - vbar_y) / R, vbar_y the centre and R the largest
///              radius of the smallest balls around the vectors of a label: their public part is
///              taken without noise, and the noise is multiplied by R afterwards. Under the record
///              adjacencies the whole gradient. Clipped to `clip_norm`.
///   histogram  where asked for: F in the cell of its condition and group, of length at most 1.

#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "data/unit_rows.h"
#include "dpfermi/optimize/min_max_solver.h"
#include "model/network.h"
#include "objective/ermi_penalty.h"

namespace dpfermi {

struct RowBlock;

struct FunctionalOptions {
  Adjacency adjacency = Adjacency::kSensitive;
  FairnessSetting setting;      ///< whose conditions and groups make up the histogram
  double tau = 1;               ///< sharpness of F in the terms and the histogram
  double clip_norm = 1;         ///< C
  double histogram_weight = 0;  ///< share of the norm; 0: there is no histogram
};

class FunctionalProblem {
 public:
  FunctionalProblem(const Dataset& data, Network network, const FunctionalOptions& options,
                    std::size_t workers = 1);

  /// v, labels x groups x width (objective/row_gradients.h); zeros at the start.
  void set_functionals(std::span<const double> v);

  std::size_t theta_size() const { return network_.spec().parameter_count(); }
  std::size_t w_size() const { return 0; }
  std::size_t histogram_size() const { return options_.setting.w_size(); }

  /// (theta, histogram), the latter only where there is one.
  std::vector<Segment> segments() const;

  void begin_step(std::span<const double> theta, std::span<const double> w);
  void add_public(std::span<const std::uint32_t> units, Gradients& gradients, Workers* workers);
  Result<ClippedSum> clipped_sum(const Privatizer& privatizer, Batch batch, Workers* workers);
  void add_released(const NoisySum& noisy, Gradients& gradients);
  void project(std::span<double>) const {}

  /// What noise on theta's sum is multiplied with: R, or 1 where the whole record is secret.
  double noise_scale() const { return scale_; }

  /// conditions x groups x classes: the released histogram of the last step, as means over units.
  const std::vector<double>& histogram() const { return histogram_; }

 private:
  struct Scratch {
    FactorBlock block;
    std::vector<double> outputs, f, f_sharp, weights;
    std::vector<std::uint16_t> y;
    std::vector<std::uint32_t> which;
  };

  bool has_histogram() const { return options_.histogram_weight > 0; }
  void load(RowBlock block, Scratch& scratch) const;
  void add_loss(std::size_t rows, Scratch& scratch) const;
  void write_histogram(const std::vector<std::uint16_t>& s, RowBlock block, Scratch& scratch) const;
  void secret_rows(const std::vector<std::uint16_t>& s, RowBlock block, Scratch& scratch) const;

  const Dataset* data_;
  Network network_;
  FunctionalOptions options_;
  bool public_features_;
  std::vector<std::uint32_t> condition_by_label_;
  UnitRows unit_rows_;
  std::vector<double> common_;    ///< labels x width
  std::vector<double> by_group_;  ///< labels x groups x width
  double scale_;
  std::vector<Scratch> scratch_;
  std::vector<double> theta_;  ///< of this step
  std::vector<double> histogram_;
};

}  // namespace dpfermi
