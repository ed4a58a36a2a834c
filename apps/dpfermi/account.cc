#include <fmt/format.h>

#include <cmath>
#include <memory>

#include "account_batch.h"
#include "cli.h"
#include "dpfermi/privacy/accountant/paper_bound.h"
#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "dpfermi/privacy/accountant/rdp_accountant.h"
#include "event_options.h"

namespace dpfermi::cli {
namespace {

struct AccountOptions {
  EventOptions event;
  std::optional<double> delta;
  std::optional<double> epsilon;
  std::string batch;
  double tolerance = 1e-3;
  bool explain = false;
};

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

void list_events(const PrivacyEvent& event, std::string& text) {
  if (const auto* composition = std::get_if<Composition>(&event.node())) {
    for (const PrivacyEvent& part : composition->parts) list_events(part, text);
    return;
  }
  text += "  " + describe(event) + "\n";
}

std::string percent_off(double value, double truth) {
  return fmt::format("{:+.1f} %", 100 * (value / truth - 1));
}

/// What --explain adds: the events, how the bound came about, and what other accountants say.
Result<std::string> explanation(const PrivacyEvent& event, const CertifiedBound& bound,
                                std::optional<double> delta) {
  std::string text = "events:\n";
  list_events(event, text);
  text += fmt::format("adjacency: {} ({})\n", to_string(event.adjacency()),
                      describe(event.adjacency()));
  text += fmt::format("method: {}", bound.method);
  if (bound.points > 0) text += fmt::format(", transform of {} points", bound.points);
  text += bound.direction == "both"
              ? "; both orders of the neighbours cost the same\n"
              : fmt::format("; the binding order of the neighbours is '{}'\n", bound.direction);
  text += bound.second_opinion
              ? fmt::format("contour inversion: {:.9g}, inside the bounds\n", *bound.second_opinion)
              : std::string(bound.method == "grid" ? "contour inversion: abstained\n" : "");
  if (!delta || *delta <= 0 || *delta >= 1 || std::isinf(bound.upper) || bound.upper == 0) {
    return text;
  }
  DPFERMI_ASSIGN(const RdpEpsilon rdp, rdp_epsilon(event, *delta));
  text += fmt::format("RDP: epsilon {} at order {:.4g}, {} from the certified bound\n",
                      number_text(rdp.epsilon), rdp.order, percent_off(rdp.epsilon, bound.upper));
  if (const auto steps = sampled_steps(event)) {
    const PaperClaim claim =
        paper_claim(steps->q, steps->steps, steps->sigma_over_distance, *delta);
    text += fmt::format(
        "the paper's theorem: claims epsilon {}, {} from the certified bound ({})\n",
        number_text(claim.epsilon), percent_off(claim.epsilon, bound.upper),
        claim.assumptions_hold ? "its assumptions hold" : "outside its own assumptions");
  }
  return text;
}

std::string to_json(const PrivacyEvent& event, const CertifiedBound& bound,
                    const AccountOptions& options) {
  const bool asked_delta = options.delta.has_value();
  return fmt::format(
      R"({{"adjacency":"{}","event":{},"{}":{},"{}_lower":{},"{}_upper":{},"method":"{}","direction":"{}","second_opinion":{}}})"
      "\n",
      to_string(event.adjacency()), dpfermi::to_json(event), asked_delta ? "delta" : "epsilon",
      number_json(asked_delta ? *options.delta : *options.epsilon),
      asked_delta ? "epsilon" : "delta", number_json(bound.lower),
      asked_delta ? "epsilon" : "delta", number_json(bound.upper), bound.method, bound.direction,
      bound.second_opinion ? number_json(*bound.second_opinion) : "null");
}

Status account(const Context& context, const AccountOptions& options) {
  if (!options.batch.empty()) return account_batch(options.batch, options.tolerance);
  if (options.delta.has_value() == options.epsilon.has_value()) {
    return usage_error("give either --delta (to learn epsilon) or --epsilon (to learn delta)");
  }
  if (!(options.tolerance > 0 && options.tolerance <= 1)) {
    return usage_error("--tolerance must lie in (0, 1]");
  }
  DPFERMI_ASSIGN(const PrivacyEvent event, options.event.event());
  const PldOptions pld{.tolerance = options.tolerance};
  DPFERMI_ASSIGN(const CertifiedBound bound, options.delta
                                                 ? certified_epsilon(event, *options.delta, pld)
                                                 : certified_delta(event, *options.epsilon, pld));
  if (context.json) {
    Context::print(to_json(event, bound, options));
    return {};
  }
  Context::print(
      fmt::format("{} {} at {} {}\n  certified upper bound {}\n  certified lower bound {}\n",
                  options.delta ? "epsilon" : "delta", upper_text(bound.upper),
                  options.delta ? "delta" : "epsilon",
                  number_text(options.delta ? *options.delta : *options.epsilon),
                  upper_text(bound.upper), lower_text(bound.lower)));
  if (options.explain) {
    DPFERMI_ASSIGN(const std::string text, explanation(event, bound, options.delta));
    Context::print(text);
  }
  return {};
}

}  // namespace

void add_account(CLI::App& app, Context& context) {
  auto options = std::make_shared<AccountOptions>();
  CLI::App* verb = add_verb(
      app, context, "account", "What a release costs: certified bounds on epsilon or delta",
      "  dpfermi account --q 0.028 --noise-multiplier 8.8 --steps 7154 --delta 1e-5 --explain\n"
      "  dpfermi account --mechanism laplace --sigma 10 --epsilon 0.1\n"
      "  dpfermi account --event run.json --delta 1e-6\n"
      "  dpfermi account --batch rows.json",
      [&context, options] { return account(context, *options); });
  options->event.add_to(*verb);
  verb->add_option("--event", options->event.event_file,
                   "A file with an event tree as JSON instead of the flags above ('-': stdin)");
  verb->add_option("--delta", options->delta, "The delta at which epsilon is wanted");
  verb->add_option("--epsilon", options->epsilon, "The epsilon at which delta is wanted");
  verb->add_option("--tolerance", options->tolerance,
                   "Wanted width of the bounds on epsilon, relative to max(1, epsilon)");
  verb->add_flag("--explain", options->explain,
                 "Also the events, the binding direction, RDP and the paper's theorem");
  verb->add_option("--batch", options->batch,
                   "A JSON array of rows (group, mechanism, adjacency, q, sigma, T, delta): prints "
                   "one JSON line with certified bounds for each");
}

}  // namespace dpfermi::cli
