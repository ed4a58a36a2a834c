// What the flags of a table say about its schema.

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli.h"
#include "dpfermi/core/text.h"
#include "table_options.h"

namespace dpfermi::cli {
namespace {

/// "column=rest" of a flag.
Result<std::pair<std::string, std::string>> split_assignment(const std::string& text,
                                                             const std::string& flag) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    return usage_error(fmt::format("{} takes COLUMN=..., not '{}'", flag, text));
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<std::vector<double>> parse_numbers(const std::string& text, const std::string& flag) {
  std::vector<double> numbers;
  for (const std::string& piece : split_list(text)) {
    const auto number = parse_number(piece);
    if (!number) return usage_error(fmt::format("{}: '{}' is not a number", flag, piece));
    numbers.push_back(*number);
  }
  return numbers;
}

Result<SensitiveSpec*> find_sensitive(Schema& schema, const std::string& column,
                                      const std::string& flag) {
  const auto found = std::ranges::find(schema.sensitive, column, &SensitiveSpec::column);
  if (found != schema.sensitive.end()) return &*found;
  return usage_error(
      fmt::format("{0}: '{1}' is not a sensitive column; add --sensitive {1}", flag, column));
}

}  // namespace

Status TableOptions::apply_format_flags(CsvFormat& format) const {
  if (!delimiter_.empty()) {
    const bool one = delimiter_.size() == 1 && delimiter_ != "\"" && delimiter_ != "\n";
    if (delimiter_ == "comma") {
      format.delimiter = ',';
    } else if (delimiter_ == "semicolon") {
      format.delimiter = ';';
    } else if (delimiter_ == "tab" || delimiter_ == "\\t") {
      format.delimiter = '\t';
    } else if (one) {
      format.delimiter = delimiter_[0];
    } else {
      return usage_error(fmt::format(
          "--delimiter takes comma, semicolon, tab or one character, not '{}'", delimiter_));
    }
  }
  if (header_ && no_header_) return usage_error("--header and --no-header exclude each other");
  if (header_) format.header = HeaderRule::kYes;
  if (no_header_) format.header = HeaderRule::kNo;
  if (!names_.empty()) format.names = split_list(names_);
  if (skip_lines_ > 0) format.skip_lines = skip_lines_;
  if (!comment_.empty()) format.comment = comment_;
  if (!missing_markers_.empty()) format.missing = split_list(missing_markers_);
  return {};
}

Status TableOptions::apply_sensitive_flags(Schema& schema) const {
  if (!sensitive_.empty()) {
    // A column that the schema protects already keeps the domain that is declared there.
    const std::vector<SensitiveSpec> known = std::exchange(schema.sensitive, {});
    for (const std::string& column : split_list(sensitive_)) {
      const auto found = std::ranges::find(known, column, &SensitiveSpec::column);
      schema.sensitive.push_back(found == known.end() ? SensitiveSpec{.column = column} : *found);
    }
  }
  for (const std::string& text : sensitive_values_) {
    DPFERMI_ASSIGN(const auto assignment, split_assignment(text, "--sensitive-values"));
    DPFERMI_ASSIGN(SensitiveSpec * spec,
                   find_sensitive(schema, assignment.first, "--sensitive-values"));
    spec->values = split_list(assignment.second);
  }
  for (const std::string& text : sensitive_bins_) {
    DPFERMI_ASSIGN(const auto assignment, split_assignment(text, "--sensitive-bins"));
    DPFERMI_ASSIGN(SensitiveSpec * spec,
                   find_sensitive(schema, assignment.first, "--sensitive-bins"));
    DPFERMI_ASSIGN(spec->bins, parse_numbers(assignment.second, "--sensitive-bins"));
  }
  for (const std::string& text : other_) {
    DPFERMI_ASSIGN(const auto assignment, split_assignment(text, "--other"));
    DPFERMI_ASSIGN(SensitiveSpec * spec, find_sensitive(schema, assignment.first, "--other"));
    spec->other = assignment.second;
  }
  if (!sensitive_file_.empty()) schema.sensitive_file = sensitive_file_;
  if (!join_.empty()) schema.join = join_;
  if (!adjacency_.empty()) {
    DPFERMI_ASSIGN(schema.adjacency, parse_adjacency(adjacency_));
  }
  if (!sensitive_features_.empty()) schema.sensitive_features = split_list(sensitive_features_);
  return {};
}

Status TableOptions::apply_schema_flags(Schema& schema, const std::string& target_name) const {
  DPFERMI_TRY(apply_format_flags(schema.format));
  DPFERMI_TRY(apply_sensitive_flags(schema));
  if (!target_.empty() && target_ != target_name) schema.target = {.column = target_};
  if (!positive_.empty()) schema.target.positive = positive_;
  if (!target_values_.empty()) schema.target.values = split_list(target_values_);
  if (!target_bins_.empty()) {
    DPFERMI_ASSIGN(schema.target.bins, parse_numbers(target_bins_, "--target-bins"));
  }
  if (!id_.empty()) schema.id = id_;
  if (!drop_.empty()) schema.drop = split_list(drop_);
  for (const std::string& column : split_list(numeric_)) {
    schema.columns[column].type = ColumnType::kNumeric;
  }
  for (const std::string& column : split_list(categorical_)) {
    std::optional<ColumnType>& type = schema.columns[column].type;
    if (type == ColumnType::kNumeric && contains(split_list(numeric_), column)) {
      return usage_error(fmt::format("column '{}' cannot be both numeric and categorical", column));
    }
    type = ColumnType::kCategorical;
  }
  for (const std::string& text : categories_) {
    DPFERMI_ASSIGN(const auto assignment, split_assignment(text, "--categories"));
    schema.columns[assignment.first].values = split_list(assignment.second);
  }
  for (const std::string& text : bounds_) {
    DPFERMI_ASSIGN(const auto assignment, split_assignment(text, "--bounds"));
    const std::size_t colon = assignment.second.find(':');
    const auto low = parse_number(assignment.second.substr(0, colon));
    const auto high = colon == std::string::npos
                          ? std::nullopt
                          : parse_number(assignment.second.substr(colon + 1));
    if (!low || !high || !(*low < *high)) {
      return usage_error(fmt::format("--bounds takes COLUMN=LOW:HIGH, not '{}'", text));
    }
    schema.columns[assignment.first].bounds = {*low, *high};
  }
  if (!missing_.empty()) {
    DPFERMI_ASSIGN(schema.missing, parse_missing_policy(missing_));
  }
  return {};
}

}  // namespace dpfermi::cli
