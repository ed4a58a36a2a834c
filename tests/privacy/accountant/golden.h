#pragma once

// Golden values from independent code: mpmath at 50 digits, contour inversion and quadrature in
// Python, and the brackets of two Python accountants ("accountant" in each row). Units: under
// ADD_OR_REMOVE sigma is over the bound on one contribution; under REPLACE_ONE contributions are +1
// and -1, a distance of 2; revealed rows have sigma over the distance.

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "dpfermi/privacy/event.h"

namespace dpfermi::golden {

using Json = nlohmann::json;

inline Json load(const std::string& name) {
  std::ifstream file(std::string(DPFERMI_SOURCE_DIR) + "/tests/privacy/accountant/" + name);
  return Json::parse(file);
}

inline PrivacyEvent make(Adjacency adjacency, PrivacyEvent::Node node) {
  return PrivacyEvent::create(adjacency, std::move(node)).value();
}

inline Adjacency adjacency_of(const Json& row) {
  const std::string name = row.at("adjacency");
  if (name == "ADD_OR_REMOVE") return Adjacency::kAddRemoveRecord;
  return name == "REPLACE_ONE" ? Adjacency::kReplaceRecord : Adjacency::kSensitive;
}

inline PrivacyEvent release(const std::string& mechanism, Adjacency adjacency, double q,
                            double sigma) {
  if (mechanism == "gaussian") {
    return make(adjacency, GaussianRelease{sigma / neighbour_distance(adjacency)});
  }
  if (mechanism == "laplace") return make(adjacency, LaplaceRelease{sigma});
  if (mechanism == "discrete_gaussian") return make(adjacency, DiscreteGaussianRelease{sigma, {1}});
  if (mechanism == "poisson_gaussian_membership_revealed") {
    return make(adjacency, RevealedPoissonGaussianRelease{q, sigma});
  }
  return make(adjacency, PoissonGaussianRelease{q, sigma});
}

inline PrivacyEvent event_of(const Json& row) {
  const Adjacency adjacency = adjacency_of(row);
  if (row.at("group") != "hetero") {
    return release(row.at("mechanism"), adjacency, row.value("q", 1.0), row.at("sigma"))
        .times(row.at("T"));
  }
  Composition all;
  for (const Json& part : row.at("components")) {
    all.parts.push_back(
        release(part.at("kind"), adjacency, part.at("q"), part.at("sigma")).times(part.at("T")));
  }
  return make(adjacency, std::move(all));
}

}  // namespace dpfermi::golden
