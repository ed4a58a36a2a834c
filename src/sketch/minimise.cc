#include "sketch/minimise.h"

#include <lbfgs.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace dpfermi {
namespace {

struct Call {
  const SmoothFunction* function;
  const MinimiseOptions* options;
  std::size_t evaluations = 0;
  bool stopped = false;
};

double evaluate(void* instance, const double* x, double* gradient, int size, double /*step*/) {
  Call& call = *static_cast<Call*>(instance);
  ++call.evaluations;
  const auto length = static_cast<std::size_t>(size);
  return (*call.function)({x, length}, {gradient, length});
}

int after_iteration(void* instance, const double* x, const double* /*gradient*/, double /*value*/,
                    double /*x_norm*/, double /*gradient_norm*/, double /*step*/, int size,
                    int /*iteration*/, int /*evaluations*/) {
  Call& call = *static_cast<Call*>(instance);
  call.stopped = !call.options->watch({x, static_cast<std::size_t>(size)});
  return call.stopped ? 1 : 0;
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
  std::ranges::copy(x, values.get());

  lbfgs_parameter_t parameters;
  lbfgs_parameter_init(&parameters);
  parameters.m = 10;
  parameters.epsilon = options.gradient_tolerance;
  parameters.past = 10;
  parameters.delta = options.value_tolerance;
  parameters.max_iterations = static_cast<int>(options.most_iterations);
  Call call{&function, &options};
  double value = 0;
  const int code = lbfgs(size, values.get(), &value, evaluate,
                         options.watch ? after_iteration : nullptr, &call, &parameters);
  // The library leaves the last accepted point, whatever made it stop.
  const std::span<const double> found(values.get(), x.size());
  if (code == LBFGSERR_OUTOFMEMORY || !std::isfinite(value) ||
      !std::ranges::all_of(found, [](double entry) { return std::isfinite(entry); })) {
    return failed("the optimiser met numbers that are not finite; use a smaller `lambda`");
  }
  std::ranges::copy(found, x.begin());
  return Minimum{value, call.evaluations, call.stopped};
}

}  // namespace dpfermi
