#include "print/account_explain.h"

#include <fmt/format.h>

#include <cmath>

#include "flags/event_options.h"

namespace dpfermi::cli {
namespace {

/// The repeated sampled Gaussian inside an event, if it is nothing but that.
struct SampledSteps {
  double q;
  double sigma_over_distance;
  double steps;
};

std::optional<SampledSteps> sampled_steps(const PrivacyEvent& event, double steps = 1) {
  if (const auto* again = std::get_if<Repetition>(&event.node())) {
    return sampled_steps(*again->part, steps * static_cast<double>(again->count));
  }
  if (const auto* p = std::get_if<PoissonGaussianRelease>(&event.node())) {
    return SampledSteps{p->q, p->noise_multiplier / neighbour_distance(event.adjacency()), steps};
  }
  if (const auto* r = std::get_if<RevealedPoissonGaussianRelease>(&event.node())) {
    return SampledSteps{r->q, r->sigma_over_distance, steps};
  }
  return std::nullopt;
}

void list_events(const PrivacyEvent& event, std::vector<std::string>& list) {
  if (const auto* composition = std::get_if<Composition>(&event.node())) {
    for (const PrivacyEvent& part : composition->parts) list_events(part, list);
    return;
  }
  list.push_back(describe(event));
}

std::string percent_off(double value, double truth) {
  return fmt::format("{:+.1f} %", 100 * (value / truth - 1));
}

}  // namespace

Result<Explanation> explain(const PrivacyEvent& event, const CertifiedBound& bound,
                            std::optional<double> delta) {
  Explanation result{{}, event.adjacency(), bound, {}, {}};
  list_events(event, result.events);
  if (!delta || *delta <= 0 || *delta >= 1 || std::isinf(bound.upper) || bound.upper == 0) {
    return result;
  }
  DPFERMI_ASSIGN(result.rdp, rdp_epsilon(event, *delta));
  if (const auto steps = sampled_steps(event)) {
    result.paper = paper_claim(steps->q, steps->steps, steps->sigma_over_distance, *delta);
  }
  return result;
}

std::string Explanation::text() const {
  std::string text = "events:\n";
  for (const std::string& event : events) text += "  " + event + "\n";
  text += fmt::format("adjacency: {} ({})\n", to_string(adjacency), describe(adjacency));
  text += fmt::format("method: {}", bound.method);
  if (bound.points > 0) text += fmt::format(", transform of {} points", bound.points);
  text += bound.direction == "both"
              ? "; both orders of the neighbours cost the same\n"
              : fmt::format("; the binding order of the neighbours is '{}'\n", bound.direction);
  text += bound.second_opinion
              ? fmt::format("contour inversion: {:.9g}, inside the bounds\n", *bound.second_opinion)
              : std::string(bound.method == "grid" ? "contour inversion: abstained\n" : "");
  if (rdp) {
    text +=
        fmt::format("RDP: epsilon {} at order {:.4g}, {} from the certified bound\n",
                    number_text(rdp->epsilon), rdp->order, percent_off(rdp->epsilon, bound.upper));
  }
  if (paper) {
    text += fmt::format(
        "the paper's theorem: claims epsilon {}, {} from the certified bound ({})\n",
        number_text(paper->epsilon), percent_off(paper->epsilon, bound.upper),
        paper->assumptions_hold ? "its assumptions hold" : "outside its own assumptions");
  }
  return text;
}

Json Explanation::json() const {
  Json json = {{"events", events},
               {"adjacency", describe(adjacency)},
               {"method", bound.method},
               {"points", bound.points},
               {"direction", bound.direction},
               {"second_opinion", nullptr},
               {"rdp", nullptr},
               {"paper", nullptr}};
  if (bound.second_opinion) json["second_opinion"] = number_json(*bound.second_opinion);
  if (rdp) {
    json["rdp"] = {{"epsilon", number_json(rdp->epsilon)}, {"order", number_json(rdp->order)}};
  }
  if (paper) {
    json["paper"] = {{"epsilon", number_json(paper->epsilon)},
                     {"assumptions_hold", paper->assumptions_hold}};
  }
  return json;
}

}  // namespace dpfermi::cli
