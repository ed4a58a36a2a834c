#include "artifact/trained_model.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/text.h"
#include "model/tree_ensemble.h"
#include "preprocess/picture.h"

namespace dpfermi {
namespace {

// Larger shapes are damage, not models; their sizes would not fit the arithmetic.
constexpr std::size_t kMostClasses = 1000;
constexpr std::size_t kMostHiddenLayers = 64;
constexpr std::size_t kMostHiddenWidth = 65'536;
constexpr std::size_t kMostTreeNodes = std::size_t{1} << 28;

TargetSpec settled_target(const Table& table) {
  TargetSpec target = table.schema.target;
  const Labels& labels = table.labels;
  if (labels.threshold) {
    target.positive = ">" + shortest(*labels.threshold);
    return target;
  }
  if (target.bins.empty()) target.values = labels.classes;
  if (!labels.classes.empty()) target.positive = labels.classes[labels.positive];
  return target;
}

std::vector<std::string> feature_columns(const Pipeline& pipeline) {
  std::vector<std::string> names;
  for (const NumericFeature& feature : pipeline.numeric()) names.push_back(feature.column);
  for (const CategoryFeature& feature : pipeline.categories()) names.push_back(feature.column);
  return names;
}

Status check_shape(const TrainedModel& model) {
  const ModelSpec& spec = model.spec;
  const bool possible =
      spec.inputs <= HybridMatrix::kMaxColumns && spec.classes >= 2 &&
      spec.classes <= kMostClasses && spec.hidden.size() <= kMostHiddenLayers &&
      std::ranges::all_of(
          spec.hidden, [](std::size_t width) { return width >= 1 && width <= kMostHiddenWidth; }) &&
      spec.tree_nodes <= kMostTreeNodes &&
      (spec.boosted ? spec.hidden.empty() : spec.tree_nodes == 0);
  if (!possible) return failed("the shape of the model is impossible; train again");
  if (spec.inputs != model.pipeline.columns()) {
    return failed(
        fmt::format("the model has {} inputs, but its preprocessing gives {}; train again",
                    spec.inputs, model.pipeline.columns()));
  }
  if (spec.classes != model.classes.size() || model.favourable >= model.classes.size()) {
    return failed(fmt::format("the model has {} classes, but {} names for them; train again",
                              spec.classes, model.classes.size()));
  }
  std::size_t parameters = model.rule.members() * spec.parameter_count();
  // A repaired model has those of one, or none where its scores come with the rows.
  if (model.rule.repair) parameters = model.schema.scores.empty() ? spec.parameter_count() : 0;
  if (!model.schema.scores.empty() && model.schema.scores.size() != spec.classes) {
    return failed(fmt::format("the model has {} classes, but {} columns of scores; repair again",
                              spec.classes, model.schema.scores.size()));
  }
  if (parameters != model.theta.size()) {
    return failed(fmt::format("the model holds {} parameters, but its shape needs {}; train again",
                              model.theta.size(), parameters));
  }
  if (spec.boosted) {
    if (model.network || !(model.rule.plain() || model.rule.repair)) {
      return failed("boosted trees are no part of a mixture or of a network; train again");
    }
    DPFERMI_TRY(check_trees(spec, model.theta));
  }
  const std::size_t gains = spec.boosted ? spec.outputs() * spec.inputs : 0;
  const auto possible_gain = [](double gain) { return gain >= 0 && std::isfinite(gain); };
  if (!model.gains.empty() &&
      (model.gains.size() != gains || !std::ranges::all_of(model.gains, possible_gain))) {
    return failed("the gains of the trees do not fit the model; train again");
  }
  return check_rule(model.rule, spec, model.groups.size());
}

/// Every feature must be readable as it was in training.
Status check_feature_types(const TrainedModel& model) {
  const auto check = [&](const std::string& column, ColumnType type) -> Status {
    const auto found = model.schema.columns.find(column);
    if (found != model.schema.columns.end() && found->second.type == type) return {};
    return failed(fmt::format("the schema of the model does not say that '{}' is {}; train again",
                              printable(column), to_string(type)));
  };
  for (const NumericFeature& feature : model.pipeline.numeric()) {
    DPFERMI_TRY(check(feature.column, ColumnType::kNumeric));
  }
  for (const CategoryFeature& feature : model.pipeline.categories()) {
    DPFERMI_TRY(check(feature.column, ColumnType::kCategorical));
  }
  return {};
}

bool is_component(std::string_view column) {
  constexpr std::string_view kName = "component";
  return column.starts_with(kName) && column.size() > kName.size() &&
         column.find_first_not_of("0123456789", kName.size()) == std::string_view::npos;
}

/// The map to components has a row for every one of them: the directions and an offset.
Status check_components(const TrainedModel& model) {
  if (!model.network) return {};
  const ImageNetwork& network = *model.network;
  const auto count = static_cast<std::size_t>(
      std::ranges::count_if(feature_columns(model.pipeline), is_component));
  const std::size_t numbers = network.components.size();
  const std::size_t least = network.pictures ? picture_size(network.side) + 1 : 1;
  const bool fits = count == 0 ? numbers == 0 && !network.pictures
                               : numbers % count == 0 && numbers / count > least;
  if (fits) return {};
  return failed(
      fmt::format("the model has {} components of images, which its map of {} numbers{} "
                  "does not give; train again",
                  count, numbers, network.pictures ? " for channels and pictures" : ""));
}

Status check_numbers(const TrainedModel& model) {
  const TrainingRecord& record = model.training;
  bool finite = std::isfinite(record.lambda) && std::isfinite(record.epochs) &&
                std::isfinite(record.max_violation.value_or(0)) &&
                std::isfinite(record.epsilon.value_or(0)) &&
                std::isfinite(record.delta.value_or(0)) &&
                (!record.held_out || std::isfinite(record.held_out->fraction));
  for (const auto& [name, value] : record.settings) finite = finite && std::isfinite(value);
  for (const ReleasedFigure& figure : model.released) {
    finite =
        finite && std::isfinite(figure.value) && std::isfinite(figure.noise_stddev.value_or(0));
  }
  if (!finite) return failed("a number of the training record is not finite; train again");
  const auto all_finite = [](const std::vector<float>& values) {
    return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
  };
  if (!all_finite(model.theta) || (model.network && !(all_finite(model.network->theta) &&
                                                      all_finite(model.network->components)))) {
    return failed("a parameter of the model is not a finite number; train again");
  }
  return {};
}

}  // namespace

std::string_view verdict_word(std::optional<bool> met) {
  if (!met) return "cannot be told";
  return *met ? "met" : "missed";
}

Schema model_schema(const Table& table) {
  Schema schema;
  schema.adjacency = table.schema.adjacency;
  schema.missing = table.schema.missing;
  schema.format.missing = table.schema.format.missing;
  schema.target = settled_target(table);
  schema.sensitive = table.schema.sensitive;
  schema.sensitive_features = table.schema.sensitive_features;
  schema.scores = table.schema.scores;
  std::vector<std::string> kept = {schema.target.column};
  for (std::size_t a = 0; a < schema.sensitive.size(); ++a) {
    SensitiveSpec& spec = schema.sensitive[a];
    if (spec.bins.empty()) spec.values = table.domain.attributes()[a].values;
    kept.push_back(spec.column);
  }
  for (const Column& column : table.features) kept.push_back(column.name);
  for (const auto& [name, spec] : table.schema.columns) {
    if (contains(kept, name)) schema.columns.emplace(name, spec);
  }
  return schema;
}

Schema prediction_schema(const TrainedModel& model) {
  Schema schema;
  schema.adjacency = model.schema.adjacency;
  schema.format = model.schema.format;
  const bool drops = model.schema.missing == MissingPolicy::kDrop;
  schema.missing = drops ? MissingPolicy::kCategory : model.schema.missing;
  for (const std::string& column : feature_columns(model.pipeline)) {
    schema.columns.emplace(column, model.schema.columns.at(column));
  }
  schema.scores = model.schema.scores;
  if (model.rule.needs_group()) schema.sensitive = model.schema.sensitive;
  return schema;
}

Status check_model(const TrainedModel& model) {
  DPFERMI_TRY(check_shape(model));
  DPFERMI_TRY(check_components(model));
  DPFERMI_TRY(check_numbers(model));
  DPFERMI_TRY(check_schema(model.schema));
  DPFERMI_TRY(check_feature_types(model));
  DPFERMI_TRY(check_statement(model.privacy));
  if (model.privacy.adjacency != model.schema.adjacency) {
    return failed(fmt::format(
        "the privacy statement is about adjacency {}, but the data were read under {}; train again",
        to_string(model.privacy.adjacency), to_string(model.schema.adjacency)));
  }
  return {};
}

}  // namespace dpfermi
