#include "repair/repair_solver.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "sketch/minimise.h"

namespace dpfermi {
namespace {

/// Widths over which min is smoothed, as shares of the largest cost; |mu| is over a tenth of it.
constexpr std::array kSharpening = {3e-2, 1e-2, 3e-3, 1e-3, 3e-4};
/// How often fit_repair aims lower at most.
constexpr int kMostAims = 8;
constexpr std::size_t kTaskRows = 4096;

/// -D with min and |.| smoothed, in multipliers that are scaled by how widely g / G varies.
class SmoothedDual {
 public:
  SmoothedDual(const RepairProblem& problem, double target, Workers* workers)
      : problem_(&problem),
        workers_(workers),
        target_(target),
        l_(problem.setting.classes),
        cells_(problem.cells()),
        shares_(cell_shares(problem)),
        scales_(cells_) {
    for (std::size_t i = 0; i < problem.rows(); ++i) {
      for (std::size_t cell = 0; cell < cells_; ++cell) {
        const double g = problem.joint[i * cells_ + cell];
        scales_[cell] += problem.weights[i] * g * g;
      }
      for (std::size_t j = 0; j < l_; ++j) {
        largest_ = std::max(largest_, std::abs(problem.costs[i * l_ + j]));
      }
    }
    for (std::size_t cell = 0; cell < cells_; ++cell) {
      const bool used = problem.known[cell] && scales_[cell] > 0;
      scales_[cell] = used ? shares_[cell] / std::sqrt(scales_[cell]) : 0;
    }
  }

  std::size_t size() const { return cells_ * l_; }
  void sharpen(double share) { width_ = share * (largest_ > 0 ? largest_ : 1); }

  std::vector<double> mu(std::span<const double> v) const {
    std::vector<double> mu(v.begin(), v.end());
    for (std::size_t i = 0; i < mu.size(); ++i) mu[i] *= scales_[i / l_];
    return mu;
  }

  double evaluate(std::span<const double> v, std::span<double> gradient) {
    const std::vector<double> own = mu(v);
    std::vector<double> sums = over_rows(own);
    double value = sums.back();
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (scales_[i / l_] == 0 || !problem_->constrained(i % l_)) {
        gradient[i] = 0;
        continue;
      }
      const double length = std::hypot(own[i], width_ / 10);
      value += own[i] * problem_->offset(i) - target_ / 2 * length;
      const double slope =
          sums[i] / shares_[i / l_] + problem_->offset(i) - target_ / 2 * own[i] / length;
      gradient[i] = -slope * scales_[i / l_];
    }
    project(gradient);
    return -value;
  }

 private:
  /// m x k x l: mean_i q_ij g_icr, q the smoothed decision; then the mean of the smoothed minimum.
  std::vector<double> over_rows(std::span<const double> mu) const {
    std::vector<double> weights(mu.begin(), mu.end());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] = scales_[i / l_] == 0 ? 0 : weights[i] / shares_[i / l_];
    }
    const std::size_t tasks = (problem_->rows() + kTaskRows - 1) / kTaskRows;
    std::vector<std::vector<double>> parts(tasks);
    run_tasks(workers_, tasks, [&](std::size_t task, unsigned) {
      parts[task].resize(size() + 1);
      add_rows(task * kTaskRows, std::min(problem_->rows(), (task + 1) * kTaskRows), weights,
               parts[task]);
    });
    std::vector<double> sums(size() + 1);
    for (const std::vector<double>& part : parts) {
      for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part[i];
    }
    return sums;
  }

  void add_rows(std::size_t begin, std::size_t end, std::span<const double> weights,
                std::span<double> sums) const {
    std::vector<double> q(l_);
    for (std::size_t i = begin; i < end; ++i) {
      const double* g = problem_->joint.data() + i * cells_;
      std::copy_n(problem_->costs.data() + i * l_, l_, q.begin());
      for (std::size_t cell = 0; cell < cells_; ++cell) {
        for (std::size_t j = 0; j < l_; ++j) q[j] += weights[cell * l_ + j] * g[cell];
      }
      const double least = *std::ranges::min_element(q);
      double total = 0;
      for (double& each : q) total += each = std::exp((least - each) / width_);
      const double weight = problem_->weights[i];
      sums[size()] += weight * (least - width_ * std::log(total));
      for (double& each : q) each *= weight / total;
      for (std::size_t cell = 0; cell < cells_; ++cell) {
        for (std::size_t j = 0; j < l_; ++j) sums[cell * l_ + j] += q[j] * g[cell];
      }
    }
  }

  /// Keeps sum_r mu_crj at zero: every point of the search is a sum of gradients.
  void project(std::span<double> gradient) const {
    const std::size_t k = problem_->setting.groups;
    for (std::size_t c = 0; c < problem_->setting.conditions(); ++c) {
      double square = 0;
      for (std::size_t r = c * k; r < (c + 1) * k; ++r) square += scales_[r] * scales_[r];
      if (square == 0) continue;
      for (std::size_t j = 0; j < l_; ++j) {
        double along = 0;
        for (std::size_t r = c * k; r < (c + 1) * k; ++r)
          along += scales_[r] * gradient[r * l_ + j];
        for (std::size_t r = c * k; r < (c + 1) * k; ++r) {
          gradient[r * l_ + j] -= along / square * scales_[r];
        }
      }
    }
  }

  const RepairProblem* problem_;
  Workers* workers_;
  double target_;
  std::size_t l_;
  std::size_t cells_;
  std::vector<double> shares_;
  std::vector<double> scales_;  ///< m x k; 0: not compared
  double largest_ = 0;          ///< cost
  double width_ = 1;
};

RepairFit fit_of(const RepairProblem& problem, std::vector<double> mu) {
  RepairFit fit{std::move(mu), {}, 0, 0};
  fit.decisions = decisions_under(problem, fit.mu);
  fit.cost = expected_cost(problem, fit.decisions);
  fit.violation = expected_violation(problem, fit.decisions);
  return fit;
}

}  // namespace

Result<std::vector<double>> solve_repair(const RepairProblem& problem, double target,
                                         Workers* workers) {
  SmoothedDual dual(problem, target, workers);
  const SmoothFunction function = [&](std::span<const double> v, std::span<double> gradient) {
    return dual.evaluate(v, gradient);
  };
  std::vector<double> v(dual.size());
  for (const double share : kSharpening) {
    dual.sharpen(share);
    DPFERMI_TRY(
        minimise(function, v,
                 {.most_iterations = 100, .gradient_tolerance = 1e-5, .value_tolerance = 1e-9}));
  }
  return dual.mu(v);
}

Result<RepairFit> fit_repair(const RepairProblem& problem, double target, Workers* workers) {
  RepairFit best = fit_of(problem, std::vector<double>(problem.cells() * problem.setting.classes));
  if (best.violation <= target) return best;
  double aim = target;
  for (int i = 0; i < kMostAims; ++i) {
    DPFERMI_ASSIGN(std::vector<double> mu, solve_repair(problem, std::max(aim, 0.0), workers));
    RepairFit fit = fit_of(problem, std::move(mu));
    const double over = fit.violation - target;
    const bool better = best.violation > target ? fit.violation < best.violation
                                                : over <= 0 && fit.cost < best.cost;
    if (better) best = std::move(fit);
    if (over <= 0 || aim <= 0) break;
    aim -= over;
  }
  return best;
}

}  // namespace dpfermi
