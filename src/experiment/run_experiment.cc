// One run of an experiment: plan, train, measure.

#include <utility>

#include "core/stopwatch.h"
#include "dpfermi/core/version.h"
#include "evaluate/compared_violation.h"
#include "experiment/sweep.h"
#include "model/decision_rule.h"
#include "workflow/planned_run.h"

namespace dpfermi {
namespace {

TrainingRequest request_of(const RunSpec& spec, Method method) {
  TrainingRequest request{.method = method};
  request.notion = spec.notion;
  // What protects whole records does so here under its own adjacency: rows held out for testing,
  // scales and category lists are then treated as public.
  request.adjacency = method->is_private() && !method->protects_under(spec.adjacency)
                          ? *method->adjacencies.begin()
                          : spec.adjacency;
  if (spec.epsilon) request.epsilon = *spec.epsilon;
  request.delta = spec.delta;
  if (method->takes_lambda()) request.lambda = spec.lambda;
  if (method->takes_target()) request.max_violation = spec.target;
  request.hidden = spec.hidden;
  request.boosted = spec.boosted;
  return request;
}

/// Watches a run: about kPoints evenly spaced steps, and the last.
class CurveWatch {
 public:
  CurveWatch(const RunSpec& spec, const ModelSpec& model, const SplitData& data)
      : notion_(spec.notion),
        model_(model),
        data_(data),
        // Trees are grown before the steps that are watched.
        wanted_(spec.split == 0 && !spec.boosted) {}

  bool look(const TrainingProgress& now) {
    constexpr std::uint64_t kPoints = 30;
    // A run may ask between steps, too, whether it is to go on.
    if (!wanted_ || now.start < 1 || now.step == std::exchange(seen_, now.step) ||
        now.step * kPoints / now.steps == (now.step - 1) * kPoints / now.steps) {
      return true;
    }
    Result<Metrics> metrics =
        measure(model_, {}, now.theta, data_.train, data_.favourable, Draws::kExpected);
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
  std::uint64_t seen_ = 0;
  std::vector<CurvePoint> points_;
};

/// What the interval of a result is about; nothing where it has none.
std::optional<double> compared_violation(const TrainingResult& result, const SplitData& data,
                                         const FairnessSetting& setting) {
  if (!result.violation) return std::nullopt;
  const std::vector<std::uint16_t> decisions = rule_decisions(
      result.rule, result.model, result.theta, data.favourable, data.train.x, {}, result.scores);
  return compared_violation(decisions, data.train, setting, result.known_groups);
}

}  // namespace

Result<RunRecord> run_experiment(const RunSpec& spec, const SplitData& data, StepLedger& ledger,
                                 const std::function<bool()>& abandon) {
  const Stopwatch watch;
  DPFERMI_ASSIGN(const Method method, known_method(spec.method));
  DPFERMI_ASSIGN(const TrainingPlan plan,
                 plan_training(request_of(spec, method), data.train, data.favourable));
  DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(spec.seed));
  CurveWatch curve(spec, plan.model, data);
  TrainingHooks hooks;
  bool abandoned = false;
  hooks.progress = [&](const TrainingProgress& now) {
    abandoned = abandoned || abandon();
    return !abandoned && curve.look(now);
  };
  if (spec.boosted) {
    DPFERMI_ASSIGN(hooks.grown, data.trees->grow(data.train));
  }
  DPFERMI_ASSIGN(TrainingResult result,
                 run_plan(data.train, plan, ledger, std::move(noise), hooks));
  if (abandoned) return failed("interrupted");

  // Groups are small or not by their training rows, on test rows too.
  const std::vector<bool> small = small_groups(data.train, spec.least_group);
  RunRecord record;
  record.spec = spec;
  record.version = version();
  record.groups = data.groups;
  DPFERMI_ASSIGN(record.train, measure(result.model, result.rule, result.theta, data.train,
                                       data.favourable, Draws::kExpected, small, result.scores));
  DPFERMI_ASSIGN(record.test, measure(result.model, result.rule, result.theta, data.test,
                                      data.favourable, Draws::kExpected, small));
  if (method->is_private() || !reads_exactly(plan)) {
    if (result.target) {
      record.released = {result.target->released, result.target->met, result.violation};
      record.compared_violation = compared_violation(result, data, fairness_setting(plan));
    }
    record.privacy = std::move(result.statement);
    if (!features_are_public(plan.adjacency)) {
      record.privacy->assumptions.emplace_back("which rows were kept for testing");
    }
    record.privacy->id_column = data.id_column;
    record.privacy->domain_declared = data.domain_declared;
  }
  record.curve = curve.take();
  record.train_seconds = result.seconds;
  record.total_seconds = watch.seconds();
  return record;
}

}  // namespace dpfermi
