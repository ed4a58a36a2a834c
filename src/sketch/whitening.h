#pragma once

/// Coordinates in which a sum over rows of functions of Theta^T phi_i is nearly round, whatever the
/// inputs phi are. Its curvature is about that of
///
///   M = sum_i w_i phi_i phi_i^T / sum_i w_i + diag(ridge) = L L^T
///
/// for every output, up to a factor. In U = L^T Theta it is about that of the identity. An
/// optimiser that only sees gradients need not find out then which inputs are rare and which
/// nearly repeat each other, and takes a fraction of the passes over the rows.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "dpfermi/core/workers.h"

namespace dpfermi {

class Whitening {
 public:
  /// With more inputs L would cost more than it saves.
  static constexpr std::size_t kMostInputs = 1500;

  /// Appends the entries of phi_i that are not zero, by column; returns w_i.
  using Row =
      std::function<double(std::size_t i, std::vector<std::pair<std::size_t, double>>& phi)>;

  /// `ridge` has an entry for each input. `goes_on`, where given, is asked between pieces of
  /// work, of which each takes a fraction of a second. Nothing where it says no, where there are
  /// too many inputs, or M is singular.
  static std::optional<Whitening> create(std::size_t rows, const Row& row,
                                         std::span<const double> ridge, Workers* workers = nullptr,
                                         const std::function<bool()>& goes_on = {});

  /// U = L^T Theta and back. Tables of inputs x any number of outputs, row-major.
  std::vector<double> whiten(std::span<const double> theta) const;
  void restore(std::span<const double> u, std::span<double> theta) const;
  /// The gradient in U from that in Theta.
  void whiten_gradient(std::span<const double> in_theta, std::span<double> in_u) const;

 private:
  Whitening(std::size_t inputs, std::vector<double> lower)
      : inputs_(inputs), lower_(std::move(lower)) {}

  std::size_t inputs_;
  std::vector<double> lower_;  ///< L, inputs x inputs, row-major
};

}  // namespace dpfermi
