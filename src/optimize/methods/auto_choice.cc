#include <fmt/format.h>

#include "core/text.h"
#include "optimize/choose_method.h"
#include "optimize/training.h"
#include "optimize/training_defaults.h"

namespace dpfermi {
namespace {

/// Settings of the solver's steps, which a sketch does not have.
bool sets_steps(const TrainingRequest& request) {
  return request.epochs || request.batch || request.tau || request.clip_norm ||
         request.theta_rate || request.w_rate || request.dual || request.iterate ||
         request.theorem_plan || request.ideal_noise || request.spare_steps > 0;
}

bool sets_sketch(const TrainingRequest& request) {
  return request.features.kind != FeatureKind::kEncoded || request.residual_rounds ||
         request.residual_share;
}

Result<TrainingPlan> plan_chosen(const TrainingRequest& request, const Dataset& data,
                                 TrainingPlan common) {  // NOLINT(*-unnecessary-value-param)
  TrainingRequest chosen = request;
  chosen.method = choose_method(request, data).method;
  return plan_training(chosen, data, common.favourable);
}

Result<TrainingResult> train_chosen(const Dataset& data, const TrainingPlan& plan,
                                    StepLedger& ledger, NoiseSource noise,
                                    const TrainingHooks& hooks) {
  return plan.method->train_plan(data, plan, ledger, std::move(noise), hooks);
}

}  // namespace

Method chosen_for_images(Method method) {
  return method == Method::kAuto ? Method::kDpFermi : method;
}

MethodChoice choose_method(const TrainingRequest& request, const Dataset& data, bool checkpoints) {
  const auto dp_fermi = [](std::string why) {
    return MethodChoice{Method::kDpFermi, std::move(why)};
  };
  const auto sketch = [](std::string why) { return MethodChoice{Method::kSketch, std::move(why)}; };
  if (checkpoints) return dp_fermi("it has checkpoints");
  if (!features_are_public(request.adjacency)) {
    return dp_fermi("it protects whole records");
  }
  if (request.boosted && request.notion == FairnessNotion::kNone) {
    return {Method::kErm, "no fairness was asked for"};
  }
  if (request.boosted) return {Method::kRepair, "it makes the decisions of boosted trees fair"};
  if (request.network_scale) return dp_fermi("it trains whole networks");
  if (request.notion == FairnessNotion::kNone) return dp_fermi("no fairness was asked for");
  if (sets_steps(request)) return dp_fermi("settings of its steps are given");
  if (sets_sketch(request)) return sketch("settings of sketches are given");
  const std::size_t groups = request.named_groups.value_or(data.groups);
  if (groups > 2) {
    return sketch(
        fmt::format("{} groups, and one release for all steps sees small ones best", groups));
  }
  if (data.classes > 2) {
    return sketch(fmt::format("{} classes, and one release serves them all", data.classes));
  }
  if (request.epsilon * static_cast<double>(data.unit_count) < defaults::kSketchBelow) {
    return sketch(fmt::format("with {} {} at this epsilon, one release is worth more than many",
                              with_thousands(data.unit_count),
                              data.persons ? "persons" : "records"));
  }
  return dp_fermi("two groups, two classes and many records");
}

extern const MethodDescriptor methods::auto_choice = {
    .name = "auto",
    .origin = "this tool",
    .summary = "fair and private: sketch, dp-fermi or repair, whichever suits the table",
    .place = 1,
    .multi_class = true,
    .adjacencies = {Adjacency::kSensitive, Adjacency::kReplaceRecord, Adjacency::kAddRemoveRecord},
    .knob = Knob::kEither,
    .knob_meaning = "lambda, or a violation",
    .minibatch = true,
    .takes_hidden = true,
    .takes_weights = true,
    .takes_trees = true,
    .takes_network = true,
    .plan = plan_chosen,
    .train_plan = train_chosen,
};

}  // namespace dpfermi
