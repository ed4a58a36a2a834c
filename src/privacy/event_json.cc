// Events as JSON: written in one fixed order, read without guessing.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/text.h"
#include "dpfermi/privacy/event.h"
#include "privacy/json_fields.h"
#include "privacy/json_text.h"
#include "privacy/overloaded.h"

namespace dpfermi {
namespace {

/// JSON has no infinity; noise that hides everything is written as a string.
Json number_to_json(double value) {
  return std::isinf(value) ? Json("inf") : Json(value);
}

Json node_to_json(const PrivacyEvent& event) {
  return std::visit(
      Overloaded{
          [](const GaussianRelease& g) -> Json {
            return {{"kind", "gaussian"},
                    {"sigma_over_distance", number_to_json(g.sigma_over_distance)}};
          },
          [](const LaplaceRelease& l) -> Json {
            return {{"kind", "laplace"},
                    {"scale_over_distance", number_to_json(l.scale_over_distance)}};
          },
          [](const DiscreteGaussianRelease& d) -> Json {
            return {{"kind", "discrete-gaussian"},
                    {"sigma", number_to_json(d.sigma)},
                    {"shifts", d.shifts}};
          },
          [](const PoissonGaussianRelease& p) -> Json {
            return {{"kind", "poisson-gaussian"},
                    {"q", p.q},
                    {"noise_multiplier", number_to_json(p.noise_multiplier)}};
          },
          [](const RevealedPoissonGaussianRelease& p) -> Json {
            return {{"kind", "revealed-poisson-gaussian"},
                    {"q", p.q},
                    {"sigma_over_distance", number_to_json(p.sigma_over_distance)}};
          },
          [](const PureRelease& p) -> Json {
            return {{"kind", "pure"}, {"epsilon", number_to_json(p.epsilon)}};
          },
          [](const ExactRelease&) -> Json {
            return {{"kind", "exact"}};
          },
          [](const Composition& c) -> Json {
            Json parts = Json::array();
            for (const PrivacyEvent& part : c.parts) parts.push_back(node_to_json(part));
            return {{"kind", "composition"}, {"parts", std::move(parts)}};
          },
          [](const Repetition& r) -> Json {
            return {{"kind", "repetition"}, {"count", r.count}, {"part", node_to_json(*r.part)}};
          },
      },
      event.node());
}

struct Kind {
  std::string name;
  std::vector<std::string> keys;  ///< all of them required
};

const std::vector<Kind>& all_kinds() {
  static const std::vector<Kind> kinds = {
      {"gaussian", {"sigma_over_distance"}},
      {"laplace", {"scale_over_distance"}},
      {"discrete-gaussian", {"sigma", "shifts"}},
      {"poisson-gaussian", {"q", "noise_multiplier"}},
      {"revealed-poisson-gaussian", {"q", "sigma_over_distance"}},
      {"pure", {"epsilon"}},
      {"exact", {}},
      {"composition", {"parts"}},
      {"repetition", {"count", "part"}},
  };
  return kinds;
}

std::string suggestion(const std::string& name, const std::vector<std::string>& known) {
  const std::optional<std::string> nearest = nearest_name(name, known);
  return nearest ? fmt::format("did you mean '{}'?", *nearest)
                 : fmt::format("known are {}", fmt::join(known, ", "));
}

Result<Kind> kind_of(const Json& json) {
  if (!json.is_object() || !json.contains("kind") || !json["kind"].is_string()) {
    return failed(
        "not a privacy event: every event is an object with a \"kind\"; see docs/accounting.md");
  }
  const std::string name = json["kind"];
  std::vector<std::string> names;
  for (const Kind& kind : all_kinds()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  return failed(
      fmt::format("unknown privacy event '{}'; {}", printable(name), suggestion(name, names)));
}

/// A misspelt or misplaced key must not change what an event costs.
Status check_keys(const Json& json, const Kind& kind) {
  for (const std::string& key : kind.keys) {
    if (json.contains(key)) continue;
    return failed(fmt::format("a {} event needs the key '{}'; add it", kind.name, key));
  }
  std::vector<std::string> known = kind.keys;
  known.insert(known.end(), {"kind", "adjacency"});
  for (const auto& [key, value] : json.items()) {
    if (std::ranges::count(known, key) > 0) continue;
    return failed(fmt::format("unknown key '{}' in a {} event; {}", printable(key), kind.name,
                              suggestion(key, known)));
  }
  return {};
}

Result<double> number_from_json(const Json& json, const std::string& key) {
  const Json& value = json[key];
  if (value == "inf") return INFINITY;
  if (!value.is_number()) {
    return failed(fmt::format("the key '{}' of an event takes a number, not {}", key,
                              printable(value.dump())));
  }
  return value.get<double>();
}

/// A whole number that is written as one, or as 1e6; nothing for anything else.
std::optional<double> whole_number(const Json& value) {
  constexpr double kMostExact = 9007199254740992.0;  // beyond 2^53 a double may have been rounded
  if (!value.is_number()) return std::nullopt;
  const auto number = value.get<double>();
  if (number != std::floor(number) || std::abs(number) > kMostExact) return std::nullopt;
  return number;
}

Result<std::uint64_t> count_from_json(const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  const std::optional<double> number = whole_number(value);
  if (!number || *number < 0) {
    return failed(fmt::format("the key 'count' of a repetition takes a whole number >= 0, not {}",
                              printable(value.dump())));
  }
  return static_cast<std::uint64_t>(*number);
}

Result<std::vector<std::int64_t>> shifts_from_json(const Json& json) {
  std::vector<std::int64_t> shifts;
  for (const Json& value : json.is_array() ? json : Json::array({json})) {
    const std::optional<double> number = json.is_array() ? whole_number(value) : std::nullopt;
    if (!number) {
      return failed(fmt::format("the key 'shifts' takes an array of whole numbers, not {}",
                                printable(json.dump())));
    }
    shifts.push_back(static_cast<std::int64_t>(*number));
  }
  return shifts;
}

Result<PrivacyEvent> event_from_json(const Json& json, Adjacency adjacency);

Result<PrivacyEvent::Node> node_from_json(const Json& json, Adjacency adjacency) {
  DPFERMI_ASSIGN(const Kind kind, kind_of(json));
  DPFERMI_TRY(check_keys(json, kind));
  if (kind.name == "exact") return ExactRelease{};
  if (kind.name == "composition") {
    if (!json["parts"].is_array()) return failed("the key 'parts' takes an array of events");
    Composition composition;
    for (const Json& part : json["parts"]) {
      DPFERMI_ASSIGN(PrivacyEvent child, event_from_json(part, adjacency));
      composition.parts.push_back(std::move(child));
    }
    return composition;
  }
  if (kind.name == "repetition") {
    DPFERMI_ASSIGN(const std::uint64_t count, count_from_json(json["count"]));
    DPFERMI_ASSIGN(PrivacyEvent child, event_from_json(json["part"], adjacency));
    return Repetition{std::make_shared<const PrivacyEvent>(std::move(child)), count};
  }
  DPFERMI_ASSIGN(const double first, number_from_json(json, kind.keys[0]));
  if (kind.name == "gaussian") return GaussianRelease{first};
  if (kind.name == "laplace") return LaplaceRelease{first};
  if (kind.name == "pure") return PureRelease{first};
  if (kind.name == "discrete-gaussian") {
    DPFERMI_ASSIGN(std::vector<std::int64_t> shifts, shifts_from_json(json["shifts"]));
    return DiscreteGaussianRelease{first, std::move(shifts)};
  }
  DPFERMI_ASSIGN(const double second, number_from_json(json, kind.keys[1]));
  if (kind.name == "poisson-gaussian") return PoissonGaussianRelease{first, second};
  return RevealedPoissonGaussianRelease{first, second};
}

Result<Adjacency> adjacency_from_json(const Json& json) {
  if (!json.is_object() || !json.contains("adjacency") || !json["adjacency"].is_string()) {
    return failed("not a privacy event: the outermost object needs an \"adjacency\"; add it");
  }
  return parse_adjacency(json["adjacency"].get<std::string>());
}

Result<PrivacyEvent> event_from_json(const Json& json, Adjacency adjacency) {
  if (json.is_object() && json.contains("adjacency")) {
    DPFERMI_ASSIGN(const Adjacency own, adjacency_from_json(json));
    if (own != adjacency) {
      return failed(
          fmt::format("an event of adjacency {} lies inside one of {}; they cannot be composed, "
                      "make them equal",
                      to_string(own), to_string(adjacency)));
    }
  }
  DPFERMI_ASSIGN(PrivacyEvent::Node node, node_from_json(json, adjacency));
  return PrivacyEvent::create(adjacency, std::move(node));
}

}  // namespace

std::string to_json(const PrivacyEvent& event) {
  Json json = {{"adjacency", to_string(event.adjacency())}};
  json.update(node_to_json(event));
  return json.dump();
}

Result<PrivacyEvent> parse_event(const std::string& text) {
  DPFERMI_TRY(check_json(text));
  const Json json = Json::parse(text, nullptr, false);
  DPFERMI_ASSIGN(const Adjacency adjacency, adjacency_from_json(json));
  return event_from_json(json, adjacency);
}

}  // namespace dpfermi
