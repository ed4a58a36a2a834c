#pragma once

/// The min-max problem of DP-FERMI on a network that is held elsewhere (model/deep_network.h). What
/// is public and what is secret is as on tables (optimize/fairness_state.h): under `sensitive` the
/// secret half of a row has loss weight 0 and the functional of its condition and group; under the
/// record adjacencies it is the whole objective, and there is no public half.
///
/// The network sums theta's integers; the integers of the tables are made here, of the F that comes
/// back. Both are exact sums over units, so that the mechanism may take them
/// (Privatizer::sum_integers).

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "dpfermi/optimize/training_request.h"
#include "model/deep_network.h"
#include "optimize/fairness_state.h"

namespace dpfermi {

/// What the rules of a plan need to know, at theta_0: |J^T u|^2 / |u|^2 with u = F - e_y, the
/// derivative of the loss at the outputs, averaged over 64 rows that are spread evenly; y are the
/// classes of all. Reads labels and rows: public ones, or synthetic ones where rows are protected.
Result<NetworkScale> measure_network(DeepNetwork& network, std::span<const std::uint16_t> y);

class DeepProblem {
 public:
  /// 64 bits hold sums over 2^32 rows, and truncation costs a millionth of a million entries.
  static constexpr int kMostLatticeBits = 30;

  /// Refused unless every unit is one row and the network knows these rows.
  static Status check(const Dataset& data, const DeepNetwork& network);
  static Result<DeepProblem> create(const Dataset& data, DeepNetwork& network, ErmiPenalty penalty,
                                    Adjacency adjacency, FermiOptions options);

  std::size_t theta_size() const { return network_->parameters(); }
  std::size_t w_size() const { return fairness_.w_size(); }
  std::vector<Segment> segments() const { return fairness_.segments_for(theta_size()); }

  FairnessState& fairness() { return fairness_; }
  const FairnessState& fairness() const { return fairness_; }

  /// Where the network fails here or in add_public, status, clipped_sum and add_exact of the same
  /// step say so.
  void begin_step(std::span<const double> theta, std::span<const double> w);
  void add_public(std::span<const std::uint32_t> units, Gradients& gradients, Workers* workers);
  Result<ClippedSum> clipped_sum(const Privatizer& privatizer, Batch batch, Workers* workers);
  void add_released(const NoisySum& noisy, Gradients& gradients) {
    fairness_.add_released(noisy, gradients);
  }
  void project(std::span<double> w) const { fairness_.project(w); }
  void respond(std::span<double> w) const { fairness_.respond(w); }

  /// The secret terms of these units, read exactly.
  Status add_exact(const ExactRead& read, std::span<const std::uint32_t> units,
                   Gradients& gradients, Workers* workers);

  const Status& status() const { return trouble_; }

 private:
  DeepProblem(const Dataset& data, DeepNetwork& network, ErmiPenalty penalty, Adjacency adjacency,
              FermiOptions options);

  std::size_t width() const { return fairness_.width(); }
  double tau() const { return fairness_.options().tau; }
  /// Functionals with a column for each class, times `factor`.
  std::vector<double> widened(std::span<const double> functionals, double factor) const;
  /// F as the tables keep it: of two classes, the second alone.
  std::vector<double> narrowed(std::span<const double> f) const;
  std::vector<std::uint32_t> conditions_of(std::span<const std::uint32_t> rows) const;
  std::vector<std::uint32_t> rows_of(std::span<const std::uint32_t> units) const;
  /// Rows whose secret terms are asked for: v in the network's terms, and who has which line.
  struct SecretRows {
    std::vector<std::uint32_t> rows, conditions, cells;
    std::vector<double> v;
    double loss_weight, tau;
    NetworkRows asked() const { return {rows, loss_weight, v, cells, tau}; }
  };
  SecretRows secret_rows(const std::vector<std::uint16_t>& s,
                         std::span<const std::uint32_t> units) const;
  Status secret_sum(const std::vector<std::uint16_t>& s, std::span<const std::uint32_t> units,
                    const ContributionLayout& layout, std::span<std::int64_t> sums);
  /// Calls `use` with what each row, whose F is f, adds to the tables.
  void for_tables(const SecretRows& secret, std::span<const double> f,
                  const std::function<void(std::span<const double>)>& use) const;

  FairnessState fairness_;
  const Dataset* data_;
  DeepNetwork* network_;
  std::vector<std::uint32_t> row_of_unit_;
  Status trouble_;  ///< of this step
};

}  // namespace dpfermi
