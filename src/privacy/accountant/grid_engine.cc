#include "privacy/accountant/grid_engine.h"

#include <algorithm>
#include <cmath>

#include "privacy/accountant/compose.h"
#include "privacy/accountant/saddle.h"

namespace dpfermi::accountant {
namespace {

constexpr double kOutsideShare = 1e-6;  // of delta, by which the window may be too short
constexpr double kMostGain = 1e5;  // e^{K(theta) - theta epsilon} over delta: round-off grows by it
constexpr double kMostPoints = 750'000;  // of a transform: a quarter of a second
constexpr double kMostCells = 1 << 19;   // of one pair
constexpr double kMostTilt = 5;  // theta times the width: more tilt than the width can resolve
constexpr double kAim = 0.85;    // of the tolerance, for the first pass
constexpr int kRounds = 5;

double total_count(std::span<const Component> components) {
  double total = 0;
  for (const Component& component : components) total += static_cast<double>(component.count);
  return total;
}

/// Tails that cost a 1e-5 part of delta at most, on either side.
TailMass tails_for(std::span<const Component> components, double delta) {
  const double count = total_count(components);
  return {.left = std::min(1e-3, 1e-7 / count), .right = std::min(1e-3, 1e-5 * delta / count)};
}

/// The window at one tilt that misses about kOutsideShare of delta, by the best of a few Chernoff
/// exponents on each side. Left of it, E[e^{sL}] <= 1 for s in [-1, 0] bounds what is missed;
/// larger negative s would pick up the tail that was cut off.
Window window_at(const NodeCumulants& cumulants, double theta, double epsilon, double log_delta) {
  const Cumulants base = cumulants.at(theta);
  const double gain = base.value - theta * epsilon - log_delta;
  const double budget = std::max(8.0, gain - std::log(kOutsideShare) - std::log1p(theta));
  const double slope = std::sqrt(2 * budget / std::max(base.second, 1e-12));
  Window window{.theta = theta,
                .target = epsilon,
                .low = -INFINITY,
                .high = INFINITY,
                .left_slope = slope,
                .right_slope = slope};
  for (const double factor : {0.1, 0.25, 0.5, 0.75, 1.0, 1.4}) {
    const double right = factor * slope;
    const double high = (cumulants.at(theta + right).value - base.value + budget) / right;
    if (high < window.high) {
      window.high = high;
      window.right_slope = right;
    }
    const double left = std::min(factor * slope, theta + 0.5);
    const double low = -(cumulants.at(theta - left).value - base.value + budget) / left;
    if (low > window.low) {
      window.low = low;
      window.left_slope = left;
    }
  }
  return window;
}

/// The shortest window among a few tilts at and below the saddle point's. Where rare large losses
/// rule (Tq of order 1), the saddle point drags in losses that do not matter for delta.
Window choose_window(const NodeCumulants& cumulants, const Saddle& saddle, double epsilon,
                     double log_delta) {
  Window best = window_at(cumulants, saddle.theta, epsilon, log_delta);
  for (const double factor : {0.7, 0.5, 0.35, 0.2, 0.1}) {
    const double theta = factor * saddle.theta;
    if (cumulants.at(theta).value - theta * epsilon - log_delta > std::log(kMostGain)) break;
    const Window window = window_at(cumulants, theta, epsilon, log_delta);
    if (window.high - window.low < best.high - best.low) best = window;
  }
  return best;
}

/// The discretisation widens epsilon by T (theta + 1) h^2 / 8, and by T h at the most.
double choose_step(double count, double theta, double width) {
  return std::max(std::sqrt(8 * width / (count * (theta + 1))), width / (2 * count));
}

/// Where all losses live on one lattice, its spacing, if it is not needlessly fine.
double common_lattice(std::span<const Component> components, double h) {
  const double step = lattice_step(components.front().pair);
  for (const Component& component : components) {
    if (lattice_step(component.pair) != step) return 0;
  }
  return step * 8 >= h ? step : 0;
}

/// A lone bounded pair has atoms at both ends; a grid that meets them keeps them whole.
double align_step(std::span<const Component> components, double h) {
  if (components.size() != 1 || !is_bounded(components.front().pair.kind)) return h;
  const double reach = 1 / components.front().pair.sigma;
  return reach / std::ceil(reach / h);
}

class Engine {
 public:
  Engine(std::span<const Component> components, TailMass tail)
      : components_(components), tail_(tail), cumulants_(components, tail) {
    for (const NodeCumulants::Part& part : cumulants_.parts()) {
      const auto [least, most] = std::ranges::minmax(part.nodes, {}, &LossNode::loss);
      widest_ = std::max(widest_, most.loss - least.loss);
    }
  }

  const NodeCumulants& cumulants() const { return cumulants_; }

  /// One pass with a discretisation error of about `width`, wide enough to find an epsilon that far
  /// from the estimate.
  ComposedLoss compose(Window window, double theta, double width) {
    double h = choose_step(total_count(components_), theta, width);
    const double finest = std::max((window.high - window.low) / kMostPoints, widest_ / kMostCells);
    at_finest_ = h <= finest;
    h = std::max(h, finest);
    const double lattice = common_lattice(components_, h);
    h_ = lattice > 0 ? lattice : align_step(components_, h);
    window.low = std::min(window.low, window.target) - 4 * width - 8 * h_;
    window.high = std::max(window.high, window.target) + 4 * width + 8 * h_;
    std::vector<CountedLoss> parts;
    for (const Component& component : components_) {
      parts.push_back({lattice > 0 ? discretize_lattice(component.pair, tail_)
                                   : discretize(component.pair, h_, tail_, theta),
                       component.count});
    }
    return {parts, h_, window};
  }

  double h() const { return h_; }

  /// Whether the last pass had as fine a grid as the bounds on the work allow.
  bool at_finest() const { return at_finest_; }

 private:
  std::span<const Component> components_;
  TailMass tail_;
  NodeCumulants cumulants_;
  double widest_ = 0;  // range of a single loss
  double h_ = 0;
  bool at_finest_ = false;
};

}  // namespace

GridAnswer grid_epsilon(std::span<const Component> components, double delta, double tolerance,
                        double enough) {
  Engine engine(components, tails_for(components, delta));
  Saddle saddle = saddle_for_delta(engine.cumulants(), delta);
  double epsilon = std::max(0.0, saddle.epsilon);
  double width = kAim * tolerance * std::max(1.0, epsilon);
  GridAnswer best{0, INFINITY, 0, 0, 0};
  for (int round = 0; round < kRounds; ++round) {
    saddle.theta = std::min(saddle.theta, kMostTilt / width);
    const Window window = choose_window(engine.cumulants(), saddle, epsilon, std::log(delta));
    const ComposedLoss composed = engine.compose(window, saddle.theta, width);
    best.upper = std::min(best.upper, composed.epsilon_upper(delta));
    best.lower = std::max(best.lower, composed.epsilon_lower(delta));
    best = {best.lower, best.upper, window.theta, engine.h(), composed.size()};
    const double goal = tolerance * std::max(1.0, best.lower);
    if (best.upper - best.lower <= goal || best.upper <= enough) break;
    if (engine.at_finest() && round > 0) break;
    if (std::isfinite(best.upper)) {
      // The estimate may have been off where the saddle point is not one (atoms, few steps). The
      // upper end is the one that the first passes get nearly right.
      epsilon = best.upper;
      saddle = saddle_for_epsilon(engine.cumulants(), epsilon);
    }
    width *= std::clamp(0.8 * goal / (best.upper - best.lower), 0.1, 0.7);
  }
  return best;
}

GridAnswer grid_delta(std::span<const Component> components, double epsilon, double tolerance,
                      double enough) {
  const NodeCumulants rough(components, tails_for(components, 1e-12));
  const Saddle guess = saddle_for_epsilon(rough, epsilon);
  const double delta = std::clamp(std::exp(guess.log_delta), 1e-100, 0.5);
  Engine engine(components, tails_for(components, delta));
  Saddle saddle = saddle_for_epsilon(engine.cumulants(), epsilon);
  double width = kAim * tolerance * std::max(1.0, epsilon);
  GridAnswer best{0, 1, 0, 0, 0};
  double log_delta = std::log(delta);
  for (int round = 0; round < kRounds; ++round) {
    saddle.theta = std::min(saddle.theta, kMostTilt / width);
    const Window window = choose_window(engine.cumulants(), saddle, epsilon, log_delta);
    const ComposedLoss composed = engine.compose(window, saddle.theta, width);
    best.upper = std::min(best.upper, composed.delta_upper(epsilon));
    best.lower = std::max(best.lower, composed.delta_lower(epsilon));
    best = {best.lower, best.upper, window.theta, engine.h(), composed.size()};
    log_delta = std::log(best.upper);
    const double goal = tolerance * std::max(1.0, epsilon) * (saddle.theta + 1) * best.upper;
    if (best.upper - best.lower <= goal || best.upper <= enough) break;
    if (engine.at_finest() && round > 0) break;
    width *= std::clamp(0.8 * goal / (best.upper - best.lower), 0.1, 0.7);
  }
  return best;
}

}  // namespace dpfermi::accountant
