#include "sketch/proxy_training.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "model/decision_rule.h"
#include "objective/free_line.h"
#include "sketch/adam.h"
#include "sketch/minimise.h"
#include "sketch/sketch_defaults.h"

namespace dpfermi {
namespace {

constexpr std::size_t kRounds = 30;  // of a search
/// Of a search that begins with the weights that one for nearly the same problem found.
constexpr std::size_t kNearRounds = 10;
/// Rounds without a fairer model after which a search that has not arrived gives up.
constexpr int kHopeless = 10;
/// Rounds after which a search that has not arrived makes F sharper, up to this many times: where
/// fairness leaves little between the classes, soft rates say little about hard ones.
constexpr std::size_t kEasyRounds = 5;
constexpr double kSharpest = 16;
/// Models on the way to the constant.
constexpr std::size_t kLinePoints = 16;
/// A model that starts from its neighbour takes this share of the usual steps.
constexpr std::size_t kWarmShare = 3;
/// Iterations in whitened coordinates that together gain too little to go on.
constexpr std::size_t kWhitePatience = 5;

std::size_t usual_stage_steps(const ProxyTraining& options) {
  return usual_steps(options.batches == nullptr ? 1 : options.batches->batches_per_epoch());
}

std::size_t stage_steps(const ProxyTraining& options) {
  return options.steps > 0 ? options.steps : usual_stage_steps(options);
}

std::vector<double> stages(const ProxyTraining& options) {
  if (!options.taus.empty()) return options.taus;
  return {std::begin(defaults::kProxyTaus), std::end(defaults::kProxyTaus)};
}

/// Of a stage of a search: whatever its first model is given.
std::size_t search_steps(const ProxyTraining& options) {
  return std::min(stage_steps(options), usual_stage_steps(options));
}

/// Of a model that starts from its neighbour.
std::size_t warm_steps(const ProxyTraining& options) {
  return std::max<std::size_t>(search_steps(options) / kWarmShare, 1);
}

/// One stage over all rows at once.
Status descend(ProxyObjective& objective, double lambda, double tau, const ProxyTraining& options,
               ProxyFit& fit, Workers* workers) {
  const auto goes_on = [&] { return !options.watch || options.watch(fit.theta); };
  const SmoothFunction function = [&](std::span<const double> at, std::span<double> gradient) {
    return objective.evaluate(at, lambda, tau, gradient, workers);
  };
  MinimiseOptions how{.most_iterations = stage_steps(options),
                      .gradient_tolerance = 10 * options.tolerance,
                      .value_tolerance = options.tolerance,
                      .watch = options.watch,
                      .whitening = objective.whitening(workers, goes_on)};
  if (how.whitening != nullptr) how.patience = kWhitePatience;
  DPFERMI_ASSIGN(const Minimum minimum, minimise(function, fit.theta, how));
  fit.evaluations += minimum.evaluations;
  fit.stopped = minimum.stopped;
  return {};
}

/// One stage by batches.
Status descend_by_batches(ProxyObjective& objective, double lambda, double tau,
                          const ProxyTraining& options, ProxyFit& fit, Workers* workers) {
  const std::size_t steps = stage_steps(options);
  Adam adam(fit.theta.size());
  std::vector<double> gradient(fit.theta.size());
  objective.begin_batches(fit.theta, tau, workers);
  for (std::size_t step = 0; step < steps && !fit.stopped; ++step) {
    DPFERMI_ASSIGN(const std::vector<std::uint32_t> rows, options.batches->next());
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
  DPFERMI_TRY(stage(objective, lambda, tau, options, fit, workers));
  if (workers != nullptr && workers->stopped()) fit.stopped = true;
  return {};
}

/// The hard rates that are compared, each with its margin on either side.
class RateRanges {
 public:
  /// `margins` as in ProxyTraining; both must outlive this object.
  RateRanges(const ProxyObjective& objective, const std::vector<double>& margins)
      : objective_(&objective), margins_(&margins) {}

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

  double margin(std::size_t i) const { return margins_->empty() ? 0 : (*margins_)[i]; }

  std::pair<double, double> range(const ProxyDecisions& decisions, std::size_t c,
                                  std::size_t j) const {
    double low = 1;
    double high = 0;
    for (std::size_t r = 0; r < objective_->setting().groups; ++r) {
      if (!counts(c, r)) continue;
      const std::size_t i = at(c, r, j);
      low = std::min(low, decisions.hard[i] - margin(i));
      high = std::max(high, decisions.hard[i] + margin(i));
    }
    return {std::min(low, high), high};
  }

  /// The longest range.
  double violation(const ProxyDecisions& decisions) const {
    if (margins_->empty()) return decisions.violation;
    double longest = 0;
    for_each_column([&](std::size_t c, std::size_t j) {
      const auto [low, high] = range(decisions, c, j);
      longest = std::max(longest, high - low);
    });
    return longest;
  }

 private:
  const ProxyObjective* objective_;
  const std::vector<double>* margins_;
};

/// The weights and offsets of a RatePenalty, moved round by round towards those under which every
/// hard rate lies within half the target of the middle of its condition and class.
class RateWeights {
 public:
  /// At first the weights are those of a search before, or half those of psi, at the decisions of a
  /// model.
  RateWeights(const ProxyObjective& objective, const ProxyDecisions& decisions, double target,
              const ProxyTraining& options)
      : objective_(&objective),
        ranges_(objective, options.margins),
        aim_(std::max(kAim * target, kLeastGap)),
        usual_(decisions.soft.size()),
        penalty_{usual_, usual_} {
    const std::vector<double>& shares = objective.shares();
    const std::size_t k = objective.setting().groups;
    ranges_.for_each_column([&](std::size_t c, std::size_t j) {
      double mean = 0;
      for (std::size_t r = 0; r < k; ++r) {
        mean += shares[c * k + r] * decisions.soft[ranges_.at(c, r, j)];
      }
      for (std::size_t r = 0; r < k; ++r) {
        if (!ranges_.counts(c, r)) continue;
        usual_[ranges_.at(c, r, j)] =
            objective.condition_weights()[c] * shares[c * k + r] / std::max(mean, kLeastRate);
        penalty_.weights[ranges_.at(c, r, j)] = kStart * usual_[ranges_.at(c, r, j)];
      }
    });
    if (options.near) penalty_ = *options.near;
  }

  const RatePenalty& penalty() const { return penalty_; }

  double lambda() const {
    const auto sum = [](const std::vector<double>& of) {
      return std::accumulate(of.begin(), of.end(), 0.0);
    };
    const double usual = sum(usual_);
    return usual > 0 ? sum(penalty_.weights) / usual : 0;
  }

  /// Aims lower, for a search that comes close without arriving.
  void lower_aim() { aim_ *= 0.97; }

  void move(const ProxyDecisions& decisions) {
    adapt_pace(ranges_.violation(decisions));
    ranges_.for_each_column([&](std::size_t c, std::size_t j) {
      const auto [low, high] = ranges_.range(decisions, c, j);
      for (std::size_t r = 0; r < objective_->setting().groups; ++r) {
        if (!ranges_.counts(c, r)) continue;
        const std::size_t i = ranges_.at(c, r, j);
        const double distance = std::abs(decisions.hard[i] - (low + high) / 2) + ranges_.margin(i);
        const double ratio = distance / (aim_ / 2);
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

  const ProxyObjective* objective_;
  RateRanges ranges_;
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
  explicit BestFit(double target) : target_(target) {
    fit_.violation = std::numeric_limits<double>::infinity();
  }

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
  bool hopeless() const { return !reached() && since_ >= kHopeless; }

  double target() const { return target_; }
  bool reached() const { return fit_.violation <= target_; }
  double error() const { return error_; }
  const ProxyFit& fit() const { return fit_; }

 private:
  double target_;
  ProxyFit fit_;
  double error_ = 1;
  int since_ = 0;
};

/// The search of fit_to_target().
class TargetSearch {
 public:
  TargetSearch(ProxyObjective& objective, double target, const ProxyTraining& options,
               Workers* workers)
      : objective_(&objective),
        options_(&options),
        workers_(workers),
        taus_(stages(options)),
        ranges_(objective, options.margins),
        best_(target) {}

  /// Rounds of weights, from a model and, where there are some, from the weights that made it.
  Status run(const ProxyFit& start) {
    const double sharpest = kSharpest * taus_.back();
    fit_ = start;
    ProxyDecisions decisions = objective_->decisions(fit_.theta, taus_.back(), workers_);
    RateWeights weights(*objective_, decisions, best_.target(), *options_);
    fit_.lambda = options_->near ? weights.lambda() : 0;
    fit_.penalty = options_->near;
    first_error_ = decisions.error;
    offer(decisions);
    first_violation_ = fit_.violation;
    if (!options_->near && best_.reached()) return {};
    const std::size_t rounds = options_->near ? kNearRounds : kRounds;
    for (std::size_t round = 0;
         round < rounds && !fit_.stopped && !best_.settled() && !best_.hopeless(); ++round) {
      objective_->set_penalty(weights.penalty());
      const Status trained = train(round == 0 && !options_->near);
      objective_->set_penalty(std::nullopt);
      DPFERMI_TRY(trained);
      decisions = objective_->decisions(fit_.theta, taus_.back(), workers_);
      fit_.lambda = weights.lambda();
      fit_.penalty = weights.penalty();
      offer(decisions);
      if (round + 1 >= kEasyRounds && !best_.reached()) {
        weights.lower_aim();
        taus_.back() = std::min(1.25 * taus_.back(), sharpest);
      }
      weights.move(decisions);
    }
    return {};
  }

  /// Where no model meets the target and the fairest is no better than a mixture of the model that
  /// the search began with and the constant: models between the fairest and the constant.
  void go_on() {
    ProxyFit from = best_.fit();
    from.evaluations = fit_.evaluations;
    const double line =
        line_error(first_error_, first_violation_, constant_error(), from.violation);
    if (best_.reached() || best_.error() < line) return;
    const std::vector<double> to = best_constant();
    for (std::size_t i = 1; i <= kLinePoints && !fit_.stopped; ++i) {
      const double share = static_cast<double>(i) / kLinePoints;
      fit_ = from;
      for (std::size_t j = 0; j < to.size(); ++j) fit_.theta[j] += share * (to[j] - from.theta[j]);
      offer(objective_->decisions(fit_.theta, taus_.back(), workers_));
      fit_.stopped = options_->watch && !options_->watch(fit_.theta);
    }
  }

  ProxyFit found() const {
    ProxyFit found = best_.fit();
    if (best_.error() >= constant_error()) {
      found.theta = best_constant();
      found.violation = 0;
    }
    found.evaluations = fit_.evaluations;
    found.stopped = fit_.stopped;
    return found;
  }

 private:
  Status train(bool from_far) {
    ProxyTraining options = *options_;
    options.steps = from_far ? search_steps(*options_) : warm_steps(*options_);
    for (std::size_t t = from_far ? 0 : taus_.size() - 1; t < taus_.size() && !fit_.stopped; ++t) {
      DPFERMI_TRY(run_stage(*objective_, 1, taus_[t], options, fit_, workers_));
    }
    return {};
  }

  double constant_error() const { return 1 - std::ranges::max(objective_->class_shares()); }

  std::vector<double> best_constant() const {
    const std::vector<double>& shares = objective_->class_shares();
    const auto commonest = std::ranges::max_element(shares) - shares.begin();
    return constant_member(objective_->network().spec(), static_cast<std::size_t>(commonest));
  }

  void offer(const ProxyDecisions& decisions) {
    fit_.violation = ranges_.violation(decisions);
    best_.offer(fit_, decisions.error);
  }

  ProxyObjective* objective_;
  const ProxyTraining* options_;
  Workers* workers_;
  std::vector<double> taus_;
  RateRanges ranges_;
  BestFit best_;
  double first_error_ = 0;  ///< of the model that the search began with
  double first_violation_ = 0;
  ProxyFit fit_;  ///< the latest
};

}  // namespace

std::size_t usual_steps(std::uint64_t batches_per_epoch) {
  if (batches_per_epoch == 1) return defaults::kProxyIterations;
  return std::max(defaults::kProxyEpochs * batches_per_epoch, defaults::kProxyLeastSteps);
}

std::size_t most_steps(const ProxyTraining& options, bool with_target) {
  const std::size_t all = stages(options).size();
  if (!with_target) return all * stage_steps(options);
  return stage_steps(options) + all * search_steps(options) + (kRounds - 1) * warm_steps(options) +
         kLinePoints;
}

Result<ProxyFit> fit_model(ProxyObjective& objective, std::vector<double> theta, double lambda,
                           const ProxyTraining& options, Workers* workers) {
  ProxyFit fit{std::move(theta), lambda};
  for (const double tau : lambda > 0 ? stages(options) : std::vector<double>{1}) {
    if (fit.stopped) break;
    DPFERMI_TRY(run_stage(objective, lambda, tau, options, fit, workers));
  }
  fit.violation = objective.violation(fit.theta, workers);
  return fit;
}

Result<ProxyFit> fit_to_target(ProxyObjective& objective, const std::vector<double>& theta,
                               double target, const ProxyTraining& options, Workers* workers) {
  ProxyFit start{theta};
  if (!options.near) {
    ProxyTraining first = options;
    first.tolerance = std::min(options.tolerance, defaults::kLossTolerance);
    DPFERMI_ASSIGN(start, fit_model(objective, theta, 0, first, workers));
    start.start = start.theta;
    if (start.stopped) return start;
  }
  TargetSearch search(objective, target, options, workers);
  DPFERMI_TRY(search.run(start));
  if (!options.near) search.go_on();
  return search.found();
}

}  // namespace dpfermi
