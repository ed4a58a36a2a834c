#include "optimize/sketch_method.h"

#include <cmath>

#include "model/decisions.h"
#include "optimize/planning.h"
#include "optimize/training_run.h"
#include "sample/index_sampler.h"
#include "sketch/max_entropy.h"
#include "sketch/proxy_training.h"
#include "sketch/sketch_defaults.h"

namespace dpfermi {
namespace {

/// The side of a run that reads nothing protected: proxy and models.
class ProxyRun {
 public:
  ProxyRun(const Dataset& data, const TrainingPlan& plan, const SketchFeatures& features,
           const FairnessSetting& conditions, const GroupSums& sums, const TrainingHooks& hooks)
      : plan_(&plan),
        workers_(hooks.threads),
        family_(data, features, conditions, sums),
        known_(plan.notion == conditions.notion ? known_groups(features, sums)
                                                : std::vector<bool>()),
        data_(&data),
        fitted_{&features, conditions, &sums, {}} {}

  /// Models with hidden layers are trained on batches of rows; their order is public.
  Status prepare(NoiseSource& noise) {
    if (plan_->batch >= data_->rows()) return {};
    DPFERMI_ASSIGN(NoiseLane lane, noise.open(Purpose::kPublicBatch));
    DPFERMI_ASSIGN(batches_, ShuffleSampler::create(static_cast<std::uint32_t>(data_->rows()),
                                                    plan_->batch, std::move(lane)));
    return {};
  }

  /// Fits the proxy to all that was released so far.
  Status fit_proxy() {
    DPFERMI_ASSIGN(std::vector<float> proxy, family_.fit(&workers_));
    if (objective_ == nullptr) {
      objective_ = std::make_unique<ProxyObjective>(
          *data_, Network(plan_->model), fairness_setting(*plan_), std::move(proxy), known_);
    } else {
      objective_->set_proxy(std::move(proxy));
    }
    return {};
  }

  /// Trains a model from `theta` on.
  Status fit_model(const std::vector<double>& theta) {
    const ProxyTraining options{.taus = {plan_->tau / 2, plan_->tau},
                                .steps = plan_->steps,
                                .batches = batches_ ? &*batches_ : nullptr,
                                .rate = plan_->theta_rate};
    DPFERMI_ASSIGN(
        fit_, plan_->max_violation
                  ? fit_to_target(*objective_, theta, *plan_->max_violation, options, &workers_)
                  : dpfermi::fit_model(*objective_, theta, plan_->lambda, options, &workers_));
    return check_finite(fit_.theta);
  }
  const std::vector<double>& theta() const { return fit_.theta; }

  void set_statement(PrivacyStatement statement) { statement_ = std::move(statement); }

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
    DPFERMI_ASSIGN(done.violation, proxy_violation_interval(*data_, objective_->setting(), fitted_,
                                                            objective_->network(), fit_.theta));
    return done;
  }

  void fold(DenseStatistic answer) { family_.add(std::move(answer)); }

  TrainingResult result() {
    TrainingResult result;
    result.theta = fit_.theta;
    result.lambda = fit_.lambda;
    result.steps = fit_.evaluations;
    result.statement = statement_;
    result.released_shares = objective_->shares();
    result.known_groups = objective_->known();
    result.released_rates = objective_->decision_rates(fit_.theta, &workers_);
    result.proxy.assign(objective_->proxy().begin(), objective_->proxy().end());
    result.seconds = watch_.seconds();
    return result;
  }

 private:
  const TrainingPlan* plan_;
  Workers workers_;
  MaxEntropy family_;
  std::vector<bool> known_;
  const Dataset* data_;
  FittedProxy fitted_;
  std::optional<ShuffleSampler> batches_;  ///< nothing: all rows at once
  std::unique_ptr<ProxyObjective> objective_;
  ProxyFit fit_;
  PrivacyStatement statement_;
  Stopwatch watch_;
};

/// A sketch may come from a file of anybody's making: sums of other vectors than `features` would
/// be read past their end, or taken for what they are not.
Status check_features(const Dataset& data, const Sketch& sketch, const SketchFeatures& features) {
  const FairnessSetting& setting = sketch.setting;
  const GroupSums& sums = sketch.sums;
  const bool shaped = sums.conditions == setting.conditions() && sums.groups == setting.groups &&
                      sums.size == features.size() &&
                      sums.sums.size() == sums.conditions * sums.groups * sums.size;
  if (shaped && features.spec() == sketch.features && features.rows() == data.rows() &&
      setting.classes == data.classes) {
    return {};
  }
  return failed(
      "the sums of the sketch are not those of its features of these data; make the sketch again");
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

}  // namespace

Result<TrainingPlan> plan_with_sketch(const TrainingRequest& request, const Dataset& data,
                                      TrainingPlan plan) {
  DPFERMI_TRY(check_sketch_notion(plan.notion));
  plan_optimiser(request, data, plan);
  DPFERMI_ASSIGN(const SketchFeatures features, SketchFeatures::create(data, request.features));
  SketchRequest sketch;
  sketch.notion = plan.notion;
  sketch.adjacency = plan.adjacency;
  sketch.epsilon = request.epsilon;
  sketch.delta = request.delta;
  sketch.rounds = request.residual_rounds.value_or(defaults::kResidualRounds);
  sketch.round_share = request.residual_share.value_or(defaults::kResidualShare);
  DPFERMI_ASSIGN(plan.sketch, plan_sketch(sketch, data, plan.favourable, features));
  plan.noise_multiplier = plan.sketch->noise_multiplier;
  plan.clip_norm = plan.sketch->features.clip_norm;
  plan.certified_epsilon = plan.sketch->epsilon;
  plan.delta = plan.sketch->delta;
  return plan;
}

Result<TrainingResult> train_with_sketch(const Dataset& data, const TrainingPlan& plan,
                                         StepLedger& ledger, NoiseSource noise,
                                         const TrainingHooks& hooks) {
  if (!plan.sketch) return usage_error("the plan has no sketch; make it with plan_training");
  const SketchPlan& sketch = *plan.sketch;
  // 1. Everything that will be released is charged before anything is read.
  DPFERMI_ASSIGN(JointPlan releases, sketch_releases(sketch));
  if (releases.cost.epsilon > plan.certified_epsilon) {
    return usage_error("the plan promises less than it costs; make it with plan_training");
  }
  releases.fixed_seed = noise.reproducibility() == Reproducibility::kReproducible;
  DPFERMI_ASSIGN(const std::uint64_t charge, ledger.plan(releases));

  // 2. The sketch and its proxy.
  DPFERMI_ASSIGN(const SketchFeatures features, SketchFeatures::create(data, sketch.features));
  DPFERMI_ASSIGN(const GroupSums sums,
                 release_sketch(data, features, sketch, ledger, charge, noise));
  DPFERMI_ASSIGN(std::vector<double> theta, starting_parameters(plan, noise, hooks));
  ProxyRun run(data, plan, features, sketch.setting, sums, hooks);
  DPFERMI_TRY(run.prepare(noise));
  DPFERMI_TRY(run.fit_proxy());
  run.set_statement(statement_of(sketch.adjacency, releases));
  DPFERMI_TRY(run.fit_model(theta));
  if (sketch.rounds == 0) return run.finish(hooks);

  // 3. What the proxy misses.
  DPFERMI_ASSIGN(ResidualQueries queries,
                 ResidualQueries::create(data, sketch, ledger, charge, noise));
  DPFERMI_ASSIGN(std::vector<std::uint16_t> decisions, run.decide(hooks));
  while (queries.remaining() > 1) {
    DPFERMI_ASSIGN(DenseStatistic answer, queries.ask(decisions));
    run.fold(std::move(answer));
    DPFERMI_TRY(run.fit_proxy());
    if (!hooks.follow) DPFERMI_TRY(run.fit_model(run.theta()));
    DPFERMI_ASSIGN(decisions, run.decide(hooks));
  }

  // 4. What became of it.
  DPFERMI_ASSIGN(const DenseStatistic last, queries.ask(decisions));
  TrainingResult result = run.result();
  if (hooks.follow) result.released_rates.clear();
  result.violation = violation_interval(sketch.setting, last.sums, features, sums);
  return result;
}

Result<TrainingPlan> plan_from_sketch(const TrainingRequest& request, const Dataset& data,
                                      std::size_t favourable, const Sketch& sketch) {
  DPFERMI_TRY(check_goal(request));
  DPFERMI_TRY(check_notion(sketch.setting, request.notion, favourable));
  TrainingRequest public_part = request;
  public_part.method = Method::kErm;
  public_part.notion = FairnessNotion::kNone;
  public_part.lambda.reset();
  public_part.max_violation.reset();
  DPFERMI_ASSIGN(TrainingPlan plan, plan_training(public_part, data, favourable));
  plan.method = Method::kSketch;
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
  ProxyRun run(data, plan, features, sketch.setting, sketch.sums, hooks);
  DPFERMI_TRY(run.prepare(noise));
  run.set_statement(sketch.statement);
  DPFERMI_TRY(run.fit_proxy());
  DPFERMI_TRY(run.fit_model(theta));
  return run.finish(hooks);
}

}  // namespace dpfermi
