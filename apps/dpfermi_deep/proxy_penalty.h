#pragma once

/// psi (docs/notation.md) for groups that are known as probabilities only: E[F 1{s=r}] is
/// replaced by E[F p(r|x)], p(r|x) the proxy of a private sketch (docs/sketch.md). Nothing here
/// reads s; a proxy is public once its sketch was released.
///
/// With P(j,r) smoothed over batches and W*_rj = P(j,r) / (P(j) sqrt(p_r)), row i adds <v_i, F_i>,
///   v_ij = sum_r W_rj (2 p(r|x_i) / sqrt(p_r) - W_rj),
/// with a separate table for every condition c of the notion (equalized odds: c = y). Conditions
/// weigh as much as they have rows, w_c = pi_c.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dpfermi::deep {

class ProxyPenalty {
 public:
  /// `proxies`: images x groups, kept by the caller. `conditions`: of each image; count or
  /// more: none, and psi has no part for it.
  ProxyPenalty(std::span<const float> proxies, std::size_t groups, std::size_t classes,
               std::span<const std::uint16_t> conditions, std::size_t condition_count);

  /// p_{r|c}, from all `rows`.
  void set_marginals(std::span<const std::uint32_t> rows);

  /// lambda v_i for each row of a batch, rows x classes; zeros before any batch was added.
  std::vector<float> functionals(std::span<const std::uint32_t> rows, double lambda) const;

  /// Adds a batch with its F (rows x classes) to the smoothed tables, of which it makes up `rate`.
  void add(std::span<const std::uint32_t> rows, std::span<const float> f, double rate);

 private:
  std::span<const float> proxies_;
  std::size_t groups_, classes_;
  std::span<const std::uint16_t> conditions_;
  std::vector<double> marginals_;  ///< conditions x groups
  std::vector<double> joint_;      ///< conditions x groups x classes: sums, not yet divided
  std::vector<double> mean_;       ///< conditions x classes
};

}  // namespace dpfermi::deep
