#include "dpfermi/optimize/training.h"

#include <array>
#include <string>
#include <utility>

#include "dpfermi/optimize/dp_fermi.h"
#include "dpfermi/optimize/dp_fermi_paper.h"
#include "dpfermi/optimize/sketch_method.h"

namespace dpfermi {
namespace {

constexpr std::array<std::pair<Method, std::string_view>, 5> kMethods{
    {{Method::kDpFermi, "dp-fermi"},
     {Method::kDpFermiPaper, "dp-fermi-paper"},
     {Method::kFermi, "fermi"},
     {Method::kErm, "erm"},
     {Method::kSketch, "sketch"}}};

}  // namespace

std::string_view to_string(Method method) {
  for (const auto& [known, name] : kMethods) {
    if (known == method) return name;
  }
  return "unknown";
}

Result<Method> parse_method(std::string_view text) {
  for (const auto& [method, name] : kMethods) {
    if (name == text) return method;
  }
  return usage_error("'" + std::string(text) +
                     "' is no method; choose sketch, dp-fermi, dp-fermi-paper, fermi or erm");
}

bool reads_groups_exactly(const TrainingPlan& plan) {
  return plan.method == Method::kFermi && plan.notion != FairnessNotion::kNone;
}

bool reads_exactly(const TrainingPlan& plan) {
  if (plan.noise_multiplier > 0) return false;
  return reads_groups_exactly(plan) || !features_are_public(plan.adjacency);
}

bool reads_protected(const TrainingPlan& plan) {
  return plan.noise_multiplier > 0 || reads_exactly(plan);
}

Result<TrainingResult> train(const Dataset& data, const TrainingPlan& plan, StepLedger& ledger,
                             NoiseSource noise, const TrainingHooks& hooks) {
  DPFERMI_TRY(check_run(data, plan, hooks));
  if (plan.method == Method::kDpFermiPaper) {
    return dp_fermi_paper(data, plan, ledger, std::move(noise), hooks);
  }
  if (plan.method == Method::kSketch) {
    return train_with_sketch(data, plan, ledger, std::move(noise), hooks);
  }
  if (plan.noise_multiplier > 0) return dp_fermi(data, plan, ledger, std::move(noise), hooks);
  return exact_fermi(data, plan, ledger, std::move(noise), hooks);
}

}  // namespace dpfermi
