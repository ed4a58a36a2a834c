#include "account_batch.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli.h"
#include "dpfermi/core/text.h"
#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "event_options.h"

namespace dpfermi::cli {
namespace {

using Json = nlohmann::json;

Result<Adjacency> adjacency_of(const std::string& name) {
  if (name == "ADD_OR_REMOVE") return Adjacency::kAddRemoveRecord;
  if (name == "REPLACE_ONE") return Adjacency::kReplaceRecord;
  if (name == "REPLACE_SENSITIVE_ATTRIBUTE") return Adjacency::kSensitive;
  return parse_adjacency(name);
}

Result<PrivacyEvent> one_mechanism(const Json& row, const std::string& mechanism,
                                   Adjacency adjacency) {
  const double sigma = row.at("sigma");
  const auto steps = row.at("T").get<std::uint64_t>();
  const auto repeated = [&](PrivacyEvent::Node node) -> Result<PrivacyEvent> {
    DPFERMI_ASSIGN(const PrivacyEvent event, PrivacyEvent::create(adjacency, std::move(node)));
    return event.times(steps);
  };
  if (mechanism == "gaussian") {
    return repeated(GaussianRelease{sigma / neighbour_distance(adjacency)});
  }
  if (mechanism == "laplace") return repeated(LaplaceRelease{sigma});
  if (mechanism == "discrete_gaussian") return repeated(DiscreteGaussianRelease{sigma, {1}});
  const double q = row.value("q", 1.0);
  if (mechanism == "poisson_subsampled_gaussian" || mechanism == "poisson") {
    return repeated(PoissonGaussianRelease{q, sigma});
  }
  if (mechanism == "poisson_gaussian_membership_revealed") {
    return repeated(RevealedPoissonGaussianRelease{q, sigma});
  }
  return usage_error(fmt::format("mechanism '{}' is not supported", printable(mechanism)));
}

Result<PrivacyEvent> event_of(const Json& row) {
  DPFERMI_ASSIGN(const Adjacency adjacency, adjacency_of(row.at("adjacency")));
  const std::string mechanism = row.at("mechanism");
  if (mechanism != "heterogeneous") return one_mechanism(row, mechanism, adjacency);
  Composition all;
  for (const Json& part : row.at("components")) {
    DPFERMI_ASSIGN(PrivacyEvent event, one_mechanism(part, part.at("kind"), adjacency));
    all.parts.push_back(std::move(event));
  }
  return PrivacyEvent::create(adjacency, std::move(all));
}

Result<CertifiedBound> account_row(const Json& row, const PldOptions& options) {
  try {
    if (!row.contains("delta") || row.at("delta").is_null()) {
      return usage_error("a row without delta is not supported");
    }
    DPFERMI_ASSIGN(const PrivacyEvent event, event_of(row));
    return certified_epsilon(event, row.at("delta"), options);
  } catch (const Json::exception& error) {
    return usage_error(fmt::format("not an accounting row: {}", error.what()));
  }
}

}  // namespace

Status account_batch(const std::string& path, double tolerance) {
  DPFERMI_ASSIGN(const std::string text, read_file_or_stdin(path));
  const Json rows = Json::parse(text, nullptr, false);
  if (!rows.is_array()) {
    return failed(fmt::format("{}: not a JSON array of rows", printable(path)));
  }
  const PldOptions options{.tolerance = tolerance, .cross_check = false};
  for (const Json& row : rows) {
    const Json id = row.is_object() && row.contains("id") ? row.at("id") : Json();
    const auto bound = account_row(row, options);
    if (bound) {
      Context::print(fmt::format("{{\"id\":{},\"epsilon_lower\":{},\"epsilon_upper\":{}}}\n",
                                 id.dump(), number_json(bound->lower), number_json(bound->upper)));
    } else {
      Context::print(fmt::format("{{\"id\":{},\"error\":{}}}\n", id.dump(),
                                 Json(bound.error().message).dump()));
    }
  }
  return {};
}

}  // namespace dpfermi::cli
