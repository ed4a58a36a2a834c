#include "sketch/proxy_training.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "sketch/adam.h"
#include "sketch/minimise.h"
#include "sketch/sketch_defaults.h"

namespace dpfermi {
namespace {

constexpr std::size_t kRounds = 30;  // of a search
/// Rounds after which a search that has not arrived makes F sharper, up to this many times: where
/// fairness leaves little between the classes, soft rates say little about hard ones.
constexpr std::size_t kEasyRounds = 5;
constexpr double kSharpest = 16;

/// One stage over all rows at once.
Status descend(ProxyObjective& objective, double lambda, double tau, const ProxyTraining& options,
               ProxyFit& fit, Workers* workers) {
  std::size_t steps = options.steps > 0 ? options.steps : usual_steps(1);
  if (lambda == 0 && options.free_steps > 0) steps = options.free_steps;
  const SmoothFunction function = [&](std::span<const double> at, std::span<double> gradient) {
    return objective.evaluate(at, lambda, tau, gradient, workers);
  };
  DPFERMI_ASSIGN(const Minimum minimum,
                 minimise(function, fit.theta, {steps, 1e-5, 1e-6, options.watch}));
  fit.evaluations += minimum.evaluations;
  fit.stopped = minimum.stopped;
  return {};
}

/// One stage by batches.
Status descend_by_batches(ProxyObjective& objective, double lambda, double tau,
                          const ProxyTraining& options, ProxyFit& fit, Workers* workers) {
  ShuffleSampler& batches = *options.batches;
  const std::size_t steps =
      options.steps > 0 ? options.steps : usual_steps(batches.batches_per_epoch());
  Adam adam(fit.theta.size());
  std::vector<double> gradient(fit.theta.size());
  objective.begin_batches(fit.theta, tau, workers);
  for (std::size_t step = 0; step < steps && !fit.stopped; ++step) {
    DPFERMI_ASSIGN(const std::vector<std::uint32_t> rows, batches.next());
    objective.batch_gradient(fit.theta, lambda, tau, rows, gradient, workers);
    const double left = 1 - static_cast<double>(step) / static_cast<double>(steps);
    adam.step(gradient, options.rate * left, fit.theta);
    ++fit.evaluations;
    fit.stopped = options.watch && !options.watch(fit.theta);
  }
  if (!std::ranges::all_of(fit.theta, [](double value) { return std::isfinite(value); })) {
    return failed("the optimiser met numbers that are not finite; use a smaller `theta_rate`");
  }
  return {};
}

Status run_stage(ProxyObjective& objective, double lambda, double tau, const ProxyTraining& options,
                 ProxyFit& fit, Workers* workers) {
  const auto stage = options.batches == nullptr ? descend : descend_by_batches;
  return stage(objective, lambda, tau, options, fit, workers);
}

std::vector<double> sharpness_stages(const ProxyTraining& options) {
  if (!options.taus.empty()) return options.taus;
  return {std::begin(defaults::kProxyTaus), std::end(defaults::kProxyTaus)};
}

/// The weights and offsets of a RatePenalty, moved round by round towards those under which every
/// hard rate lies within half the target of the middle of its condition and class.
class RateWeights {
 public:
  /// At first the weights are half those of psi, at the decisions of a model.
  RateWeights(const ProxyObjective& objective, const ProxyDecisions& decisions, double target)
      : objective_(&objective),
        aim_(std::max(kAim * target, kLeastGap)),
        usual_(decisions.soft.size()),
        penalty_{usual_, usual_} {
    const std::vector<double>& shares = objective.shares();
    const std::size_t k = objective.setting().groups;
    for_each_column([&](std::size_t c, std::size_t j) {
      double mean = 0;
      for (std::size_t r = 0; r < k; ++r) mean += shares[c * k + r] * decisions.soft[at(c, r, j)];
      for (std::size_t r = 0; r < k; ++r) {
        if (!counts(c, r)) continue;
        usual_[at(c, r, j)] =
            objective.condition_weights()[c] * shares[c * k + r] / std::max(mean, kLeastRate);
        penalty_.weights[at(c, r, j)] = kStart * usual_[at(c, r, j)];
      }
    });
  }

  const RatePenalty& penalty() const { return penalty_; }

  double lambda() const {
    const auto sum = [](const std::vector<double>& of) {
      return std::accumulate(of.begin(), of.end(), 0.0);
    };
    const double usual = sum(usual_);
    return usual > 0 ? sum(penalty_.weights) / usual : 0;
  }

  /// The largest difference between two groups.
  double violation(const ProxyDecisions& decisions) const {
    double worst = 0;
    for_each_column([&](std::size_t c, std::size_t j) {
      const auto [low, high] = range(decisions, c, j);
      worst = std::max(worst, high - low);
    });
    return worst;
  }

  /// Aims lower, for a search that comes close without arriving.
  void lower_aim() { aim_ *= 0.97; }

  void move(const ProxyDecisions& decisions) {
    adapt_pace(violation(decisions));
    for_each_column([&](std::size_t c, std::size_t j) {
      const auto [low, high] = range(decisions, c, j);
      for (std::size_t r = 0; r < objective_->setting().groups; ++r) {
        if (!counts(c, r)) continue;
        const std::size_t i = at(c, r, j);
        const double ratio = std::abs(decisions.hard[i] - (low + high) / 2) / (aim_ / 2);
        const double power = ratio > 1 ? gain_ : kFall * std::min(gain_, 1.0);
        const double factor = std::clamp(std::pow(ratio, power), 1 / kMostFactor, kMostFactor);
        double& weight = penalty_.weights[i];
        weight = std::clamp(weight * factor, kLeast * usual_[i], kMost * usual_[i]);
        penalty_.offsets[i] +=
            pace_ * (decisions.hard[i] - decisions.soft[i] - penalty_.offsets[i]);
      }
    });
  }

 private:
  static constexpr double kStart = 0.5;
  static constexpr double kLeast = 0.02;
  static constexpr double kMost = 1e5;
  static constexpr double kAim = 0.95;  // of the target: it is reached, not only approached
  static constexpr double kFall = 0.7;  // weights fall more slowly than they grow
  static constexpr double kMostFactor = 4;
  static constexpr double kLeastGap = 1e-4;
  static constexpr double kLeastRate = 0.02;

  /// Slower when a round overshot or made things worse, faster when it brought too little.
  void adapt_pace(double violation) {
    const double before = std::exchange(last_, violation);
    if (!(before > 0) || !(violation > 0)) return;
    if ((violation > aim_) != (before > aim_) || violation > 1.02 * before) {
      gain_ = std::max(0.6 * gain_, 0.3);
      pace_ = std::max(0.6 * pace_, 0.2);
    } else if (std::abs(std::log(violation / aim_)) > 0.7 * std::abs(std::log(before / aim_))) {
      gain_ = std::min(1.4 * gain_, 3.0);
    }
  }

  std::size_t at(std::size_t c, std::size_t r, std::size_t j) const {
    return (c * objective_->setting().groups + r) * objective_->setting().classes + j;
  }
  bool counts(std::size_t c, std::size_t r) const {
    const std::size_t cell = c * objective_->setting().groups + r;
    return objective_->known()[cell] && objective_->shares()[cell] > 0;
  }
  template <class Visit>
  void for_each_column(const Visit& visit) const {
    for (std::size_t c = 0; c < objective_->setting().conditions(); ++c) {
      for (std::size_t j = 0; j < objective_->setting().classes; ++j) {
        if (objective_->setting().compares(j)) visit(c, j);
      }
    }
  }
  std::pair<double, double> range(const ProxyDecisions& decisions, std::size_t c,
                                  std::size_t j) const {
    double low = 1;
    double high = 0;
    for (std::size_t r = 0; r < objective_->setting().groups; ++r) {
      if (!counts(c, r)) continue;
      low = std::min(low, decisions.hard[at(c, r, j)]);
      high = std::max(high, decisions.hard[at(c, r, j)]);
    }
    return {std::min(low, high), high};
  }

  const ProxyObjective* objective_;
  double aim_;
  double gain_ = 1;    // the power of a rate's distance in the factor of its weight
  double pace_ = 0.7;  // of offsets
  double last_ = 0;
  std::vector<double> usual_;
  RatePenalty penalty_;
};

/// The most accurate of the models that meet a target; before there is one, the fairest.
class BestFit {
 public:
  BestFit(double target, ProxyFit fit, double error)
      : target_(target), fit_(std::move(fit)), error_(error) {}

  void offer(const ProxyFit& fit, double error) {
    const bool better =
        reached() ? fit.violation <= target_ && error < error_ : fit.violation < fit_.violation;
    ++since_;
    if (!better) return;
    fit_ = fit;
    error_ = error;
    since_ = 0;
  }

  /// Whether a search may end: close to the target, and better models no longer turn up.
  bool settled() const {
    constexpr int kPatience = 4;
    constexpr double kClose = 0.85;
    return reached() && since_ >= kPatience && fit_.violation >= kClose * target_;
  }

  bool reached() const { return fit_.violation <= target_; }
  double error() const { return error_; }
  const ProxyFit& fit() const { return fit_; }

 private:
  double target_;
  ProxyFit fit_;
  double error_;
  int since_ = 0;
};

/// A model that gives everybody the commonest class.
std::vector<double> constant_model(const ProxyObjective& objective) {
  std::vector<double> theta(objective.network().spec().parameter_count());
  const std::vector<double>& shares = objective.class_shares();
  const auto commonest = std::ranges::max_element(shares) - shares.begin();
  // The last parameters are the biases of the outputs.
  if (objective.network().outputs() == 1) {
    theta.back() = commonest == 1 ? 1 : -1;
  } else {
    *(theta.end() - static_cast<std::ptrdiff_t>(shares.size()) + commonest) = 1;
  }
  return theta;
}

}  // namespace

std::size_t usual_steps(std::uint64_t batches_per_epoch) {
  if (batches_per_epoch == 1) return defaults::kProxyIterations;
  return std::max(defaults::kProxyEpochs * batches_per_epoch, defaults::kProxyLeastSteps);
}

std::size_t most_search_steps() {
  return (kRounds + std::size(defaults::kProxyTaus) - 1) * usual_steps(1);
}

Result<ProxyFit> fit_model(ProxyObjective& objective, std::vector<double> theta, double lambda,
                           const ProxyTraining& options, Workers* workers) {
  ProxyFit fit{std::move(theta), lambda};
  for (const double tau : lambda > 0 ? sharpness_stages(options) : std::vector<double>{1}) {
    if (fit.stopped) break;
    DPFERMI_TRY(run_stage(objective, lambda, tau, options, fit, workers));
  }
  fit.violation = objective.violation(fit.theta, workers);
  return fit;
}

Result<ProxyFit> fit_to_target(ProxyObjective& objective, const std::vector<double>& theta,
                               double target, const ProxyTraining& options, Workers* workers) {
  DPFERMI_ASSIGN(ProxyFit fit, fit_model(objective, theta, 0, options, workers));
  if (fit.violation <= target || fit.stopped) return fit;
  std::vector<double> taus = sharpness_stages(options);
  const double sharpest = kSharpest * taus.back();
  ProxyDecisions decisions = objective.decisions(fit.theta, taus.back(), workers);
  BestFit best(target, fit, decisions.error);
  RateWeights weights(objective, decisions, target);
  for (std::size_t round = 0; round < kRounds && !fit.stopped && !best.settled(); ++round) {
    objective.set_penalty(weights.penalty());
    for (std::size_t t = round == 0 ? 0 : taus.size() - 1; t < taus.size() && !fit.stopped; ++t) {
      DPFERMI_TRY(run_stage(objective, 1, taus[t], options, fit, workers));
    }
    decisions = objective.decisions(fit.theta, taus.back(), workers);
    fit.lambda = weights.lambda();
    fit.violation = weights.violation(decisions);
    best.offer(fit, decisions.error);
    if (round + 1 >= kEasyRounds && !best.reached()) {
      weights.lower_aim();
      taus.back() = std::min(1.25 * taus.back(), sharpest);
    }
    weights.move(decisions);
  }
  objective.set_penalty(std::nullopt);
  ProxyFit found = best.fit();
  if (best.error() >= 1 - std::ranges::max(objective.class_shares())) {
    found.theta = constant_model(objective);
    found.violation = 0;
  }
  found.evaluations = fit.evaluations;
  found.stopped = fit.stopped;
  return found;
}

}  // namespace dpfermi
