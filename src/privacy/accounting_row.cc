#include "privacy/accounting_row.h"

#include <cmath>

namespace dpfermi {
namespace {

Result<Adjacency> row_adjacency(const std::string& name) {
  if (name == "ADD_OR_REMOVE") return Adjacency::kAddRemoveRecord;
  if (name == "REPLACE_ONE") return Adjacency::kReplaceRecord;
  if (name == "REPLACE_SENSITIVE_ATTRIBUTE") return Adjacency::kSensitive;
  return parse_adjacency(name);
}

Result<double> number_of(const Json& row, const std::string& key) {
  if (!row.is_object() || !row.contains(key)) {
    return usage_error(fmt::format("the key '{}' is missing; add it", key));
  }
  const Json& value = row.at(key);
  if (value.is_number()) return value.get<double>();
  return usage_error(
      fmt::format("the key '{}' takes a number, not {}", key, printable(value.dump())));
}

Result<std::string> text_of(const Json& row, const std::string& key) {
  if (row.is_object() && row.contains(key) && row.at(key).is_string())
    return row.at(key).get<std::string>();
  return usage_error(fmt::format("the key '{}' is missing or no text; add it", key));
}

Result<std::uint64_t> row_steps(const Json& row) {
  DPFERMI_ASSIGN(const double steps, number_of(row, "T"));
  if (steps != std::floor(steps) || !(steps >= 0 && steps <= 1e15)) {
    return usage_error(fmt::format("the key 'T' takes a whole number from 0 to 1e15, not {}",
                                   printable(row.at("T").dump())));
  }
  return static_cast<std::uint64_t>(steps);
}

Result<PrivacyEvent> one_mechanism(const Json& row, const std::string& mechanism,
                                   Adjacency adjacency) {
  DPFERMI_ASSIGN(const double sigma, number_of(row, "sigma"));
  DPFERMI_ASSIGN(const std::uint64_t steps, row_steps(row));
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
    DPFERMI_ASSIGN(const double q, number_of(row, "q"));
    return repeated(PoissonGaussianRelease{q, sigma});
  }
  if (mechanism == "poisson_gaussian_membership_revealed") {
    DPFERMI_ASSIGN(const double q, number_of(row, "q"));
    return repeated(RevealedPoissonGaussianRelease{q, sigma});
  }
  return failed(fmt::format("mechanism '{}' is not supported", printable(mechanism)));
}

Result<PrivacyEvent> event_of(const Json& row) {
  DPFERMI_ASSIGN(const std::string name, text_of(row, "adjacency"));
  DPFERMI_ASSIGN(const Adjacency adjacency, row_adjacency(name));
  DPFERMI_ASSIGN(const std::string mechanism, text_of(row, "mechanism"));
  if (mechanism != "heterogeneous") return one_mechanism(row, mechanism, adjacency);
  if (!row.contains("components") || !row.at("components").is_array()) {
    return usage_error("a heterogeneous row needs an array of 'components'; add it");
  }
  Composition all;
  for (const Json& part : row.at("components")) {
    DPFERMI_ASSIGN(const std::string kind, text_of(part, "kind"));
    DPFERMI_ASSIGN(PrivacyEvent event, one_mechanism(part, kind, adjacency));
    all.parts.push_back(std::move(event));
  }
  return PrivacyEvent::create(adjacency, std::move(all));
}

}  // namespace

Result<AccountingRow> parse_accounting_row(const Json& row) {
  if (row.is_object() && row.contains("delta") && row.at("delta").is_null()) {
    return failed("a row without delta is not supported");
  }
  DPFERMI_ASSIGN(const double delta, number_of(row, "delta"));
  DPFERMI_ASSIGN(PrivacyEvent event, event_of(row));
  return AccountingRow{std::move(event), delta};
}

}  // namespace dpfermi
