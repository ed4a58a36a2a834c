#include "optimize/repair_method.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/mutant.h"
#include "model/network.h"
#include "optimize/boosted_training.h"
#include "optimize/group_marginals.h"
#include "optimize/measured_run.h"
#include "optimize/planning.h"
#include "optimize/sketch_method.h"
#include "optimize/sketch_release.h"
#include "optimize/train_at_once.h"
#include "optimize/training_run.h"
#include "repair/repair_solver.h"
#include "sketch/max_entropy.h"
#include "sketch/sketch_defaults.h"

namespace dpfermi {
namespace {

Status check_scores(const Dataset& data) {
  if (data.scores.empty() || data.scores.size() == data.rows() * data.classes) return {};
  return failed("the scores are not those of these rows and classes; read them again");
}

Status check_encoded(const FeatureMapSpec& features) {
  if (features.kind == FeatureKind::kEncoded) return {};
  return usage_error("repair needs a sketch of encoded rows, not of features '" +
                     std::string(to_string(features.kind)) +
                     "': a new row must tell what the sketch says about it; leave out "
                     "`features.kind`");
}

/// cost(j, y) as l x l; an error costs one.
std::vector<double> decision_costs(const TrainingPlan& plan) {
  if (!plan.costs.empty()) return plan.costs;
  const std::size_t l = plan.model.classes;
  std::vector<double> costs(l * l, 1);
  for (std::size_t j = 0; j < l; ++j) costs[j * l + j] = 0;
  return costs;
}

/// Rules that differ in their costs alone (l x k x l), by one proxy and one set of scores.
class RepairFamily final : public ModelFamily {
 public:
  RepairFamily(const Dataset& data, RepairRule rule, std::vector<double> costs,
               std::span<const float> scores)
      : data_(&data),
        rule_(std::move(rule)),
        costs_(std::move(costs)),
        scores_(scores),
        weights_(case_weights(data)),
        joint_(joint_guess(rule_, data.x, scores)) {
    if (mutant(Mutant::kProxyByGroups)) joint_[ExactForHolder::read(data.s).front()] += 1;
  }

  const RepairRule& rule() const { return rule_; }

  /// The expected cost of decision j and P~(c, s = r | x), of every row.
  RepairProblem problem(const FairnessSetting& setting, std::vector<bool> known) const {
    const std::size_t l = setting.classes;
    const std::size_t k = setting.groups;
    const std::size_t n = data_->rows();
    RepairProblem problem{setting, std::vector<double>(n * l), {}, {}, std::move(known), {}};
    const std::size_t cells = problem.cells();
    problem.joint.resize(n * cells);
    const std::vector<std::uint32_t> condition = setting.condition_by_label();
    const UnitRows units(*data_);
    for (std::size_t i = 0; i < n; ++i) {
      problem.weights.push_back(units.weight(data_->units[i]) /
                                static_cast<double>(data_->unit_count));
      for (std::size_t y = 0; y < l; ++y) {
        for (std::size_t r = 0; r < k; ++r) {
          const double share = joint_[(i * l + y) * k + r];
          for (std::size_t j = 0; j < l; ++j) {
            problem.costs[i * l + j] += share * costs_[j * l + y];
          }
          if (condition[y] < setting.conditions()) {
            problem.joint[i * cells + condition[y] * k + r] += share;
          }
        }
      }
    }
    return problem;
  }

  /// The costs of a rule with these multipliers.
  std::vector<double> member(const RepairProblem& problem, std::span<const double> mu) const {
    const FairnessSetting& setting = problem.setting;
    const std::size_t l = setting.classes;
    const std::vector<std::uint32_t> condition = setting.condition_by_label();
    const std::vector<double> weights = decision_weights(problem, mu);
    std::vector<double> costs;
    for (std::size_t y = 0; y < l; ++y) {
      for (std::size_t r = 0; r < setting.groups; ++r) {
        for (std::size_t j = 0; j < l; ++j) {
          double cost = costs_[j * l + y];
          if (condition[y] < setting.conditions()) {
            cost += weights[(condition[y] * setting.groups + r) * l + j];
          }
          costs.push_back(cost);
        }
      }
    }
    return costs;
  }

  std::vector<std::uint16_t> decide(std::span<const double> costs) const override {
    return cheapest_decisions(joint_, costs, rule_.classes());
  }
  double cost(std::span<const std::uint16_t> decisions) const override {
    double sum = 0;
    for (std::size_t i = 0; i < decisions.size(); ++i) {
      sum += weights_[i] * costs_[decisions[i] * rule_.classes() + data_->y[i]];
    }
    return sum / static_cast<double>(decisions.size());
  }
  std::vector<double> constant(std::size_t label) const override {
    std::vector<double> costs(rule_.classes() * rule_.groups * rule_.classes(), 1);
    for (std::size_t i = label; i < costs.size(); i += rule_.classes()) costs[i] = 0;
    return costs;
  }
  void adopt(std::vector<double> members, std::vector<double> weights,
             TrainingResult& result) const override {
    result.rule = {};
    result.rule.repair = rule_;
    result.rule.repair->costs = std::move(members);
    if (weights.size() > 1) result.rule.weights = std::move(weights);
  }
  std::vector<std::uint16_t> decide(const TrainingResult& result) const override {
    return rule_decisions(result.rule, result.model, result.theta, 0, data_->x, {}, scores_);
  }

 private:
  const Dataset* data_;
  RepairRule rule_;
  std::vector<double> costs_;      ///< l x l: of decision j where y is true
  std::span<const float> scores_;  ///< rows x l
  /// Of rows, in what decisions cost. A rule must not need the weight of a new row: weights decide
  /// between rules, not within one.
  std::vector<double> weights_;
  std::vector<double> joint_;  ///< rows x l x k: P~(y, r | x)
};

/// The trees of a plan that is for trees: before anything is paid for.
Result<std::optional<BoostedTrees>> planned_trees(const Dataset& data, const TrainingPlan& plan,
                                                  const TrainingHooks& hooks) {
  if (!plan.model.boosted || !data.scores.empty()) return std::nullopt;
  return trees_of(data, hooks).map([](BoostedTrees trees) {
    return std::optional(std::move(trees));
  });
}

/// The side of a run that reads nothing protected.
class RepairRun {
 public:
  /// `trees`: those whose scores are repaired, where the plan is for trees.
  RepairRun(const Dataset& data, const TrainingPlan& plan, std::optional<BoostedTrees> trees,
            const SketchFeatures& features, const FairnessSetting& conditions,
            const GroupSums& sums, const TrainingHooks& hooks)
      : data_(&data),
        trees_(std::move(trees)),
        plan_(&plan),
        hooks_(&hooks),
        workers_(hooks.threads),
        entropy_(data, features, conditions, sums),
        fitted_{&features, conditions, &sums, {}},
        known_(known_groups(features, sums, conditions, fairness_setting(plan))),
        progress_(hooks, entropy_.most_steps()) {}

  /// The scores, the proxy, and what follows from both about every row.
  Status prepare(NoiseSource& noise) {
    DPFERMI_TRY(find_scores(noise));
    progress_.begin(entropy_.most_steps());
    DPFERMI_ASSIGN(proxy_, entropy_.fit(&workers_, [&] { return progress_.step(0, theta_); }));
    fitted_.proxy = proxy_;
    RepairRule rule;
    rule.groups = fitted_.conditions.groups;
    rule.clip_norm = fitted_.features->spec().clip_norm;
    rule.kappa = fitted_.features->spec().kappa;
    rule.condition_by_label = fitted_.conditions.condition_by_label();
    rule.beta = entropy_.parameters();
    family_ =
        std::make_shared<RepairFamily>(*data_, std::move(rule), decision_costs(*plan_), scores());
    problem_ = family_->problem(fairness_setting(*plan_), known_);
    return {};
  }
  bool stopped() const { return progress_.stopped(); }

  /// The costs of the model as it is.
  std::vector<double> unfair() const {
    return family_->member(problem_,
                           std::vector<double>(problem_.cells() * problem_.setting.classes));
  }

  /// Takes the measured rates of a rule instead of what the proxy makes of them; the less, the
  /// noisier they are.
  void correct(std::span<const double> costs, const NoisyRates& measured) {
    const std::size_t l = problem_.setting.classes;
    const std::size_t width = problem_.setting.width();
    const std::vector<double> expected = expected_rates(problem_, family_->decide(costs));
    problem_.offsets.assign(expected.size(), 0);
    for (std::size_t i = 0; i < measured.rates.size(); ++i) {
      if (!measured.known[i / width]) continue;
      const std::size_t at = i / width * l + (width == 1 ? 1 : i % width);
      const double missed = measured.rates[i].value - expected[at];
      const double noise = measured.rates[i].deviation;
      const double kept = missed == 0 ? 0 : std::max(0.0, 1 - noise * noise / (missed * missed));
      problem_.offsets[at] = kept * missed;
      if (width == 1) problem_.offsets[at - 1] = -kept * missed;
    }
    if (mutant(Mutant::kRepairByGroups)) {
      problem_.offsets[1] +=
          marginals_of(ExactForHolder::read(data_->s), *data_, problem_.setting).groups.front();
    }
  }

  /// The costs of the rule for a target.
  Result<std::vector<double>> solve(double target) {
    DPFERMI_ASSIGN(const RepairFit fit, fit_repair(problem_, target, &workers_));
    ++solved_;
    return family_->member(problem_, fit.mu);
  }

  std::shared_ptr<const ModelFamily> family() const { return family_; }

  /// With the best of the model as it is, this rule, the constant and mixtures, as the proxy and
  /// the answers so far have their rates: nothing above the free line.
  TrainingResult best(std::vector<double> costs, PrivacyStatement statement) {
    TrainingResult done = result(std::move(statement));
    Candidates candidates(*data_, *plan_, family_);
    for (std::vector<double>& each : std::array{unfair(), std::move(costs)}) {
      const std::vector<std::uint16_t> decisions = family_->decide(each);
      candidates.add({std::move(each), 0, family_->cost(decisions), guessed_rates(decisions)});
    }
    candidates.choose(done);
    return done;
  }

  /// The same, with what is known without queries.
  TrainingResult by_proxy(std::vector<double> costs, PrivacyStatement statement) {
    TrainingResult done = best(std::move(costs), std::move(statement));
    const std::vector<std::uint16_t> decisions = family_->decide(done);
    done.released_rates = expected_rates(problem_, decisions);
    done.violation = proxy_violation_interval(*data_, problem_.setting, fitted_, decisions,
                                              [&] { return progress_.goes_on(0, theta_); });
    return done;
  }

  /// Without a rule: the scores and what was released.
  TrainingResult result(PrivacyStatement statement) {
    if (!data_->scores.empty()) {
      statement.assumptions.emplace_back(
          "the scores that were repaired, which were made without the protected attribute");
    }
    TrainingResult result;
    result.model = trees_ ? trees_->model : plan_->model;
    result.theta = theta_;
    if (trees_) {
      result.scores = own_scores_;
      result.gains = trees_->gains;
    }
    result.steps = solved_;
    result.statement = std::move(statement);
    result.known_groups = known_;
    const std::vector<double> shares = cell_shares(problem_);
    const std::size_t k = problem_.setting.groups;
    for (std::size_t cell = 0; cell < shares.size(); ++cell) {
      double all = 0;
      for (std::size_t r = 0; r < k; ++r) all += shares[cell / k * k + r];
      result.released_shares.push_back(all > 0 ? shares[cell] / all : 0);
    }
    result.seconds = watch_.seconds();
    return result;
  }

 private:
  /// As if there were no noise in them.
  NoisyRates guessed_rates(const std::vector<std::uint16_t>& decisions) const {
    const std::vector<double> expected = expected_rates(problem_, decisions);
    NoisyRates guessed{{}, known_};
    const std::size_t first = problem_.setting.width() == 1 ? 1 : 0;
    for (std::size_t at = 0; at < expected.size(); ++at) {
      if (at % problem_.setting.classes < first) continue;
      guessed.rates.push_back({expected[at] + problem_.offset(at), 0});
    }
    return guessed;
  }

  std::span<const float> scores() const {
    return data_->scores.empty() ? own_scores_ : data_->scores;
  }

  Status find_scores(NoiseSource& noise) {
    if (!data_->scores.empty()) return {};
    if (trees_) {
      theta_ = trees_->theta;
      own_scores_ = trees_->out_of_fold;
      if (mutant(Mutant::kTreesByGroups))
        own_scores_.front() = ExactForHolder::read(data_->s).front() == 0 ? 1 : 0;
      return {};
    }
    theta_ = hooks_->repaired;
    if (theta_.empty()) {
      DPFERMI_ASSIGN(std::vector<double> start, starting_parameters(*plan_, noise, *hooks_));
      DPFERMI_ASSIGN(ProxyFit fit, minimise_loss(*data_, plan_->model, std::move(start), workers_,
                                                 loss_iterations(plan_->model)));
      theta_ = std::move(fit.theta);
    }
    DPFERMI_TRY(check_finite(theta_));
    // As a file will hold them: the rule decides by these very scores.
    for (double& value : theta_) value = static_cast<float>(value);
    own_scores_ = predict(Network(plan_->model), theta_, data_->x);
    return {};
  }

  const Dataset* data_;
  std::optional<BoostedTrees> trees_;
  const TrainingPlan* plan_;
  const TrainingHooks* hooks_;
  Workers workers_;
  MaxEntropy entropy_;
  FittedProxy fitted_;
  std::vector<bool> known_;
  std::vector<double> theta_;      ///< of the model; empty: scores come with the rows
  std::vector<float> own_scores_;  ///< those of theta; of trees those that have not seen the row
  std::vector<float> proxy_;       ///< rows x groups, given the row's own label
  std::shared_ptr<RepairFamily> family_;
  RepairProblem problem_;
  std::uint64_t solved_ = 0;
  Stopwatch watch_;
  StageProgress progress_;
};

/// With enough queries for the model as it is, which the free line needs: the best of the rules
/// that were measured is returned.
Result<TrainingResult> repair_measured(RepairRun& run, MeasuredModels& measured,
                                       PrivacyStatement statement) {
  std::vector<double> costs = run.unfair();
  DPFERMI_TRY(measured.measure(costs, 0));
  const double aim = measured.aim();
  // One query is left for what is returned.
  while (measured.remaining() > 1) {
    run.correct(costs, measured.latest());
    DPFERMI_ASSIGN(costs, run.solve(aim));
    DPFERMI_TRY(measured.measure(costs, 0));
  }
  TrainingResult result = run.result(std::move(statement));
  DPFERMI_TRY(measured.return_best(result));
  return result;
}

/// With fewer: the proxy, as answers corrected it, judges the last rule; the last query measures
/// what is returned.
Result<TrainingResult> repair_asked(const TrainingPlan& plan, RepairRun& run,
                                    ResidualQueries& queries, const ReleasedCounts& counts,
                                    PrivacyStatement statement) {
  const FairnessSetting setting = fairness_setting(plan);
  const auto ask = [&](std::span<const std::uint16_t> decisions) -> Result<NoisyRates> {
    DPFERMI_ASSIGN(const DenseStatistic answer, queries.ask(decisions));
    return queried_rates(setting, answer.sums, counts.counts, counts.deviation, counts.known);
  };
  DPFERMI_ASSIGN(std::vector<double> costs, run.solve(*plan.max_violation));
  while (queries.remaining() > 1) {
    DPFERMI_ASSIGN(const NoisyRates rates, ask(run.family()->decide(costs)));
    run.correct(costs, rates);
    DPFERMI_ASSIGN(costs, run.solve(*plan.max_violation));
  }
  TrainingResult result = run.best(std::move(costs), std::move(statement));
  DPFERMI_ASSIGN(const NoisyRates rates, ask(run.family()->decide(result)));
  adopt_rates(setting, rates, plan.max_violation, result);
  return result;
}

/// What does not depend on a sketch.
Status plan_rule(const TrainingRequest& request, const Dataset& data, TrainingPlan& plan) {
  if (request.lambda) {
    return usage_error("repair has no `lambda`; give it a `max_violation` instead");
  }
  DPFERMI_TRY(check_scores(data));
  plan.costs = request.costs;
  if (data.classes == 2 && plan.costs.size() == 2) {
    const std::size_t yes = plan.favourable;
    plan.costs.assign(4, 0);
    plan.costs[yes * 2 + 1 - yes] = request.costs[0];
    plan.costs[(1 - yes) * 2 + yes] = request.costs[1];
  }
  const bool shaped = plan.costs.empty() || plan.costs.size() == data.classes * data.classes;
  if (!shaped || !std::ranges::all_of(
                     plan.costs, [](double cost) { return cost >= 0 && std::isfinite(cost); })) {
    return usage_error(
        "`costs` must be a number >= 0 for every decision and every class, or two for two classes");
  }
  plan.lambda = 0;
  plan.q = 1;
  plan.batch = static_cast<std::uint32_t>(data.rows());
  plan.steps = 1;
  return {};
}

}  // namespace

Result<TrainingPlan> plan_with_repair(const TrainingRequest& request, const Dataset& data,
                                      TrainingPlan plan) {
  DPFERMI_TRY(plan_rule(request, data, plan));
  DPFERMI_TRY(check_encoded(request.features));
  DPFERMI_TRY(plan_release(request, data, plan));
  return plan;
}

Result<TrainingPlan> plan_repair_from_sketch(const TrainingRequest& request, const Dataset& data,
                                             std::size_t favourable, const Sketch& sketch) {
  DPFERMI_TRY(check_encoded(sketch.features));
  DPFERMI_ASSIGN(TrainingPlan plan, plan_from_sketch(request, data, favourable, sketch));
  DPFERMI_TRY(plan_rule(request, data, plan));
  return plan;
}

Result<TrainingResult> train_with_repair(const Dataset& data, const TrainingPlan& plan,
                                         StepLedger& ledger, NoiseSource noise,
                                         const TrainingHooks& hooks) {
  DPFERMI_ASSIGN(std::optional<BoostedTrees> trees, planned_trees(data, plan, hooks));
  // 1. Everything that will be released is charged before anything is read.
  DPFERMI_ASSIGN(const PaidSketch paid, release_planned(data, plan, ledger, noise));
  const SketchPlan& sketch = *plan.sketch();

  // 2. The proxy.
  RepairRun run(data, plan, std::move(trees), paid.features, sketch.setting, paid.sums, hooks);
  DPFERMI_TRY(run.prepare(noise));
  if (run.stopped()) return run.result(paid.statement);
  if (sketch.rounds == 0) {
    DPFERMI_ASSIGN(std::vector<double> costs, run.solve(*plan.max_violation));
    return run.by_proxy(std::move(costs), paid.statement);
  }

  // 3. and 4. Rules, and what becomes of them.
  DPFERMI_ASSIGN(ResidualQueries queries, ResidualQueries::create(data, residual_queries(sketch),
                                                                  ledger, paid.charge, noise));
  ReleasedCounts counts = released_counts(sketch.setting, paid.features, paid.sums);
  if (sketch.rounds < kGuardedRounds) {
    return repair_asked(plan, run, queries, counts, paid.statement);
  }
  MeasuredModels measured(data, plan, std::move(counts), std::move(queries), run.family());
  return repair_measured(run, measured, paid.statement);
}

Result<TrainingPlan> plan_linear_post(const TrainingRequest& request, const Dataset& data,
                                      TrainingPlan plan) {
  DPFERMI_TRY(check_sketch_notion(plan.notion));
  DPFERMI_TRY(plan_rule(request, data, plan));
  DPFERMI_TRY(check_encoded(request.features));
  plan.delta = 0;
  return plan;
}

Result<TrainingResult> train_linear_post(const Dataset& data, const TrainingPlan& plan,
                                         StepLedger& ledger, NoiseSource noise,
                                         const TrainingHooks& hooks) {
  DPFERMI_ASSIGN(std::optional<BoostedTrees> trees, planned_trees(data, plan, hooks));
  DPFERMI_ASSIGN(ExactOpening opening, open_without_noise(plan, ledger, noise.reproducibility()));
  const FairnessSetting setting = fairness_setting(plan);
  DPFERMI_ASSIGN(const SketchFeatures features, SketchFeatures::create(data, {}));
  GroupSums sums = exact_group_sums(data, setting, vectors_of(features), *opening.read);
  sums.noise = defaults::kExactRidge;
  RepairRun run(data, plan, std::move(trees), features, setting, sums, hooks);
  DPFERMI_TRY(run.prepare(noise));
  TrainingResult result = run.result(std::move(opening.statement));
  if (!run.stopped()) {
    DPFERMI_ASSIGN(std::vector<double> costs, run.solve(*plan.max_violation));
    run.family()->adopt(std::move(costs), {}, result);
  }
  result.released_shares.clear();
  return result;
}

Result<TrainingResult> repair_from_sketch(const Dataset& data, const TrainingPlan& plan,
                                          const Sketch& sketch, const SketchFeatures& features,
                                          NoiseSource noise, const TrainingHooks& hooks) {
  DPFERMI_TRY(check_features(data, sketch, features));
  DPFERMI_ASSIGN(std::optional<BoostedTrees> trees, planned_trees(data, plan, hooks));
  RepairRun run(data, plan, std::move(trees), features, sketch.setting, sketch.sums, hooks);
  DPFERMI_TRY(run.prepare(noise));
  if (run.stopped()) return run.result(sketch.statement);
  DPFERMI_ASSIGN(std::vector<double> costs, run.solve(*plan.max_violation));
  return run.by_proxy(std::move(costs), sketch.statement);
}

}  // namespace dpfermi
