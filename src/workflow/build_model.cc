#include "workflow/build_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "dpfermi/core/version.h"
#include "workflow/planned_run.h"

namespace dpfermi {
namespace {

std::map<std::string, double> settings_of(const TrainingPlan& plan) {
  return {{"q", plan.q},
          {"tau", plan.tau},
          {"theta_rate", plan.theta_rate},
          {"w_rate", plan.w_rate},
          {"clip_norm", plan.clip_norm},
          {"table_weight", plan.table_weight},
          {"smoothing", plan.smoothing},
          {"noise_multiplier", plan.noise_multiplier},
          {"counts_sigma", plan.counts_sigma}};
}

std::string protocol_of(const TrainingJob& job, bool charged) {
  if (!job.spending.research || !charged) return job.choice.note;
  return job.choice.note.empty() ? Spending::kResearch
                                 : fmt::format("{}; {}", Spending::kResearch, job.choice.note);
}

/// What every run says about its data.
TrainingRecord data_record(const TrainingJob& job, Adjacency adjacency, bool charged) {
  TrainingRecord record;
  record.data = job.choice.title;
  record.protocol = protocol_of(job, charged);
  if (const double fraction = job.split.fraction(adjacency); fraction > 0) {
    record.held_out = HeldOut{fraction, job.split.seed};
  }
  record.library_version = version();
  return record;
}

TrainingRecord record_of(const TrainingJob& job, const TrainingPlan& plan,
                         const TrainingResult& result) {
  TrainingRecord record = data_record(job, plan.adjacency, reads_protected(plan));
  record.method = to_string(plan.method);
  record.fairness = plan.notion;
  record.max_violation = plan.max_violation;
  record.units = plan.units;
  record.steps = result.steps;
  if (plan.baseline() != nullptr) {
    record.lambda = plan.lambda;
    if (result.statement.cost) {
      record.epsilon = job.request.epsilon;
      record.delta = result.statement.cost->delta;
    }
    return record;
  }
  record.lambda = result.lambda;
  if (plan.noise_multiplier > 0) {
    record.epsilon = job.request.epsilon;
    record.delta = plan.delta;
  }
  record.batch = plan.batch;
  record.epochs = static_cast<double>(result.steps) * plan.batch / plan.units;
  record.settings = settings_of(plan);
  for (std::size_t i = 0; i < plan.costs.size(); ++i) {
    record.settings[fmt::format("cost of decision {} where {} is true", i / plan.model.classes,
                                i % plan.model.classes)] = plan.costs[i];
  }
  return record;
}

/// The names of groups, those that were merged under the name of all of them.
std::vector<std::string> compared_names(std::vector<std::string> names,
                                        const std::vector<std::uint16_t>& merged) {
  const std::vector<std::string> own = names;
  for (std::size_t r = 0; r < merged.size(); ++r) {
    if (merged[r] != r) names[merged[r]] += " or " + own[r];
  }
  return names;
}

/// Those that were merged, in their order; empty where none were.
std::vector<std::string> merged_names(const std::vector<std::string>& names,
                                      const std::vector<std::uint16_t>& merged) {
  std::vector<std::string> small;
  for (std::size_t r = 0; r < merged.size(); ++r) {
    if (std::ranges::count(merged, merged[r]) > 1) small.push_back(names[r]);
  }
  return small;
}

bool is_merged(const TrainingResult& result, std::size_t group) {
  return !result.merged.empty() && result.merged[group] != group;
}

/// Groups that noise hides, by condition; those that were merged into another are none of them.
std::vector<std::string> hidden_names(const TrainingResult& result, const FairnessSetting& setting,
                                      const std::vector<std::string>& groups,
                                      const std::vector<std::string>& classes) {
  std::vector<std::string> hidden;
  for (std::size_t i = 0; i < result.known_groups.size(); ++i) {
    const std::size_t r = i % setting.groups;
    if (result.known_groups[i] || is_merged(result, r)) continue;
    hidden.push_back(groups[r] + setting.among(i / setting.groups, classes));
  }
  return hidden;
}

/// The verdict in words; groups have names here.
TargetRecord target_record(const TargetVerdict& verdict, const FairnessSetting& setting,
                           const std::vector<std::string>& groups,
                           const std::vector<std::string>& classes) {
  TargetRecord record{verdict.met, verdict.met ? "everybody gets the same decision"
                                               : "no two groups are large enough to be compared"};
  if (verdict.deviation == 0) return record;
  const std::string noise = fmt::format("noise of standard deviation {:.4f} on a rate of {}{}",
                                        verdict.deviation, groups[verdict.cell % groups.size()],
                                        setting.among(verdict.cell / groups.size(), classes));
  if (!verdict.met) {
    record.reason = noise + ", more than half the target";
  } else {
    record.reason = fmt::format(
        "{} {:.4f}; {}, the most on any",
        verdict.blurred ? "a violation that noise does not explain of" : "released violation",
        verdict.released, noise);
  }
  return record;
}

/// With the names that only the table knows.
PrivacyStatement statement_of(const PreparedData& data, Adjacency adjacency,
                              PrivacyStatement statement) {
  const Table& table = data.table;
  statement.id_column = table.schema.id;
  statement.domain_declared = table.domain.size() == 0 || table.domain.declared();
  // Where no column was said to be sensitive there is nothing to promise about.
  if (table.schema.sensitive.empty() && features_are_public(adjacency)) {
    statement.cost.reset();
    statement.accountant.clear();
  }
  return statement;
}

/// Shares of groups, and what part of each the model favours, as the noisy sums have them.
std::vector<ReleasedFigure> figures_of(const PreparedData& data, const TrainingPlan& plan,
                                       const TrainingResult& result,
                                       const std::vector<std::string>& groups) {
  std::vector<ReleasedFigure> figures;
  if (plan.baseline() != nullptr) return figures;
  const Table& table = data.table;
  const std::size_t k = plan.groups;
  const std::size_t l = plan.model.classes;
  const FairnessSetting setting{plan.notion, k, l, plan.favourable};
  const std::vector<std::string>& classes = table.labels.classes;
  for (std::size_t i = 0; i < result.released_shares.size(); ++i) {
    if (is_merged(result, i % k)) continue;
    std::optional<double> deviation;
    if (!result.share_deviations.empty()) deviation = result.share_deviations[i];
    figures.push_back({fmt::format("share of {}{}", groups[i % k], setting.among(i / k, classes)),
                       result.released_shares[i], deviation});
  }
  for (std::size_t i = 0; i < result.released_rates.size(); ++i) {
    if (l == 2 && i % l != plan.favourable) continue;
    if (!result.known_groups[i / l] || is_merged(result, i / l % k)) continue;
    figures.push_back({fmt::format("rate of {} in {}{}", table.labels.classes[i % l],
                                   groups[i / l % k], setting.among(i / l / k, classes)),
                       result.released_rates[i], std::nullopt});
  }
  if (result.violation) {
    const ViolationInterval& interval = *result.violation;
    const std::string which = fmt::format("end of a {:g} % interval{}", 100 * interval.confidence,
                                          interval.by_proxy ? ", by the sketch alone" : "");
    figures.push_back({"violation, low " + which, interval.low, std::nullopt});
    figures.push_back({"violation, high " + which, interval.high, std::nullopt});
  }
  return figures;
}

/// Parameters, preprocessing and names; no promises and no record yet.
TrainedModel untold_model(const TrainingJob& job, const PreparedData& data,
                          const TrainingResult& result) {
  const Table& table = data.table;
  TrainedModel model;
  model.spec = result.model;
  model.theta = stored_theta(result.theta);
  model.rule = result.rule;
  model.gains = result.gains;
  model.pipeline = data.pipeline;
  model.schema = model_schema(table);
  if (!result.rule.repair || !result.theta.empty()) model.schema.scores.clear();
  model.classes = table.labels.classes;
  model.favourable = table.labels.positive;
  model.groups = table.domain.names();
  if (job.images) model.network = job.images->network();
  return model;
}

}  // namespace

TrainedModel build_model(const TrainingJob& job, const PreparedData& data, const TrainingPlan& plan,
                         const TrainingResult& result, const StoredSketch* sketch) {
  TrainedModel model = untold_model(job, data, result);
  if (sketch != nullptr) {
    model.groups = sketch->groups;
    set_protected_part(sketch->protected_part, model.schema);
  }
  model.privacy =
      sketch != nullptr ? result.statement : statement_of(data, plan.adjacency, result.statement);
  if (job.spending.research && reads_protected(plan)) {
    model.privacy.assumptions.emplace_back(Spending::kOnlyRelease);
  }
  model.training = record_of(job, plan, result);
  model.training.returned = result.returned;
  model.training.merge_small = plan.merge_small;
  model.training.merged = merged_names(model.groups, result.merged);
  const std::vector<std::string> groups = compared_names(model.groups, result.merged);
  const FairnessSetting setting = fairness_setting(plan);
  model.training.hidden = hidden_names(result, setting, groups, model.classes);
  if (result.target) {
    model.training.target = target_record(*result.target, setting, groups, model.classes);
  }
  model.released = figures_of(data, plan, result, groups);
  return model;
}

}  // namespace dpfermi
