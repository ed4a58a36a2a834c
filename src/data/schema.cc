#include "dpfermi/data/schema.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>

#include "data/repeated_names.h"

namespace dpfermi {

std::string_view to_string(ColumnType type) {
  return type == ColumnType::kNumeric ? "numeric" : "categorical";
}

std::string_view to_string(MissingPolicy policy) {
  switch (policy) {
    case MissingPolicy::kDrop:
      return "drop";
    case MissingPolicy::kCategory:
      return "category";
    case MissingPolicy::kError:
      return "error";
  }
  return "unknown";
}

Result<MissingPolicy> parse_missing_policy(std::string_view text) {
  constexpr std::array kAll = {MissingPolicy::kDrop, MissingPolicy::kCategory,
                               MissingPolicy::kError};
  for (const MissingPolicy policy : kAll) {
    if (text == to_string(policy)) return policy;
  }
  return usage_error(
      fmt::format("unknown policy for missing values '{}': use drop, category or error", text));
}

const SensitiveSpec* repeated_sensitive(const Schema& schema, std::string_view name) {
  const std::string_view first = without_repeat(name);
  const auto found = std::ranges::find_if(schema.sensitive, [&](const SensitiveSpec& spec) {
    const bool repeats = first != name && first == spec.column;
    const bool is_repeated = name != spec.column && name == without_repeat(spec.column);
    return repeats || is_repeated;
  });
  return found != schema.sensitive.end() ? &*found : nullptr;
}

Status check_schema(const Schema& schema) {
  std::map<std::string, std::string> role_of;
  const auto claim = [&](const std::string& column, const std::string& role) -> Status {
    if (column.empty()) return {};
    const auto [entry, fresh] = role_of.emplace(column, role);
    if (fresh) return {};
    return usage_error(
        fmt::format("column '{}' cannot be both {} and {}", column, entry->second, role));
  };
  if (schema.sensitive_file.empty() != schema.join.empty()) {
    return usage_error("`sensitive_file` and `join` belong together; give both");
  }
  if (!schema.sensitive_file.empty() && schema.sensitive.empty()) {
    return usage_error("`sensitive_file` needs `sensitive` to name the protected columns");
  }
  DPFERMI_TRY(claim(schema.target.column, "the target"));
  for (const SensitiveSpec& spec : schema.sensitive) {
    DPFERMI_TRY(claim(spec.column, "sensitive"));
    if (!spec.values.empty() && !spec.bins.empty()) {
      return usage_error(
          fmt::format("sensitive column '{}' has both values and bins; give one", spec.column));
    }
    if (std::set(spec.values.begin(), spec.values.end()).size() != spec.values.size()) {
      return usage_error(
          fmt::format("a value of sensitive column '{}' is declared twice", spec.column));
    }
    if (!std::ranges::is_sorted(spec.bins)) {
      return usage_error(fmt::format("the bins of sensitive column '{}' must ascend", spec.column));
    }
  }
  DPFERMI_TRY(claim(schema.id, "the id"));
  DPFERMI_TRY(claim(schema.image, "the image"));
  DPFERMI_TRY(claim(schema.weight, "the weight"));
  if (!schema.weight.empty() && !features_are_public(schema.adjacency)) {
    return usage_error(fmt::format(
        "weights are public, and adjacency {} protects whole records; leave out `weight`",
        to_string(schema.adjacency)));
  }
  for (const std::string& column : schema.scores) DPFERMI_TRY(claim(column, "a score"));
  const bool scored = !schema.scores.empty() || !schema.score_prefix.empty();
  if (scored && !features_are_public(schema.adjacency)) {
    return usage_error(fmt::format(
        "scores are public, and adjacency {} protects whole records; leave out `scores` and "
        "`score_prefix`",
        to_string(schema.adjacency)));
  }
  if (!schema.scores.empty() && !schema.score_prefix.empty()) {
    return usage_error("`scores` and `score_prefix` exclude each other; give one of them");
  }
  for (const std::string& column : schema.drop) DPFERMI_TRY(claim(column, "dropped"));
  if (!std::ranges::is_sorted(schema.target.bins)) {
    return usage_error("the bins of the target must ascend");
  }
  for (const std::string& column : schema.sensitive_features) {
    const bool declared = std::ranges::any_of(
        schema.sensitive, [&](const SensitiveSpec& spec) { return spec.column == column; });
    if (!declared) {
      return usage_error(
          fmt::format("'{}' is not a sensitive column; it is a feature already", column));
    }
    if (features_are_public(schema.adjacency)) {
      return usage_error(
          fmt::format("sensitive column '{}' cannot be a feature under adjacency sensitive: "
                      "features are treated "
                      "as public there; use `adjacency` replace-record or leave it out",
                      column));
    }
  }
  return {};
}

Status check_groups_declared(const Schema& schema) {
  const bool open_list = features_are_public(schema.adjacency);
  if (schema.groups_from_data && !open_list) {
    return usage_error(
        fmt::format("everything is protected under adjacency {}, the list of groups too; leave out "
                    "`groups_from_data` and declare the groups with `sensitive_values`",
                    to_string(schema.adjacency)));
  }
  const std::vector<std::string> open = undeclared_groups(schema);
  if (open.empty()) return {};
  return usage_error(fmt::format(
      "the groups of '{0}' are not declared; give `sensitive_values` '{1}=a,b,c' or "
      "`sensitive_bins` '{1}=25,40,60'{2}{3}",
      fmt::join(open, "', '"), open.front(), open.size() > 1 ? " for each" : "",
      open_list ? ", or `groups_from_data` to read the list from the data and treat it as public"
                : ""));
}

std::vector<std::string> undeclared_groups(const Schema& schema) {
  std::vector<std::string> open;
  for (const SensitiveSpec& spec : schema.sensitive) {
    const bool declared = !spec.values.empty() || !spec.bins.empty();
    if (!schema.groups_from_data && !declared) open.push_back(spec.column);
  }
  return open;
}

}  // namespace dpfermi
