#include "experiment/public_figures.h"

#include <algorithm>

#include "core/text.h"
#include "dpfermi/methods/registry.h"
#include "experiment/markdown_cells.h"
#include "experiment/spec_json.h"

namespace dpfermi {
namespace {

PublicModel public_model(const Curve& curve, const CurveModel& model,
                         const std::vector<RunRecord>& runs) {
  PublicModel shown{.curve = curve.name(), .weight = weight(model), .runs = model.runs.size()};
  std::vector<double> errors, train_errors, released;
  bool all = true;
  bool promised = true;
  double epsilon = 0;
  for (const std::size_t index : model.runs) {
    const RunRecord& run = runs[index];
    promised = promised && run.privacy && is_private(*run.privacy);
    if (promised) epsilon = std::max(epsilon, run.privacy->cost->epsilon);
    all = all && may_be_shown(run);
    if (!all) continue;
    errors.push_back(run.test.error);
    train_errors.push_back(run.train.error);
    if (!run.released) continue;
    released.push_back(run.released->violation);
    if (run.released->met.value_or(false)) ++shown.met;
  }
  if (promised) shown.epsilon = epsilon;
  if (!all) {
    shown.met = 0;
    return shown;
  }
  shown.error = estimate(errors);
  shown.train_error = estimate(train_errors);
  if (released.size() == model.runs.size()) shown.released = estimate(released);
  return shown;
}

Json estimate_json(const std::optional<Estimate>& value) {
  if (!value) return nullptr;
  return {{"mean", value->mean}, {"standard_error", value->error}};
}

Json model_json(const PublicModel& model) {
  return {{"curve", model.curve},
          {"weight", model.weight},
          {"runs", model.runs},
          {"epsilon", model.epsilon ? Json(*model.epsilon) : Json(nullptr)},
          {"error", estimate_json(model.error)},
          {"train_error", estimate_json(model.train_error)},
          {"released_violation", estimate_json(model.released)},
          {"met", model.met}};
}

}  // namespace

bool may_be_shown(const RunRecord& run) {
  const auto method = find_method(run.spec.method);
  if (!method || (*method)->needs_group || !run.privacy) return false;
  return features_are_public(run.privacy->adjacency) &&
         ((*method)->plain || is_private(*run.privacy));
}

std::vector<PublicPanel> public_panels(const std::vector<RunRecord>& runs) {
  std::vector<PublicPanel> shown;
  for (const Panel& panel : make_panels(runs)) {
    PublicPanel& added = shown.emplace_back(PublicPanel{panel.name(), {}});
    for (const Curve& curve : panel.curves) {
      for (const CurveModel& model : curve.models) {
        added.models.push_back(public_model(curve, model, runs));
      }
    }
  }
  return shown;
}

const std::vector<std::string>& public_titles() {
  static const std::vector<std::string> titles = {"model",
                                                  "λ",
                                                  "ε certified",
                                                  "error",
                                                  "error, training rows",
                                                  "violation as released",
                                                  "met its target",
                                                  "runs"};
  return titles;
}

std::vector<std::string> public_cells(const PublicModel& model) {
  const auto cell = [](const std::optional<Estimate>& value) {
    return value ? figure(*value) : std::string("-");
  };
  return {model.curve,
          model.weight,
          model.epsilon ? rounded_up(*model.epsilon) : "-",
          cell(model.error),
          cell(model.train_error),
          cell(model.released),
          model.released ? fmt::format("{} of {}", model.met, model.runs) : "-",
          std::to_string(model.runs)};
}

std::string public_markdown(const std::vector<PublicPanel>& panels) {
  std::string text;
  for (const PublicPanel& panel : panels) {
    text += fmt::format("### {}\n\n", panel.name) + header(public_titles());
    for (const PublicModel& model : panel.models) text += row(public_cells(model));
    text += "\n";
  }
  return text;
}

std::string public_json(const SweepResults& results) {
  Json sweep = json_of(results.description);
  sweep.erase("tables");
  Json json = {{"exact_not_private", false},
               {"sweep", std::move(sweep)},
               {"complete", results.complete},
               {"runs", results.runs.size()}};
  json["panels"] = Json::array();
  for (const PublicPanel& panel : public_panels(results.runs)) {
    Json models = Json::array();
    for (const PublicModel& model : panel.models) models.push_back(model_json(model));
    json["panels"].push_back({{"panel", panel.name}, {"models", std::move(models)}});
  }
  return json_text(json);
}

}  // namespace dpfermi
