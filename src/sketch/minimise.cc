#include "sketch/minimise.h"

#include <lbfgs.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>

namespace dpfermi {
namespace {

double length(std::span<const double> x) {
  return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0));
}

/// The function in the coordinates of the library: those of the caller, or scale times whitened
/// ones. The first step has length 1 there, so that the scale says how far it goes.
class Call {
 public:
  Call(const SmoothFunction& function, const MinimiseOptions& options, std::span<const double> x)
      : function_(&function),
        options_(&options),
        x_(x.begin(), x.end()),
        gradient_(x.size()),
        first_gradient_(x.size()) {}

  /// Looks at the start and settles the scale. Returns whether it is good enough as it is.
  bool begin(std::span<double> at) {
    if (options_->whitening == nullptr) {
      std::ranges::copy(x_, at.begin());
      return false;
    }
    ++evaluations;
    first_value_ = (*function_)(x_, gradient_);
    const std::vector<double> u = options_->whitening->whiten(x_);
    options_->whitening->whiten_gradient(gradient_, first_gradient_);
    const double slope = length(first_gradient_);
    if (slope <= options_->gradient_tolerance * std::max(1.0, length(u))) {
      return std::isfinite(first_value_);
    }
    // The curvature of a loss is about a quarter of what is whitened.
    scale_ = std::max(1.0, 1 / (4 * slope));
    for (std::size_t i = 0; i < u.size(); ++i) at[i] = scale_ * u[i];
    is_first_ = true;
    return false;
  }

  double first_value() const { return first_value_; }

  double evaluate(std::span<const double> at, std::span<double> gradient) {
    if (options_->whitening == nullptr) {
      ++evaluations;
      return (*function_)(at, gradient);
    }
    double value = first_value_;
    if (std::exchange(is_first_, false)) {
      std::ranges::copy(first_gradient_, gradient.begin());
    } else {
      ++evaluations;
      move_to(at);
      value = (*function_)(x_, gradient_);
      options_->whitening->whiten_gradient(gradient_, gradient);
    }
    for (double& entry : gradient) entry /= scale_;
    return value;
  }

  /// Whether the search is to go on. `size` and `slope` are lengths of the point and of the
  /// gradient.
  bool goes_on(std::span<const double> at, double size, double slope) {
    stopped = options_->watch && !options_->watch(point(at));
    if (stopped || options_->whitening == nullptr) return !stopped;
    return slope * scale_ > options_->gradient_tolerance * std::max(1.0, size / scale_);
  }

  /// The caller's coordinates of a point.
  std::span<const double> point(std::span<const double> at) {
    if (options_->whitening == nullptr) return at;
    move_to(at);
    return x_;
  }

  std::size_t evaluations = 0;
  bool stopped = false;

 private:
  void move_to(std::span<const double> at) {
    std::vector<double> u(at.begin(), at.end());
    for (double& entry : u) entry /= scale_;
    options_->whitening->restore(u, x_);
  }

  const SmoothFunction* function_;
  const MinimiseOptions* options_;
  double scale_ = 1;
  std::vector<double> x_;         ///< the latest point of the caller, where coordinates differ
  std::vector<double> gradient_;  ///< the latest there
  bool is_first_ = false;         ///< the next point is the start, whose value is known
  double first_value_ = 0;
  std::vector<double> first_gradient_;
};

double evaluate(void* instance, const double* x, double* gradient, int size, double /*step*/) {
  const auto count = static_cast<std::size_t>(size);
  return static_cast<Call*>(instance)->evaluate({x, count}, {gradient, count});
}

int after_iteration(void* instance, const double* x, const double* /*gradient*/, double /*value*/,
                    double x_norm, double gradient_norm, double /*step*/, int size,
                    int /*iteration*/, int /*evaluations*/) {
  const std::span<const double> at(x, static_cast<std::size_t>(size));
  return static_cast<Call*>(instance)->goes_on(at, x_norm, gradient_norm) ? 0 : 1;
}

struct FreeLbfgs {
  void operator()(double* values) const { lbfgs_free(values); }
};

}  // namespace

Result<Minimum> minimise(const SmoothFunction& function, std::vector<double>& x,
                         const MinimiseOptions& options) {
  if (x.empty() || x.size() > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    return usage_error("there is nothing to optimise; give at least one parameter");
  }
  const int size = static_cast<int>(x.size());
  const std::unique_ptr<double, FreeLbfgs> values(lbfgs_malloc(size));
  if (values == nullptr) return failed("out of memory; use a smaller model");
  const std::span<double> at(values.get(), x.size());
  Call call(function, options, x);
  if (call.begin(at)) return Minimum{call.first_value(), call.evaluations};

  lbfgs_parameter_t parameters;
  lbfgs_parameter_init(&parameters);
  parameters.m = 10;
  parameters.epsilon = options.whitening == nullptr ? options.gradient_tolerance : 0;
  parameters.past = static_cast<int>(options.patience);
  parameters.delta = options.value_tolerance;
  parameters.max_iterations = static_cast<int>(options.most_iterations);
  double value = 0;
  const int code = lbfgs(size, values.get(), &value, evaluate, after_iteration, &call, &parameters);
  // The library leaves the last accepted point, whatever made it stop.
  const std::span<const double> found = call.point(at);
  if (code == LBFGSERR_OUTOFMEMORY || !std::isfinite(value) ||
      !std::ranges::all_of(found, [](double entry) { return std::isfinite(entry); })) {
    return failed("the optimiser met numbers that are not finite; use a smaller `lambda`");
  }
  std::ranges::copy(found, x.begin());
  return Minimum{value, call.evaluations, call.stopped};
}

}  // namespace dpfermi
