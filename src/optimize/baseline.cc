#include "optimize/baseline.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "optimize/training_run.h"
#include "privacy/no_ledger.h"

namespace dpfermi {
namespace {

/// "demographic-parity, equalized-odds".
template <class Value>
std::string names_of(const std::vector<Value>& values) {
  std::vector<std::string_view> names;
  for (const Value value : values) names.push_back(to_string(value));
  return fmt::format("{}", fmt::join(names, ", "));
}

Status check_numbers(const MethodDescriptor& baseline, const BaselineOptions& options) {
  const auto at_least_zero = [](double value) { return value >= 0 && std::isfinite(value); };
  if (baseline.is_private() && !(options.epsilon > 0 && std::isfinite(options.epsilon))) {
    return usage_error("epsilon must be a positive number");
  }
  if (options.delta && !(*options.delta >= 0 && *options.delta < 1)) {
    return usage_error("delta must be at least 0 and below 1");
  }
  if (!at_least_zero(options.lambda)) return usage_error("lambda must be a number >= 0");
  if (!(options.tolerance >= 0 && options.tolerance <= 1)) {
    return usage_error("the largest violation allowed lies between 0 and 1");
  }
  return {};
}

}  // namespace

Result<BaselineOptions> baseline_options(const MethodDescriptor& baseline,
                                         const TrainingRequest& request, std::size_t favourable) {
  if (request.lambda && !baseline.takes_lambda()) {
    return usage_error(fmt::format("{} has no lambda; {}", baseline.name,
                                   baseline.takes_target()
                                       ? "give it the largest violation allowed instead"
                                       : "leave it out"));
  }
  if (request.max_violation && !baseline.takes_target()) {
    return usage_error(
        fmt::format("{} cannot be steered to a violation; {}", baseline.name,
                    baseline.takes_lambda() ? "give it a lambda instead" : "leave out the target"));
  }
  if (request.epochs || request.batch || request.tau || request.clip_norm || request.theta_rate ||
      request.w_rate || request.dual || request.iterate || request.theorem_plan) {
    return usage_error(
        fmt::format("{} has its own settings; leave out those of the solver", baseline.name));
  }
  BaselineOptions options;
  options.notion = request.notion;
  options.favourable = favourable;
  options.adjacency = request.adjacency;
  options.epsilon = request.epsilon;
  options.delta = request.delta;
  if (request.lambda) options.lambda = *request.lambda;
  if (request.max_violation) options.tolerance = *request.max_violation;
  options.hidden = request.hidden;
  options.declared_norm = request.declared_norm;
  return options;
}

Status check_baseline(const MethodDescriptor& baseline, const BaselineOptions& options,
                      const Dataset& data) {
  if (!baseline.knows(options.notion)) {
    return usage_error(fmt::format("{} knows {}, not {}; choose one of them", baseline.name,
                                   names_of(baseline.known_notions()), to_string(options.notion)));
  }
  if (baseline.is_private() && !baseline.protects_under(options.adjacency)) {
    return usage_error(fmt::format("{} protects under {}, not {}; choose that adjacency",
                                   baseline.name, names_of<Adjacency>(baseline.adjacencies),
                                   to_string(options.adjacency)));
  }
  if (data.rows() == 0) return failed("there are no rows to train on; bring some");
  if (data.classes != 2 && !baseline.multi_class) {
    return usage_error(fmt::format("{} needs two classes, not {}; use another method",
                                   baseline.name, data.classes));
  }
  if (data.groups < 2 || (baseline.most_groups > 0 && data.groups > baseline.most_groups)) {
    return usage_error(fmt::format("{} needs {}, not {}; use another method", baseline.name,
                                   baseline.most_groups == 2 ? "two groups" : "at least two groups",
                                   data.groups));
  }
  if (!options.hidden.empty() && !baseline.takes_hidden) {
    return usage_error(
        fmt::format("{} is a regression; leave out the hidden layers", baseline.name));
  }
  return check_numbers(baseline, options);
}

Result<TrainingPlan> plan_baseline(const TrainingRequest& request, const Dataset& data,
                                   std::size_t favourable) {
  const MethodDescriptor& baseline = request.method.descriptor();
  DPFERMI_ASSIGN(BaselineOptions options, baseline_options(baseline, request, favourable));
  DPFERMI_TRY(check_baseline(baseline, options, data));
  TrainingPlan plan;
  plan.method = request.method;
  plan.notion = options.notion;
  plan.adjacency = options.adjacency;
  plan.model = {data.x.columns(), data.classes, options.hidden};
  plan.favourable = favourable;
  plan.groups = data.groups;
  plan.units = static_cast<std::uint32_t>(data.unit_count);
  if (baseline.takes_lambda()) plan.lambda = options.lambda;
  if (baseline.takes_target()) plan.max_violation = options.tolerance;
  plan.own = std::move(options);
  return plan;
}

Result<TrainingResult> train_plain(const Dataset& data, const BaselineOptions& options,
                                   NoiseSource noise, const TrainingHooks& hooks) {
  TrainingRequest request;
  request.method = Method::kErm;
  request.notion = options.notion;
  request.hidden = options.hidden;
  DPFERMI_ASSIGN(const TrainingPlan plan, plan_training(request, data, options.favourable));
  NoLedger ledger;
  return train(data, plan, ledger, std::move(noise), hooks);
}

Result<TrainingResult> train_baseline(const MethodDescriptor& baseline, const Dataset& data,
                                      const BaselineOptions& options, StepLedger& ledger,
                                      NoiseSource noise, const TrainingHooks& hooks) {
  DPFERMI_TRY(check_baseline(baseline, options, data));
  if (baseline.is_private()) {
    return baseline.train(data, options, ledger, std::move(noise), hooks);
  }
  const Reproducibility reproducibility = noise.reproducibility();
  DPFERMI_ASSIGN(
      ExactCharge charge,
      charge_exact(ledger, options.adjacency, without_noise(Method(baseline)), reproducibility));
  DPFERMI_ASSIGN(TrainingResult result,
                 baseline.train_exactly(data, options, charge.read, std::move(noise), hooks));
  PrivacyStatement& statement = result.statement;
  statement = {};
  statement.adjacency = options.adjacency;
  statement.noise = reproducibility;
  statement.releases = {std::move(charge.release)};
  return result;
}

}  // namespace dpfermi
