#include "export/export_form.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/text.h"

namespace dpfermi {
namespace {

/// A map with one output per class or group: a single output is the second's, the first has 0.
LinearMap widened(LinearMap map) {
  if (map.width != 1) return map;
  LinearMap wide{map.inputs, 2, {}};
  for (const double weight : map.weights) wide.weights.insert(wide.weights.end(), {0, weight});
  return wide;
}

template <class Number>
LinearMap map_of(std::span<const Number> numbers, const LayerShape& shape) {
  return {shape.inputs, shape.outputs, {numbers.begin(), numbers.end()}};
}

std::vector<LinearMap> layers_of(const ModelSpec& spec, std::span<const float> theta) {
  std::vector<LinearMap> layers;
  for (const LayerShape& shape : spec.layers()) {
    layers.push_back(map_of(theta.first(shape.parameters()), shape));
    theta = theta.subspan(shape.parameters());
  }
  layers.back() = widened(std::move(layers.back()));
  return layers;
}

std::vector<LinearMap> proxies_of(const RepairRule& rule, std::size_t inputs) {
  std::vector<LinearMap> proxies;
  const LayerShape shape{inputs, rule.width()};
  for (std::span<const float> rest = rule.beta; !rest.empty();
       rest = rest.subspan(shape.parameters())) {
    LinearMap proxy = map_of(rest.first(shape.parameters()), shape);
    for (std::size_t r = 0; r < shape.outputs; ++r) {
      proxy.weights[inputs * shape.outputs + r] *= rule.kappa;
    }
    proxies.push_back(widened(std::move(proxy)));
  }
  return proxies;
}

/// The order of data/column_builder.cc: markers of absence first, then recodes, then values.
CategoryInput category_input(const CategoryFeature& feature, const Schema& schema,
                             std::size_t first) {
  CategoryInput input{
      .column = feature.column, .values = feature.categories.values, .first = first};
  const auto code_of = [&](const std::string& value) {
    return static_cast<std::size_t>(std::ranges::find(input.values, value) - input.values.begin());
  };
  input.missing = code_of(CategoryList::kMissingName);
  const auto add = [&](const std::string& text, std::size_t code) {
    if (code < input.none()) input.meanings.push_back({text, code});
  };
  const std::vector<std::string>& markers = schema.format.missing;
  const ColumnSpec& spec = schema.columns.at(feature.column);
  for (const std::string& marker : markers) add(marker, input.missing);
  for (const auto& [text, value] : spec.recode) {
    if (!contains(markers, text)) add(text, code_of(value));
  }
  for (const std::string& value : input.values) {
    if (!contains(markers, value) && !spec.recode.contains(value)) add(value, code_of(value));
  }
  return input;
}

void add_inputs(const TrainedModel& model, ExportForm& form) {
  std::size_t next = model.pipeline.numeric().size();
  for (const NumericFeature& feature : model.pipeline.numeric()) {
    NumberInput input{feature.column, feature.standardizer, std::nullopt};
    if (feature.missing_indicator) input.absence = next++;
    form.numbers.push_back(std::move(input));
  }
  for (const CategoryFeature& feature : model.pipeline.categories()) {
    form.categories.push_back(category_input(feature, model.schema, next));
    next += feature.categories.values.size();
  }
  form.inputs = next;
  for (const std::string& marker : model.schema.format.missing) {
    if (const auto number = parse_number(marker)) form.missing_numbers.push_back(*number);
  }
}

Status check_exportable(const TrainedModel& model) {
  if (model.rule.needs_group()) {
    return failed(
        "the model decides by the protected attribute, which an exported model must not read; "
        "predict with dpfermi where that attribute is held, or train by a method that does not "
        "need it");
  }
  if (model.network) {
    return failed(
        "the model reads images, whose network is not exported; predict with dpfermi instead");
  }
  if (model.pipeline.columns() == 0) {
    return failed("the model reads no column, so there is nothing to export");
  }
  const auto unnamed = [](const std::string& name) {
    return name.empty() || name.find('\0') != std::string::npos;
  };
  for (const auto& [column, spec] : model.schema.columns) {
    if (unnamed(column)) {
      return failed(
          "a column of the model has no name that other programs take; rename it in the "
          "table and train again");
    }
  }
  return {};
}

}  // namespace

double ExportForm::cost(std::size_t label, std::size_t group, std::size_t decision) const {
  return repair->costs[(label * repair->groups + group) * classes.size() + decision];
}

ExportForm scoring_form(const TrainedModel& model) {
  ExportForm form;
  add_inputs(model, form);
  form.classes = model.classes;
  form.weights = model.rule.weights;
  form.repair = model.rule.repair;
  form.scores = model.schema.scores;
  if (form.repair) form.proxies = proxies_of(*form.repair, form.inputs);
  if (model.spec.boosted && !model.theta.empty()) {
    form.trees = read_forest(model.theta);
    return form;
  }
  const std::size_t size = model.spec.parameter_count();
  for (std::span<const float> rest = model.theta; !rest.empty(); rest = rest.subspan(size)) {
    form.members.push_back(layers_of(model.spec, rest.first(size)));
  }
  return form;
}

Result<ExportForm> export_form(const TrainedModel& model) {
  DPFERMI_TRY(check_exportable(model));
  return scoring_form(model);
}

Status check_no_mixture(const ExportForm& form, std::string_view format) {
  if (!form.mixture()) return {};
  return failed(fmt::format(
      "the model is a mixture: each decision is drawn by a 64-bit hash of the encoded row, which "
      "{} has no operators for; train or repair again without mixtures (`mixtures`), or predict "
      "with dpfermi",
      format));
}

std::vector<InputName> input_names(const ExportForm& form) {
  std::vector<InputName> names;
  for (const NumberInput& input : form.numbers) names.push_back({input.column, std::nullopt});
  for (const NumberInput& input : form.numbers) {
    if (input.absence) names.push_back({input.column, std::nullopt, true});
  }
  for (const CategoryInput& input : form.categories) {
    for (const std::string& value : input.values) names.push_back({input.column, value});
  }
  return names;
}

std::vector<std::string> columns_of(const ExportForm& form) {
  std::vector<std::string> columns;
  for (const NumberInput& input : form.numbers) columns.push_back(input.column);
  for (const CategoryInput& input : form.categories) columns.push_back(input.column);
  std::ranges::copy_if(form.scores, std::back_inserter(columns),
                       [](const std::string& column) { return !column.empty(); });
  return columns;
}

}  // namespace dpfermi
