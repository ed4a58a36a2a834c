#include "optimize/sketch_method.h"

#include <algorithm>
#include <cmath>

#include "model/decisions.h"
#include "optimize/measured_run.h"
#include "optimize/planning.h"
#include "optimize/sketch_release.h"
#include "optimize/train_at_once.h"
#include "optimize/training_defaults.h"
#include "optimize/training_run.h"
#include "sample/index_sampler.h"
#include "sketch/max_entropy.h"
#include "sketch/proxy_training.h"
#include "sketch/sketch_defaults.h"

namespace dpfermi {
namespace {

/// Whether there are queries for the model without fairness too, which the free line needs.
bool is_guarded(const TrainingPlan& plan, const TrainingHooks& hooks) {
  return plan.sketch() != nullptr && plan.sketch()->rounds >= kGuardedRounds && !hooks.follow;
}

/// The side of a run that reads nothing protected: proxy and models.
class ProxyRun {
 public:
  /// `models` are trained, each after a fit of the proxy.
  ProxyRun(const Dataset& data, const TrainingPlan& plan, const SketchFeatures& features,
           const FairnessSetting& conditions, const GroupSums& sums, std::size_t models,
           const TrainingHooks& hooks)
      : plan_(&plan),
        workers_(hooks.threads, hooks.team),
        family_(data, features, conditions, sums),
        known_(known_groups(features, sums, conditions, fairness_setting(plan))),
        data_(&data),
        fitted_{&features, conditions, &sums, {}},
        progress_(hooks, models * family_.most_steps() + all_model_steps(models, hooks)) {
    // A pass of a wide network over all rows takes seconds.
    if (plan.model.hidden.empty()) return;
    workers_.stop_when([this] { return !progress_.goes_on(fit_.lambda, fit_.theta); });
  }

  /// Models with hidden layers are trained on batches of rows; their order is public.
  Status prepare(NoiseSource& noise) {
    if (plan_->batch >= data_->rows()) return {};
    DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kPublicBatch));
    DPFERMI_ASSIGN(batches_, ShuffleSampler::create(static_cast<std::uint32_t>(data_->rows()),
                                                    plan_->batch, std::move(lane)));
    return {};
  }

  /// The parameters that stand for the model until one is trained.
  void start_from(std::vector<double> theta) { fit_.theta = std::move(theta); }

  /// Fits the proxy to all that was released so far.
  Status fit_proxy() {
    progress_.begin(family_.most_steps());
    const auto watch = [&] { return progress_.step(fit_.lambda, fit_.theta); };
    DPFERMI_ASSIGN(std::vector<float> proxy, family_.fit(&workers_, watch));
    if (objective_ == nullptr) {
      objective_ = std::make_unique<ProxyObjective>(
          *data_, Network(plan_->model), fairness_setting(*plan_), std::move(proxy), known_);
    } else {
      objective_->set_proxy(std::move(proxy));
    }
    return {};
  }

  /// The proxy, and the first model from it.
  Status fit_first(const std::vector<double>& theta) {
    start_from(theta);
    DPFERMI_TRY(fit_proxy());
    return stopped() ? Status() : fit_model(theta);
  }

  /// The proxy, corrected by an answer, and a model from it.
  Status correct(DenseStatistic answer, const std::vector<double>& theta) {
    fold(std::move(answer));
    DPFERMI_TRY(fit_proxy());
    return stopped() ? Status() : fit_model(theta);
  }

  /// Trains a model from `theta` on, which may be that of the model before.
  Status fit_model(const std::vector<double>& theta) {
    progress_.begin(model_steps());
    ProxyTraining options = training();
    options.near = std::move(fit_.penalty);
    options.margins = margins_;
    options.watch = watch();
    DPFERMI_ASSIGN(
        fit_, plan_->max_violation
                  ? fit_to_target(*objective_, theta, *plan_->max_violation, options, &workers_)
                  : dpfermi::fit_model(*objective_, theta, plan_->lambda, options, &workers_));
    return check_finite(fit_.theta);
  }

  /// The model without fairness, which stands beside the one that is trained.
  Result<std::vector<double>> fit_unfair(std::vector<double> theta) {
    const std::size_t most = start_iterations(*plan_, data_->rows());
    progress_.begin(most);
    DPFERMI_ASSIGN(ProxyFit fit,
                   minimise_loss(*data_, plan_->model, std::move(theta), workers_, most, watch()));
    return std::move(fit.theta);
  }

  /// How much closer together than the target rates are to be (m x k x l).
  void keep_margins(std::vector<double> margins) { margins_ = std::move(margins); }
  const std::vector<double>& theta() const { return fit_.theta; }
  double lambda() const { return fit_.lambda; }

  /// Whether the caller asked to stop: nothing more is to be released.
  bool stopped() const { return progress_.stopped(); }

  void set_statement(PrivacyStatement statement) { statement_ = std::move(statement); }
  void set_merged(std::vector<std::uint16_t> merged) { merged_ = std::move(merged); }

  /// The class of every row, by this model or by the one that follows it elsewhere.
  Result<std::vector<std::uint16_t>> decide(const TrainingHooks& hooks) {
    if (hooks.follow) return hooks.follow(result());
    return decisions_of(data_->x, objective_->network(), fit_.theta);
  }

  /// Without queries: what is known about the violation is as much as the sketch alone can tell.
  Result<TrainingResult> finish(const TrainingHooks& hooks) {
    TrainingResult done = result();
    if (hooks.follow) {
      DPFERMI_TRY(hooks.follow(done));
      done.released_rates.clear();
      return done;
    }
    fitted_.proxy = objective_->proxy();
    done.violation =
        proxy_violation_interval(*data_, objective_->setting(), fitted_,
                                 decisions_of(data_->x, objective_->network(), fit_.theta),
                                 [&] { return progress_.goes_on(fit_.lambda, fit_.theta); });
    return done;
  }

  void fold(DenseStatistic answer) { family_.add(std::move(answer)); }

  TrainingResult result() {
    TrainingResult result;
    result.model = plan_->model;
    result.theta = fit_.theta;
    result.lambda = fit_.lambda;
    result.steps = fit_.evaluations;
    result.statement = statement_;
    result.released_shares = objective_->shares();
    result.known_groups = objective_->known();
    result.merged = merged_;
    result.released_rates = objective_->decision_rates(fit_.theta, &workers_);
    result.proxy.assign(objective_->proxy().begin(), objective_->proxy().end());
    result.seconds = watch_.seconds();
    return result;
  }

 private:
  ProxyTraining training() {
    return {.taus = {plan_->tau / 2, plan_->tau},
            .steps = plan_->steps,
            .batches = batches_ ? &*batches_ : nullptr,
            .rate = plan_->theta_rate};
  }
  std::function<bool(std::span<const double>)> watch() {
    return [&](std::span<const double> now) { return progress_.step(fit_.lambda, now); };
  }
  /// Models that follow elsewhere have progress of their own; in a guarded run the first is the one
  /// without fairness.
  std::size_t all_model_steps(std::size_t models, const TrainingHooks& hooks) {
    if (hooks.follow) return model_steps();
    if (!is_guarded(*plan_, hooks)) return models * model_steps();
    return start_iterations(*plan_, data_->rows()) + (models - 1) * model_steps();
  }
  std::size_t model_steps() { return most_steps(training(), plan_->max_violation.has_value()); }

  const TrainingPlan* plan_;
  std::vector<double> margins_;
  Workers workers_;
  MaxEntropy family_;
  std::vector<bool> known_;
  const Dataset* data_;
  FittedProxy fitted_;
  std::optional<ShuffleSampler> batches_;  ///< nothing: all rows at once
  std::unique_ptr<ProxyObjective> objective_;
  ProxyFit fit_;
  PrivacyStatement statement_;
  std::vector<std::uint16_t> merged_;
  Stopwatch watch_;
  StageProgress progress_;
};

/// Of a run that was stopped: what there is, or nothing where the model is trained elsewhere.
Result<TrainingResult> stopped_result(ProxyRun& run, const TrainingHooks& hooks) {
  if (hooks.follow) return failed("interrupted");
  return run.result();
}

/// All rows at once, or batches of them where the model has hidden layers (or it was asked for).
/// `steps` are those of a stage.
void plan_optimiser(const TrainingRequest& request, const Dataset& data, TrainingPlan& plan) {
  const auto rows = static_cast<std::uint32_t>(data.rows());
  plan.tau = request.tau.value_or(*std::rbegin(defaults::kProxyTaus));
  plan.batch = rows;
  if (request.batch || !plan.model.hidden.empty()) {
    plan.batch = std::min(rows, request.batch.value_or(defaults::kProxyBatch));
  }
  const std::uint64_t per_epoch = (rows + plan.batch - 1) / plan.batch;
  plan.steps =
      request.epochs
          ? static_cast<std::uint64_t>(std::ceil(*request.epochs * static_cast<double>(per_epoch)))
          : usual_steps(per_epoch);
  plan.theta_rate = request.theta_rate.value_or(defaults::kProxyRate);
  plan.q = 1;
  plan.iterate = IterateRule::kLast;
}

/// A guarded run: every answer corrects the proxy, and the best of the models that were measured is
/// returned.
Result<TrainingResult> train_measured(const TrainingPlan& plan, const std::vector<double>& theta,
                                      ProxyRun& run, MeasuredModels& measured) {
  DPFERMI_ASSIGN(std::vector<double> unfair, run.fit_unfair(theta));
  if (run.stopped()) return run.result();
  DPFERMI_ASSIGN(DenseStatistic answer, measured.measure(unfair, 0));
  if (plan.max_violation) run.keep_margins(measured.margins());
  DPFERMI_TRY(run.correct(std::move(answer), unfair));
  // Two queries are left: for the last model, and for what is returned.
  while (!run.stopped() && measured.remaining() > 2) {
    DPFERMI_ASSIGN(answer, measured.measure(run.theta(), run.lambda()));
    DPFERMI_TRY(run.correct(std::move(answer), std::vector<double>(run.theta())));
  }
  if (run.stopped()) return run.result();
  DPFERMI_TRY(measured.measure(run.theta(), run.lambda()));
  TrainingResult result = run.result();
  DPFERMI_TRY(measured.return_best(result));
  return result;
}

}  // namespace

Result<TrainingPlan> plan_with_sketch(const TrainingRequest& request, const Dataset& data,
                                      TrainingPlan plan) {
  plan_optimiser(request, data, plan);
  DPFERMI_TRY(plan_release(request, data, plan));
  return plan;
}

Result<TrainingResult> train_with_sketch(const Dataset& given, const TrainingPlan& plan,
                                         StepLedger& ledger, NoiseSource noise,
                                         const TrainingHooks& hooks) {
  // 1. Everything that will be released is charged before anything is read.
  DPFERMI_ASSIGN(const PaidSketch paid, release_planned(given, plan, ledger, noise));
  const Dataset& data = paid.grouped(given);
  const SketchPlan& sketch = *plan.sketch();
  const SketchFeatures& features = paid.features;
  const GroupSums& sums = paid.sums;

  // 2. The proxy.
  DPFERMI_ASSIGN(const std::vector<double> theta, starting_parameters(plan, noise, hooks));
  // Of a guarded run the first is the one without fairness; one query is about no new model.
  const std::size_t models =
      is_guarded(plan, hooks) ? sketch.rounds - 1 : std::max<std::size_t>(sketch.rounds, 1);
  ProxyRun run(data, plan, features, sketch.setting, sums, models, hooks);
  DPFERMI_TRY(run.prepare(noise));
  run.set_statement(paid.statement);
  run.set_merged(paid.merged);
  if (is_guarded(plan, hooks)) {
    run.start_from(theta);
    DPFERMI_TRY(run.fit_proxy());
    if (run.stopped()) return run.result();
    DPFERMI_ASSIGN(ResidualQueries queries, ResidualQueries::create(data, residual_queries(sketch),
                                                                    ledger, paid.charge, noise));
    MeasuredModels measured(data, plan, released_counts(sketch.setting, features, sums),
                            std::move(queries));
    return train_measured(plan, theta, run, measured);
  }
  DPFERMI_TRY(run.fit_first(theta));
  if (run.stopped()) return stopped_result(run, hooks);
  if (sketch.rounds == 0) return run.finish(hooks);

  // 3. What the proxy misses.
  DPFERMI_ASSIGN(ResidualQueries queries, ResidualQueries::create(data, residual_queries(sketch),
                                                                  ledger, paid.charge, noise));
  DPFERMI_ASSIGN(std::vector<std::uint16_t> decisions, run.decide(hooks));
  while (queries.remaining() > 1) {
    DPFERMI_ASSIGN(DenseStatistic answer, queries.ask(decisions));
    run.fold(std::move(answer));
    DPFERMI_TRY(run.fit_proxy());
    if (!hooks.follow) DPFERMI_TRY(run.fit_model(run.theta()));
    if (run.stopped()) return stopped_result(run, hooks);
    DPFERMI_ASSIGN(decisions, run.decide(hooks));
  }

  // 4. What became of it.
  DPFERMI_ASSIGN(const DenseStatistic last, queries.ask(decisions));
  TrainingResult result = run.result();
  if (hooks.follow) result.released_rates.clear();
  result.violation =
      violation_interval(sketch.setting, queried_rates(sketch.setting, last.sums, features, sums));
  return result;
}

Result<TrainingPlan> plan_from_sketch(const TrainingRequest& request, const Dataset& data,
                                      std::size_t favourable, const Sketch& sketch) {
  DPFERMI_TRY(check_goal(request));
  DPFERMI_TRY(check_notion(sketch.setting, request.notion, favourable));
  if (request.merge_small) {
    return usage_error(
        "a sketch is about the groups that it was made for; leave out `merge_small`");
  }
  TrainingRequest public_part = request;
  public_part.method = Method::kErm;
  public_part.notion = FairnessNotion::kNone;
  public_part.lambda.reset();
  public_part.max_violation.reset();
  DPFERMI_ASSIGN(TrainingPlan plan, plan_steps(public_part, data, favourable));
  plan.method = request.method;
  plan.delta = 0;
  plan.notion = request.notion;
  plan.groups = sketch.setting.groups;
  set_goal(request, plan);
  plan_optimiser(request, data, plan);
  return plan;
}

Result<TrainingResult> train_from_sketch(const Dataset& data, const TrainingPlan& plan,
                                         const Sketch& sketch, const SketchFeatures& features,
                                         NoiseSource noise, const TrainingHooks& hooks) {
  DPFERMI_TRY(check_features(data, sketch, features));
  DPFERMI_ASSIGN(const std::vector<double> theta, starting_parameters(plan, noise, hooks));
  ProxyRun run(data, plan, features, sketch.setting, sketch.sums, 1, hooks);
  DPFERMI_TRY(run.prepare(noise));
  run.set_statement(sketch.statement);
  DPFERMI_TRY(run.fit_first(theta));
  if (run.stopped()) return stopped_result(run, hooks);
  return run.finish(hooks);
}

}  // namespace dpfermi
