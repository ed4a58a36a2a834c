#include "audit/audit_case.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <tuple>

#include "audit/invention.h"
#include "optimize/dp_fermi_paper.h"
#include "optimize/group_marginals.h"

namespace dpfermi {

Result<TrainingPlan> plan_of(const AuditCase& audited) {
  return plan_of(audited, audited.data);
}

Result<TrainingPlan> plan_of(const AuditCase& audited, const Dataset& data) {
  DPFERMI_ASSIGN(TrainingPlan plan, plan_training(audited.request, data, audited.favourable));
  if (plan.method->public_plan || plan.lambda == 0) return plan;
  const FairnessSetting setting = fairness_setting(plan);
  return settle_paper(std::move(plan), marginals_of(ExactForHolder::read(data.s), data, setting));
}

TrainingRequest small_request(Method method, Adjacency adjacency, FairnessNotion notion,
                              const InventedSpec& spec, std::uint64_t steps) {
  TrainingRequest request;
  request.method = method;
  request.adjacency = adjacency;
  request.notion = notion;
  request.epsilon = 2;
  request.delta = 1e-5;
  request.lambda = 1;
  request.batch = std::max<std::uint32_t>(spec.units / 4, 1);
  request.epochs = static_cast<double>(steps) * *request.batch / spec.units;
  if (!features_are_public(adjacency)) {
    const auto columns = static_cast<double>(spec.numbers);
    request.declared_norm = std::sqrt(1 + kLargestNumber * kLargestNumber * columns +
                                      static_cast<double>(spec.categories));
  }
  if (adjacency == Adjacency::kAddRemoveRecord) request.declared_units = spec.units;
  return request;
}

Subject subject_of(const AuditCase& audited) {
  return {std::string(to_string(audited.request.method)), audited.request.adjacency, audited.name};
}

AuditCase invented_case(std::string name, const InventedSpec& spec, TrainingRequest request) {
  AuditCase audited;
  audited.name = std::move(name);
  audited.request = std::move(request);
  Inventor inventor(spec.seed);
  audited.data = inventor.records(spec);
  audited.s = inventor.skewed_groups(audited.data);
  audited.data.s = Protected<std::vector<std::uint16_t>>::rehearsal(audited.s, Invented::kRecords);
  return audited;
}

AuditCase rehearsal_of(std::string name, const Dataset& data, const TrainingRequest& request,
                       std::size_t favourable, std::uint64_t seed) {
  AuditCase audited;
  audited.name = std::move(name);
  audited.request = request;
  audited.favourable = favourable;
  Inventor inventor(seed);
  const bool only_groups = features_are_public(request.adjacency);
  audited.data = only_groups ? data : inventor.records_like(data, request);
  audited.s = inventor.coin_groups(audited.data);
  audited.data.s = Protected<std::vector<std::uint16_t>>::rehearsal(
      audited.s, only_groups ? Invented::kGroups : Invented::kRecords);
  return audited;
}

Dataset with_groups(const Dataset& data, std::vector<std::uint16_t> s) {
  Dataset changed = data;
  changed.s = Protected<std::vector<std::uint16_t>>::rehearsal(std::move(s), data.s.invented());
  return changed;
}

std::vector<std::uint16_t> move_unit(const Dataset& data, std::vector<std::uint16_t> s,
                                     std::uint32_t unit, std::uint16_t group) {
  for (std::size_t row = 0; row < s.size(); ++row) {
    if (data.units[row] == unit) s[row] = group;
  }
  return s;
}

namespace {

/// Weights from 0 to a million, which no contribution about s may grow with.
void weigh(Dataset& data) {
  for (std::size_t row = 0; row < data.rows(); ++row) {
    data.weights.push_back(row % 5 == 0 ? 1e6F : static_cast<float>(row % 3));
  }
}

/// The scores of a model that is trained in the run, of boosted trees, and given ones.
void add_repairs(std::uint64_t steps, std::vector<AuditCase>& cases) {
  for (const auto& [name, notion, spec] :
       {std::tuple{"parity, persons", FairnessNotion::kDemographicParity,
                   InventedSpec{.groups = 3, .most_rows = 4, .seed = 5}},
        std::tuple{"opportunity, boosted trees, weights to 1,000,000",
                   FairnessNotion::kEqualOpportunity, InventedSpec{.seed = 7}},
        std::tuple{"odds, 4 groups, 3 classes, given scores", FairnessNotion::kEqualizedOdds,
                   InventedSpec{.groups = 4, .classes = 3, .seed = 6}}}) {
    TrainingRequest request =
        small_request(Method::kRepair, Adjacency::kSensitive, notion, spec, steps);
    request.lambda.reset();
    request.max_violation = 0.05;
    // With more noise every group is too small to be told from it, and nothing is repaired.
    request.epsilon = 20;
    const bool boosted = std::string_view(name).find("boosted") != std::string_view::npos;
    request.boosted = boosted;
    cases.push_back(invented_case(name, spec, std::move(request)));
    if (boosted) weigh(cases.back().data);
  }
  Dataset& scored = cases.back().data;
  for (std::size_t row = 0; row < scored.rows(); ++row) {
    for (std::size_t j = 0; j < scored.classes; ++j) {
      const bool own = (row + j) % scored.classes == 0;
      scored.scores.push_back(own ? 0.5F : 0.5F / static_cast<float>(scored.classes - 1));
    }
  }
}

/// Groups that released counts make one: with 48 units and noise of about ten some draws merge two
/// or three of the four groups and some do not. The first unit's group has nine members, so that
/// one exchange decides what exact counts would merge.
void add_mergers(std::uint64_t steps, std::vector<AuditCase>& cases) {
  const InventedSpec spec{.groups = 4, .seed = 7};
  for (const auto& [name, method, adjacency] :
       {std::tuple{"odds, small groups merged", Method::kDpFermi, Adjacency::kSensitive},
        std::tuple{"odds, small groups merged", Method::kDpFermi, Adjacency::kReplaceRecord},
        std::tuple{"odds, small groups merged", Method::kSketch, Adjacency::kSensitive}}) {
    TrainingRequest request =
        small_request(method, adjacency, FairnessNotion::kEqualizedOdds, spec, steps);
    request.merge_small = 9;
    cases.push_back(invented_case(name, spec, std::move(request)));
  }
}

}  // namespace

bool begins_with_sketch(const AuditCase& audited) {
  return audited.request.method->takes_sketch();
}

std::vector<AuditCase> standard_cases(std::uint64_t steps) {
  const auto adjacent = [steps](std::string name, Method method, Adjacency adjacency,
                                FairnessNotion notion, const InventedSpec& spec) {
    return invented_case(std::move(name), spec,
                         small_request(method, adjacency, notion, spec, steps));
  };
  const InventedSpec plain;
  const InventedSpec wide{.groups = 4, .classes = 3, .seed = 2};
  const InventedSpec persons{.groups = 3, .most_rows = 4, .seed = 3};
  std::vector<AuditCase> cases;
  for (const Adjacency adjacency :
       {Adjacency::kSensitive, Adjacency::kReplaceRecord, Adjacency::kAddRemoveRecord}) {
    const Method method = Method::kDpFermi;
    cases.push_back(
        adjacent("parity", method, adjacency, FairnessNotion::kDemographicParity, plain));
    cases.push_back(adjacent("odds, 4 groups, 3 classes", method, adjacency,
                             FairnessNotion::kEqualizedOdds, wide));
    cases.push_back(adjacent("opportunity, persons", method, adjacency,
                             FairnessNotion::kEqualOpportunity, persons));
    cases.push_back(adjacent("parity, lambda steered, hidden layer", method, adjacency,
                             FairnessNotion::kDemographicParity, wide));
    TrainingRequest& steered = cases.back().request;
    steered.lambda.reset();
    steered.max_violation = 0.05;
    steered.hidden = {3};
  }
  for (const auto& [name, notion, spec] :
       {std::tuple{"parity", FairnessNotion::kDemographicParity, plain},
        std::tuple{"odds, 4 groups, 3 classes", FairnessNotion::kEqualizedOdds, wide},
        std::tuple{"opportunity, persons", FairnessNotion::kEqualOpportunity, persons}}) {
    cases.push_back(adjacent(name, Method::kSketch, Adjacency::kSensitive, notion, spec));
  }
  cases.push_back(adjacent("parity, Fourier features, no queries", Method::kSketch,
                           Adjacency::kSensitive, FairnessNotion::kDemographicParity, plain));
  cases.back().request.features.kind = FeatureKind::kFourier;
  cases.back().request.residual_rounds = 0;
  // Longer than the 4,096 entries that one stream of noise is for.
  cases.push_back(adjacent("odds, 4 groups, 3 classes, 4,128 entries", Method::kSketch,
                           Adjacency::kSensitive, FairnessNotion::kEqualizedOdds, wide));
  cases.back().request.features.kind = FeatureKind::kFourier;
  cases.back().request.features.extra = 338;
  const InventedSpec many{.numbers = 40, .seed = 4};
  cases.push_back(adjacent("parity, 4,604 parameters", Method::kDpFermi, Adjacency::kSensitive,
                           FairnessNotion::kDemographicParity, many));
  cases.back().request.hidden = {100};
  // The theorem asks for about (n sqrt(epsilon) / 2m)^2 steps.
  for (const FairnessNotion notion :
       {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds}) {
    cases.push_back(adjacent(notion == FairnessNotion::kEqualizedOdds ? "odds, persons" : "parity",
                             Method::kDpFermiPaper, Adjacency::kSensitive, notion,
                             notion == FairnessNotion::kEqualizedOdds ? persons : plain));
    cases.back().request.epsilon = 1;
  }
  add_repairs(steps, cases);
  add_mergers(steps, cases);
  cases.push_back(adjacent("parity, weights to 1,000,000", Method::kDpFermi, Adjacency::kSensitive,
                           FairnessNotion::kDemographicParity, plain));
  weigh(cases.back().data);
  return cases;
}

std::vector<AuditCase> private_cases(std::uint64_t steps) {
  std::vector<AuditCase> cases = standard_cases(steps);
  std::erase_if(cases, [](const AuditCase& audited) {
    return audited.request.method == Method::kDpFermiPaper;
  });
  return cases;
}

}  // namespace dpfermi
