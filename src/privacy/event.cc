#include "dpfermi/privacy/event.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "dpfermi/core/text.h"

namespace dpfermi {
namespace {

using Json = nlohmann::ordered_json;

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

Status check_noise(double value, std::string_view what) {
  if (std::isnan(value) || value < 0) {
    return usage_error(fmt::format("{} must be a number >= 0, not {}", what, value));
  }
  return {};
}

Status check_rate(double q) {
  if (!(q >= 0 && q <= 1)) {
    return usage_error(fmt::format("the sampling rate q must lie in [0, 1], not {}", q));
  }
  return {};
}

Status check_node(const PrivacyEvent::Node& node, Adjacency adjacency) {
  return std::visit(
      Overloaded{
          [](const GaussianRelease& g) { return check_noise(g.sigma_over_distance, "sigma"); },
          [](const LaplaceRelease& l) { return check_noise(l.scale_over_distance, "the scale"); },
          [](const DiscreteGaussianRelease& d) -> Status {
            DPFERMI_TRY(check_noise(d.sigma, "sigma"));
            if (d.shifts.empty() || std::ranges::count(d.shifts, 0) > 0) {
              return usage_error("the shifts of a discrete Gaussian must be nonzero integers");
            }
            return {};
          },
          [](const PoissonGaussianRelease& p) -> Status {
            DPFERMI_TRY(check_rate(p.q));
            return check_noise(p.noise_multiplier, "the noise multiplier");
          },
          [](const RevealedPoissonGaussianRelease& p) -> Status {
            DPFERMI_TRY(check_rate(p.q));
            return check_noise(p.sigma_over_distance, "sigma");
          },
          [](const ExactRelease&) -> Status { return {}; },
          [&](const Composition& c) -> Status {
            if (std::ranges::any_of(c.parts, [&](const PrivacyEvent& part) {
                  return part.adjacency() != adjacency;
                })) {
              return usage_error("events of different adjacencies cannot be composed");
            }
            return {};
          },
          [&](const Repetition& r) -> Status {
            if (r.part == nullptr || r.part->adjacency() != adjacency) {
              return usage_error("events of different adjacencies cannot be composed");
            }
            return {};
          },
      },
      node);
}

/// JSON has no infinity; noise that hides everything is written as a string.
Json number_to_json(double value) {
  return std::isinf(value) ? Json("inf") : Json(value);
}

double number_from_json(const Json& json) {
  return json.is_string() && json == "inf" ? INFINITY : json.get<double>();
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

Result<PrivacyEvent> event_from_json(const Json& json, Adjacency adjacency);

Result<PrivacyEvent::Node> node_from_json(const Json& json, Adjacency adjacency) {
  const std::string kind = json.at("kind");
  const auto number = [&](const char* key) { return number_from_json(json.at(key)); };
  if (kind == "gaussian") return GaussianRelease{number("sigma_over_distance")};
  if (kind == "laplace") return LaplaceRelease{number("scale_over_distance")};
  if (kind == "discrete-gaussian") {
    return DiscreteGaussianRelease{number("sigma"), json.at("shifts")};
  }
  if (kind == "poisson-gaussian") {
    return PoissonGaussianRelease{number("q"), number("noise_multiplier")};
  }
  if (kind == "revealed-poisson-gaussian") {
    return RevealedPoissonGaussianRelease{number("q"), number("sigma_over_distance")};
  }
  if (kind == "exact") return ExactRelease{};
  if (kind == "composition") {
    Composition composition;
    for (const Json& part : json.at("parts")) {
      DPFERMI_ASSIGN(PrivacyEvent child, event_from_json(part, adjacency));
      composition.parts.push_back(std::move(child));
    }
    return composition;
  }
  if (kind == "repetition") {
    DPFERMI_ASSIGN(PrivacyEvent child, event_from_json(json.at("part"), adjacency));
    return Repetition{std::make_shared<const PrivacyEvent>(std::move(child)), json.at("count")};
  }
  return failed(fmt::format("unknown privacy event '{}'", kind));
}

Result<PrivacyEvent> event_from_json(const Json& json, Adjacency adjacency) {
  DPFERMI_ASSIGN(PrivacyEvent::Node node, node_from_json(json, adjacency));
  return PrivacyEvent::create(adjacency, std::move(node));
}

}  // namespace

Result<PrivacyEvent> PrivacyEvent::create(Adjacency adjacency, Node node) {
  DPFERMI_TRY(check_node(node, adjacency));
  return PrivacyEvent(adjacency, std::move(node));
}

PrivacyEvent PrivacyEvent::times(std::uint64_t count) const {
  return {adjacency_, Repetition{std::make_shared<const PrivacyEvent>(*this), count}};
}

std::string describe(const PrivacyEvent& event) {
  return std::visit(
      Overloaded{
          [](const GaussianRelease& g) {
            return fmt::format("Gaussian(sigma={:.6g} distances)", g.sigma_over_distance);
          },
          [](const LaplaceRelease& l) {
            return fmt::format("Laplace(scale={:.6g} distances)", l.scale_over_distance);
          },
          [](const DiscreteGaussianRelease& d) {
            return fmt::format("discrete Gaussian(sigma={:.6g}, {} changed cells)", d.sigma,
                               d.shifts.size());
          },
          [](const PoissonGaussianRelease& p) {
            return fmt::format("Poisson(q={:.6g}) Gaussian(z={:.6g})", p.q, p.noise_multiplier);
          },
          [](const RevealedPoissonGaussianRelease& p) {
            return fmt::format("revealed Poisson(q={:.6g}) Gaussian(sigma={:.6g} distances)", p.q,
                               p.sigma_over_distance);
          },
          [](const ExactRelease&) { return std::string("exact release"); },
          [](const Composition& c) {
            std::string text;
            for (const PrivacyEvent& part : c.parts) {
              text += (text.empty() ? "" : " + ") + describe(part);
            }
            return text.empty() ? "nothing" : "(" + text + ")";
          },
          [](const Repetition& r) {
            return fmt::format("{} x {}", with_thousands(r.count), describe(*r.part));
          },
      },
      event.node());
}

std::string to_json(const PrivacyEvent& event) {
  Json json = {{"adjacency", to_string(event.adjacency())}};
  json.update(node_to_json(event));
  return json.dump();
}

Result<PrivacyEvent> parse_event(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    DPFERMI_ASSIGN(const Adjacency adjacency,
                   parse_adjacency(json.at("adjacency").get<std::string>()));
    return event_from_json(json, adjacency);
  } catch (const Json::exception& error) {
    return failed(fmt::format("not a privacy event: {}", error.what()));
  }
}

}  // namespace dpfermi
