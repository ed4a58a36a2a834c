#include "verbs/account_batch.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "core/text.h"
#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "flags/event_options.h"

namespace dpfermi::cli {
namespace {

Result<Adjacency> adjacency_of(const std::string& name) {
  if (name == "ADD_OR_REMOVE") return Adjacency::kAddRemoveRecord;
  if (name == "REPLACE_ONE") return Adjacency::kReplaceRecord;
  if (name == "REPLACE_SENSITIVE_ATTRIBUTE") return Adjacency::kSensitive;
  return parse_adjacency(name);
}

Result<double> number(const nlohmann::json& row, const std::string& key) {
  if (!row.is_object() || !row.contains(key)) {
    return usage_error(fmt::format("the key '{}' is missing; add it", key));
  }
  const nlohmann::json& value = row.at(key);
  if (value.is_number()) return value.get<double>();
  return usage_error(
      fmt::format("the key '{}' takes a number, not {}", key, printable(value.dump())));
}

Result<std::string> text(const nlohmann::json& row, const std::string& key) {
  if (row.is_object() && row.contains(key) && row.at(key).is_string()) return row.at(key);
  return usage_error(fmt::format("the key '{}' is missing or no text; add it", key));
}

Result<std::uint64_t> step_count(const nlohmann::json& row) {
  DPFERMI_ASSIGN(const double steps, number(row, "T"));
  if (steps != std::floor(steps) || !(steps >= 0 && steps <= 1e15)) {
    return usage_error(fmt::format("the key 'T' takes a whole number from 0 to 1e15, not {}",
                                   printable(row.at("T").dump())));
  }
  return static_cast<std::uint64_t>(steps);
}

Result<PrivacyEvent> one_mechanism(const nlohmann::json& row, const std::string& mechanism,
                                   Adjacency adjacency) {
  DPFERMI_ASSIGN(const double sigma, number(row, "sigma"));
  DPFERMI_ASSIGN(const std::uint64_t steps, step_count(row));
  const auto repeated = [&](PrivacyEvent::Node node) -> Result<PrivacyEvent> {
    DPFERMI_ASSIGN(const PrivacyEvent event, PrivacyEvent::create(adjacency, std::move(node)));
    return event.times(steps);
  };
  if (mechanism == "gaussian") {
    return repeated(GaussianRelease{sigma / neighbour_distance(adjacency)});
  }
  if (mechanism == "laplace") return repeated(LaplaceRelease{sigma});
  if (mechanism == "discrete_gaussian") return repeated(DiscreteGaussianRelease{sigma, {1}});
  if (mechanism == "poisson_subsampled_gaussian" || mechanism == "poisson") {
    DPFERMI_ASSIGN(const double q, number(row, "q"));
    return repeated(PoissonGaussianRelease{q, sigma});
  }
  if (mechanism == "poisson_gaussian_membership_revealed") {
    DPFERMI_ASSIGN(const double q, number(row, "q"));
    return repeated(RevealedPoissonGaussianRelease{q, sigma});
  }
  return failed(fmt::format("mechanism '{}' is not supported", printable(mechanism)));
}

Result<PrivacyEvent> event_of(const nlohmann::json& row) {
  DPFERMI_ASSIGN(const std::string name, text(row, "adjacency"));
  DPFERMI_ASSIGN(const Adjacency adjacency, adjacency_of(name));
  DPFERMI_ASSIGN(const std::string mechanism, text(row, "mechanism"));
  if (mechanism != "heterogeneous") return one_mechanism(row, mechanism, adjacency);
  if (!row.contains("components") || !row.at("components").is_array()) {
    return usage_error("a heterogeneous row needs an array of 'components'; add it");
  }
  Composition all;
  for (const nlohmann::json& part : row.at("components")) {
    DPFERMI_ASSIGN(const std::string kind, text(part, "kind"));
    DPFERMI_ASSIGN(PrivacyEvent event, one_mechanism(part, kind, adjacency));
    all.parts.push_back(std::move(event));
  }
  return PrivacyEvent::create(adjacency, std::move(all));
}

/// kFailed: a question that this accountant has no answer to. kUsage: a row that makes no sense.
Result<CertifiedBound> account_row(const nlohmann::json& row, const PldOptions& options) {
  if (row.is_object() && row.contains("delta") && row.at("delta").is_null()) {
    return failed("a row without delta is not supported");
  }
  DPFERMI_ASSIGN(const double delta, number(row, "delta"));
  DPFERMI_ASSIGN(const PrivacyEvent event, event_of(row));
  return certified_epsilon(event, delta, options);
}

}  // namespace

Status account_batch(const std::string& path, double tolerance, const Context& context) {
  DPFERMI_ASSIGN(const std::string content, read_json(path));
  const nlohmann::json rows = nlohmann::json::parse(content, nullptr, false);
  if (!rows.is_array()) {
    return failed(
        fmt::format("{}: not a JSON array of rows; see docs/accounting.md", printable(path)));
  }
  const PldOptions options{.tolerance = tolerance, .cross_check = false};
  std::size_t unsupported = 0;
  std::size_t senseless = 0;
  for (const nlohmann::json& row : rows) {
    const nlohmann::json id =
        row.is_object() && row.contains("id") ? row.at("id") : nlohmann::json();
    const auto bound = account_row(row, options);
    if (bound) {
      Context::print(fmt::format("{{\"id\":{},\"epsilon_lower\":{},\"epsilon_upper\":{}}}\n",
                                 id.dump(), number_json(bound->lower), number_json(bound->upper)));
    } else {
      ++(bound.error().kind == ErrorKind::kUsage ? senseless : unsupported);
      Context::print(fmt::format("{{\"id\":{},\"error\":{}}}\n", id.dump(),
                                 nlohmann::json(bound.error().message).dump()));
    }
  }
  if (unsupported > 0) {
    context.note(fmt::format("{} of {} rows are not supported; their lines say why", unsupported,
                             rows.size()));
  }
  if (senseless == 0) return {};
  return failed(
      fmt::format("{} of {} rows make no sense; their lines say why", senseless, rows.size()));
}

}  // namespace dpfermi::cli
