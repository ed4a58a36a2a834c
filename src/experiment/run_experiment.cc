// One run of an experiment: plan, train, measure.

#include <algorithm>
#include <cmath>

#include "baselines/baseline.h"
#include "core/stopwatch.h"
#include "dpfermi/core/version.h"
#include "experiment/sweep.h"
#include "model/network.h"

namespace dpfermi {
namespace {

TrainingRequest request_of(const RunSpec& spec, Method method) {
  TrainingRequest request{.method = method};
  request.notion = spec.notion;
  request.adjacency = spec.adjacency;
  if (spec.epsilon) request.epsilon = *spec.epsilon;
  request.delta = spec.delta;
  if (method->takes_lambda()) request.lambda = spec.lambda;
  if (method->takes_target()) request.max_violation = spec.target;
  request.hidden = spec.hidden;
  return request;
}

/// Model files hold 32-bit parameters: figures are those of the model as it would be stored.
Result<Metrics> measure(const ModelSpec& model, const DecisionRule& rule,
                        std::span<const double> theta, const Dataset& data,
                        std::size_t favourable) {
  std::vector<double> stored;
  for (const double value : theta) stored.push_back(static_cast<float>(value));
  return rule_metrics(rule, model, stored, data, favourable);
}

/// Watches a run: about kPoints evenly spaced steps, and the last.
class CurveWatch {
 public:
  CurveWatch(const RunSpec& spec, const ModelSpec& model, const SplitData& data)
      : notion_(spec.notion), model_(model), data_(data), wanted_(spec.split == 0) {}

  bool look(const TrainingProgress& now) {
    constexpr std::uint64_t kPoints = 30;
    if (!wanted_ || now.step * kPoints / now.steps == (now.step - 1) * kPoints / now.steps) {
      return true;
    }
    Result<Metrics> metrics = measure(model_, {}, now.theta, data_.train, data_.favourable);
    if (metrics) {
      points_.push_back({now.step, metrics->error, violation_of(*metrics, notion_)});
    }
    return true;
  }

  std::vector<CurvePoint> take() { return std::move(points_); }

 private:
  FairnessNotion notion_;
  ModelSpec model_;
  const SplitData& data_;
  bool wanted_;
  std::vector<CurvePoint> points_;
};

/// What a baseline makes of the run. Where it protects whole records, it does so here under its own
/// adjacency: rows held out for testing, scales and category lists are then treated as public.
Result<BaselineResult> train_with(const MethodDescriptor& baseline, const TrainingRequest& request,
                                  const SplitData& data, StepLedger& ledger, NoiseSource noise,
                                  const TrainingHooks& hooks) {
  DPFERMI_ASSIGN(BaselineOptions options, baseline_options(baseline, request, data.favourable));
  if (baseline.is_private() && !baseline.protects_under(options.adjacency)) {
    options.adjacency = *baseline.adjacencies.begin();
  }
  DPFERMI_ASSIGN(BaselineResult result,
                 train_baseline(baseline, data.train, options, ledger, std::move(noise), hooks));
  if (!features_are_public(options.adjacency)) {
    result.training.statement.assumptions.emplace_back("which rows were kept for testing");
  }
  return result;
}

struct Trained {
  BaselineResult result;
  bool exact;  ///< read what is protected without noise
};

Result<Trained> train_method(const RunSpec& spec, Method method, const SplitData& data,
                             StepLedger& ledger, CurveWatch& curve) {
  DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(spec.seed));
  TrainingHooks hooks;
  hooks.progress = [&](const TrainingProgress& now) { return curve.look(now); };
  const TrainingRequest request = request_of(spec, method);
  if (!method->is_planned()) {
    DPFERMI_ASSIGN(BaselineResult result,
                   train_with(method.descriptor(), request, data, ledger, std::move(noise), hooks));
    return Trained{std::move(result), !method->is_private()};
  }
  DPFERMI_ASSIGN(const TrainingPlan plan, plan_training(request, data.train, data.favourable));
  BaselineResult result;
  result.model = plan.model;
  DPFERMI_ASSIGN(result.training, train(data.train, plan, ledger, std::move(noise), hooks));
  return Trained{std::move(result), reads_exactly(plan)};
}

}  // namespace

Result<RunRecord> run_experiment(const RunSpec& spec, const SplitData& data, StepLedger& ledger) {
  const Stopwatch watch;
  DPFERMI_ASSIGN(const Method method, known_method(spec.method));
  CurveWatch curve(spec, {data.train.x.columns(), data.train.classes, spec.hidden}, data);
  DPFERMI_ASSIGN(Trained trained, train_method(spec, method, data, ledger, curve));
  const BaselineResult& made = trained.result;
  TrainingResult& result = trained.result.training;
  if (!result.statement.releases.empty()) DPFERMI_TRY(ledger.commit());

  RunRecord record;
  record.spec = spec;
  record.version = version();
  record.groups = data.groups;
  DPFERMI_ASSIGN(record.train,
                 measure(made.model, made.rule, result.theta, data.train, data.favourable));
  DPFERMI_ASSIGN(record.test,
                 measure(made.model, made.rule, result.theta, data.test, data.favourable));
  if (!trained.exact) {
    record.privacy = std::move(result.statement);
    record.privacy->id_column = data.id_column;
    record.privacy->domain_declared = data.domain_declared;
  }
  record.curve = curve.take();
  record.train_seconds = result.seconds;
  record.total_seconds = watch.seconds();
  return record;
}

}  // namespace dpfermi
