#pragma once

/// mean loss + lambda psi, with a proxy p~(s | x, c) instead of s: everything in it is public or
/// was released, so it is computed exactly, over all rows, as often as an optimiser likes.
///
///   P~(j, r | c) = E_c[p~_ir F_ij],   psi = sum_c w_c (sum_{j,r} P~(j,r)^2 / (P~(j) p~_r) - 1),
///
/// with F = softmax(tau outputs). Groups that the noise hides are left out of psi. The gradient of
/// psi in a row's outputs is that of <v_i, F_i>, v_i = sum_r p~_ir v_{c,r}.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "data/dataset.h"
#include "dpfermi/core/workers.h"
#include "model/network.h"
#include "objective/ermi_penalty.h"
#include "sketch/row_blocks.h"
#include "sketch/whitening.h"

namespace dpfermi {

/// A penalty instead of psi that knows every rate of its own, m x k x l:
///
///   sum_{c,r,j} a_crj (q_crj - q_cj)^2,   q_crj = P~(j | r, c) + o_crj,
///
/// q_cj the mean of q_crj over r with weights a_crj. psi is the case a = w_c p~_r / P~(j | c),
/// o = 0. Offsets of hard less soft rates make it a penalty on hard decisions.
struct RatePenalty {
  std::vector<double> weights;  ///< a; zero: the rate counts for nothing
  std::vector<double> offsets;  ///< o
};

/// What a model decides, as the proxy has it.
struct ProxyDecisions {
  double error = 0;          ///< of hard decisions; public
  double violation = 0;      ///< of hard decisions: the largest difference between two groups
  std::vector<double> hard;  ///< m x k x l: P~(yhat = j | r, c), 0 for groups without members
  std::vector<double> soft;  ///< the same of F at a given tau
};

class ProxyObjective {
 public:
  /// `data` must outlive this object; its s is not read. `known` as in GroupMarginals.
  ProxyObjective(const Dataset& data, const Network& network, const FairnessSetting& setting,
                 std::vector<float> proxy, std::vector<bool> known = {});
  ~ProxyObjective();
  ProxyObjective(const ProxyObjective&) = delete;
  ProxyObjective& operator=(const ProxyObjective&) = delete;

  const FairnessSetting& setting() const { return setting_; }
  const Network& network() const { return network_; }

  /// Another proxy of the same rows.
  void set_proxy(std::vector<float> proxy);
  std::span<const float> proxy() const { return proxy_; }

  /// Coordinates of theta in which the loss is nearly round; null with hidden layers and for more
  /// inputs than it would serve. `goes_on` as in Whitening::create.
  const Whitening* whitening(Workers* workers = nullptr, const std::function<bool()>& goes_on = {});

  /// The value at theta; writes the gradient.
  double evaluate(std::span<const double> theta, double lambda, double tau,
                  std::span<double> gradient, Workers* workers = nullptr);

  /// The same from batches, psi being read off a table that holds the latest decision of every row:
  /// exact about rows, late by an epoch at most, and no batch needs a pass over the others.
  /// begin_batches() fills the table at theta; batch_gradient() moves it on by the rows of a batch
  /// and writes the gradient of their mean loss and of psi.
  void begin_batches(std::span<const double> theta, double tau, Workers* workers = nullptr);
  void batch_gradient(std::span<const double> theta, double lambda, double tau,
                      std::span<const std::uint32_t> rows, std::span<double> gradient,
                      Workers* workers = nullptr);

  /// Puts another penalty in the place of psi, or psi back.
  void set_penalty(std::optional<RatePenalty> penalty) { rate_penalty_ = std::move(penalty); }
  /// w_c, what the conditions count for in psi: m of them that sum to one.
  const std::vector<double>& condition_weights() const { return psi_weights_; }

  ProxyDecisions decisions(std::span<const double> theta, double tau, Workers* workers = nullptr);
  /// l: how much the labels count in the loss; public.
  const std::vector<double>& class_shares() const { return class_shares_; }

  /// The violation of hard decisions, as the proxy has it.
  double violation(std::span<const double> theta, Workers* workers = nullptr);

  /// m x k x l: P~(yhat = j | r, c) of hard decisions.
  std::vector<double> decision_rates(std::span<const double> theta, Workers* workers = nullptr);

  /// m x k: p~_{r|c}.
  const std::vector<double>& shares() const { return penalty_->marginals().groups; }
  const std::vector<bool>& known() const { return known_; }

 private:
  struct Blocks;
  enum class Decision { kSoft, kHard };

  /// Adds `sign` times what decisions F of these rows make of P~(j, r | c) to `joint` (m x k x l).
  void add_decisions(std::span<const std::uint32_t> rows, std::span<const double> f, double sign,
                     std::span<double> joint) const;
  /// lambda psi of a joint table; writes lambda d psi / d P(j, r | c), as a functional of a row's
  /// F.
  double penalty(std::span<const double> joint, double lambda, std::span<double> slopes) const;
  /// The same of the rate penalty, in condition c.
  double add_rate_penalty(std::size_t c, std::span<const double> joint, double lambda,
                          std::span<double> slopes) const;
  /// Returns the mean loss; writes P~(j, r | c) to `joint` (m x k x l, or empty: it is not needed)
  /// and keeps outputs and probabilities: those of this process's share of the rows, where a team
  /// shares them out.
  double forward(const RowBlocks::Weights& weights, Decision decision, double tau,
                 std::span<double> joint, Workers* workers, Team& team);
  /// The summed loss of some rows, given their outputs and probabilities.
  double losses(std::span<const std::uint32_t> rows, std::span<const double> outputs,
                std::span<const double> f) const;
  /// Writes the derivatives at the outputs of some rows, given their probabilities as such and
  /// sharpened, and the slopes of psi in the joint table (m x k x l, or empty: there is no psi).
  void set_deltas(std::span<const std::uint32_t> rows, std::span<const double> plain,
                  std::span<const double> sharp, double tau, std::span<const double> slopes,
                  FactorBlock& factors) const;

  const Dataset* data_;
  Network network_;
  FairnessSetting setting_;
  std::vector<std::uint32_t> condition_by_label_;
  std::vector<double> weights_;           ///< of rows in rates; their sum is 1
  std::vector<double> loss_weights_;      ///< the same in the loss and in errors
  std::vector<double> condition_shares_;  ///< m: sums of those
  std::vector<double> class_shares_;      ///< l: by label, sums of weights in the loss
  std::vector<double> psi_weights_;       ///< m
  std::optional<RatePenalty> rate_penalty_;
  std::vector<float> proxy_;  ///< rows x groups
  std::vector<bool> known_;
  std::unique_ptr<ErmiPenalty> penalty_;
  std::unique_ptr<Blocks> blocks_;
  std::vector<double> table_;  ///< of batches: P~(j, r | c) of the latest decisions
};

}  // namespace dpfermi
