#pragma once

/// The min-max problem of DP-FERMI on a table: mean loss + lambda psi, cut into what is public and
/// what is secret (optimize/fairness_state.h). Units are records, or persons: then a unit adds the
/// mean over its rows.

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "data/unit_rows.h"
#include "model/network.h"
#include "model/packed_rows.h"
#include "optimize/fairness_state.h"

namespace dpfermi {

struct RowBlock;

class FermiProblem {
 public:
  /// Lattices of the private sum are at most this fine.
  static constexpr int kMostLatticeBits = ContributionLayout::kMaxLatticeBits;

  FermiProblem(const Dataset& data, Network network, ErmiPenalty penalty, Adjacency adjacency,
               FermiOptions options, std::size_t workers = 1);

  std::size_t theta_size() const { return network_.spec().parameter_count(); }
  std::size_t w_size() const { return fairness_.w_size(); }
  std::vector<Segment> segments() const { return fairness_.segments_for(theta_size()); }

  FairnessState& fairness() { return fairness_; }
  const FairnessState& fairness() const { return fairness_; }

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

 private:
  /// Working memory of one worker, for one block of rows.
  struct Scratch {
    FactorBlock block;
    ProductSums products;  ///< of the public part, in the course of a task
    std::vector<double> outputs, f, f_sharp, f_hard, weights;
    std::vector<double> loss_weights;  ///< empty: `weights`
    std::vector<std::uint32_t> conditions, cells;
  };
  /// What a task of the public part adds up.
  struct TaskSums {
    std::vector<double> theta;
    FairnessState::PublicSums tables;

    friend std::array<std::span<double>, 4> parts_of(TaskSums& sums) {
      return {sums.theta, sums.tables.f, sums.tables.f_hard, sums.tables.weights};
    }
  };

  std::size_t width() const { return fairness_.width(); }
  double tau() const { return fairness_.options().tau; }
  /// Rows, outputs and probabilities; those of sharpness 1 where the loss is wanted.
  void load(RowBlock block, bool with_loss, Scratch& scratch) const;
  void add_public_block(RowBlock block, Scratch& scratch, TaskSums& sums) const;
  void secret_rows(const std::vector<std::uint16_t>& s, RowBlock block, Scratch& scratch) const;
  /// What the tables want to know of the block that was loaded.
  FairnessState::TableRows table_rows(const Scratch& scratch, std::size_t rows) const;

  FairnessState fairness_;
  const Dataset* data_;
  Network network_;
  UnitRows unit_rows_;
  std::vector<double> loss_weights_;  ///< of rows; empty: those of their units
  PackedRows rows_;
  std::vector<Scratch> scratch_;
  std::vector<TaskSums> tasks_;       ///< all zero between steps
  std::vector<double> theta_;         ///< of this step
  std::vector<double> code_weights_;  ///< theta_, by code
};

}  // namespace dpfermi
