#include "data/label_builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"

namespace dpfermi {
namespace {

constexpr std::size_t kMaxClasses = 1000;
constexpr std::size_t kMaxNumberClasses = 50;  ///< more different numbers are a quantity

/// ">27.5" or ">median", unless it is the name of a class such as ">50K".
bool is_threshold(const std::string& positive) {
  return positive == ">median" || (positive.starts_with('>') && parse_number(positive.substr(1)));
}

double median_of(Numbers values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// Labels whose classes were declared cost nothing; otherwise the list comes from the data.
Result<Provenance> provenance_of_computed(const std::string& what, Adjacency adjacency,
                                          const std::string& remedy) {
  if (features_are_public(adjacency)) return Provenance::kPublic;
  return usage_error(fmt::format("{} would be read from protected labels under adjacency {}; {}",
                                 what, to_string(adjacency), remedy));
}

}  // namespace

bool LabelBuilder::is_numeric(const TargetSpec& target, bool column_looks_numeric) {
  return !target.bins.empty() || (column_looks_numeric && is_threshold(target.positive));
}

LabelBuilder::LabelBuilder(const MissingMarkers* markers, TargetSpec target, bool numeric,
                           std::map<std::string, std::string> recode)
    : target_(std::move(target)), values_(NumericBuilder(markers)) {
  if (!numeric) values_ = CategoryBuilder(markers, std::move(recode));
}

Cell LabelBuilder::push(std::string_view text) {
  return std::visit([&](auto& builder) { return builder.push(text); }, values_);
}

Status LabelBuilder::append(const ColumnBlock& column, const OddCell& odd) {
  if (auto* numbers = std::get_if<NumericBuilder>(&values_)) {
    return numbers->append(column, /*lasting=*/false, odd);
  }
  return std::get<CategoryBuilder>(values_).append(column, odd);
}

void LabelBuilder::start_source() {
  if (auto* categories = std::get_if<CategoryBuilder>(&values_)) categories->start_source();
}

void LabelBuilder::drop(std::span<const std::uint32_t> rows) {
  std::visit([&](auto& builder) { builder.drop(rows); }, values_);
}

void LabelBuilder::reserve(std::size_t rows) {
  std::visit([&](auto& builder) { builder.reserve(rows); }, values_);
}

Result<Labels> LabelBuilder::finish(const std::string& origin, Adjacency adjacency) && {
  return std::holds_alternative<NumericBuilder>(values_) ? from_numbers(origin, adjacency)
                                                         : from_categories(origin, adjacency);
}

Result<Labels> LabelBuilder::from_categories(const std::string& origin, Adjacency adjacency) {
  CategoryColumn column = std::move(std::get<CategoryBuilder>(values_)).finish();
  Labels labels;
  labels.classes = target_.values;
  if (labels.classes.empty()) {
    DPFERMI_ASSIGN(labels.classes_provenance,
                   provenance_of_computed(fmt::format("the classes of '{}'", target_.column),
                                          adjacency, "declare them with `target.values`"));
    // A level may have been seen only in rows that were dropped.
    std::vector<bool> used(column.levels.size());
    for (std::size_t row = 0; row < column.codes.size(); ++row) used[column.codes[row]] = true;
    for (std::size_t i = 0; i < used.size(); ++i) {
      if (used[i]) labels.classes.push_back(column.levels[i]);
    }
    sort_values(labels.classes);
  }
  const bool numbers = std::ranges::all_of(
      labels.classes, [](const std::string& name) { return parse_number(name).has_value(); });
  if (labels.classes.size() > (numbers ? kMaxNumberClasses : kMaxClasses)) {
    return failed(fmt::format(
        "{}: the target column '{}' has {} different values; cut a number with `positive` '>27.5', "
        "`positive` '>median' or `target.bins` 10,20,30",
        origin, target_.column, with_thousands(labels.classes.size())));
  }
  std::vector<std::uint16_t> class_of(column.levels.size());
  for (std::size_t i = 0; i < column.levels.size(); ++i) {
    const auto found = std::ranges::find(labels.classes, column.levels[i]);
    class_of[i] = static_cast<std::uint16_t>(found - labels.classes.begin());
  }
  labels.y.reserve(column.codes.size());
  for (std::size_t row = 0; row < column.codes.size(); ++row) {
    labels.y.push_back(class_of[column.codes[row]]);
    if (labels.y.back() == labels.classes.size()) {
      return failed(
          fmt::format("{}: the target column '{}' holds '{}', which is not a declared class",
                      origin, target_.column, printable(column.levels[column.codes[row]])));
    }
  }
  DPFERMI_TRY(find_positive(labels));
  return labels;
}

Status LabelBuilder::find_positive(Labels& labels) const {
  labels.positive = labels.classes.size() - 1;
  if (target_.positive.empty()) return {};
  const auto found = std::ranges::find(labels.classes, target_.positive);
  if (found != labels.classes.end()) {
    labels.positive = static_cast<std::size_t>(found - labels.classes.begin());
    return {};
  }
  if (target_.positive.starts_with('<') || target_.positive.starts_with('>')) {
    return failed(fmt::format(
        "'{}' is neither a class of the target column '{}' nor a threshold; thresholds are written "
        "'>27.5' or '>median'",
        target_.positive, target_.column));
  }
  const auto guess = nearest_name(target_.positive, labels.classes);
  return failed(fmt::format("'{}' is not a class of the target column '{}'{}", target_.positive,
                            target_.column,
                            guess ? fmt::format("; did you mean '{}'?", printable(*guess)) : ""));
}

Result<Labels> LabelBuilder::from_numbers(const std::string& origin, Adjacency adjacency) {
  Labels labels;
  std::vector<double> upper_ends = target_.bins;
  if (upper_ends.empty()) {
    DPFERMI_ASSIGN(labels.threshold, threshold(origin, adjacency));
    upper_ends = {*labels.threshold};
    labels.classes_provenance =
        target_.positive == ">median" ? Provenance::kPublic : Provenance::kGiven;
  }
  labels.classes = bin_names(upper_ends);
  labels.positive = labels.classes.size() - 1;
  if (!target_.bins.empty()) DPFERMI_TRY(find_positive(labels));
  for (const double value : std::get<NumericBuilder>(values_).values()) {
    labels.y.push_back(static_cast<std::uint16_t>(bin_of(value, upper_ends)));
  }
  return labels;
}

Result<double> LabelBuilder::threshold(const std::string& origin, Adjacency adjacency) const {
  if (target_.positive != ">median") return *parse_number(target_.positive.substr(1));
  DPFERMI_TRY(provenance_of_computed(fmt::format("the median of '{}'", target_.column), adjacency,
                                     "give a number, such as `positive` '>27.5'"));
  const Numbers& values = std::get<NumericBuilder>(values_).values();
  if (values.empty()) return failed(fmt::format("{}: has no rows", origin));
  return median_of(values);
}

}  // namespace dpfermi
