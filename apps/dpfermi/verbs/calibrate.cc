#include "dpfermi/privacy/accountant/calibrate.h"

#include <fmt/format.h>

#include <cmath>

#include "cli.h"
#include "core/text.h"
#include "flags/event_options.h"
#include "privacy/accountant/paper_bound.h"
#include "privacy/accountant/rdp_accountant.h"
#include "privacy/statement_json.h"

namespace dpfermi::cli {
namespace {

struct CalibrateOptions {
  EventOptions event;
  std::optional<double> epsilon;
  std::optional<double> delta;
  std::string find = "noise";
  bool explain = false;
};

/// One answer: the parameter's name, its value, and what is certified there.
struct Answer {
  std::string name;
  double value;
  double epsilon;
  double epsilon_lower;
  PrivacyEvent event;
};

bool is_sampled(const EventOptions& options) {
  const std::string name = options.mechanism_name();
  return name == "poisson" || name == "revealed";
}

Result<Answer> find_noise(const CalibrateOptions& options) {
  const EventOptions& event = options.event;
  if (event.noise) {
    return usage_error(
        "--noise-multiplier is what calibrate finds; drop it, or say what else to --find: q or "
        "steps");
  }
  if (is_sampled(event) && !event.q) return usage_error("give the sampling rate with --q");
  DPFERMI_ASSIGN(const std::uint64_t steps, event.step_count());
  const EventFamily family = [&](double noise) -> Result<PrivacyEvent> {
    DPFERMI_ASSIGN(const PrivacyEvent one, event.release(noise, event.q.value_or(1)));
    return one.times(steps);
  };
  DPFERMI_TRY(event.release(1, event.q.value_or(1)));
  DPFERMI_TRY(event.check_flags());
  DPFERMI_ASSIGN(const Calibrated found, calibrate_noise(family, *options.epsilon, *options.delta));
  DPFERMI_ASSIGN(const PrivacyEvent at, family(found.value));
  return Answer{"noise_multiplier", found.value, found.epsilon, found.epsilon_lower, at};
}

Result<Answer> find_rate(const CalibrateOptions& options) {
  const EventOptions& event = options.event;
  if (event.q) return usage_error("--q is what --find q finds; drop it");
  if (!event.noise) return usage_error("give the noise with --noise-multiplier");
  if (!event.mechanism.empty() && !is_sampled(event)) {
    return usage_error("only the poisson and revealed mechanisms have a sampling rate");
  }
  EventOptions sampled = event;
  if (sampled.mechanism.empty()) sampled.mechanism = "poisson";
  DPFERMI_TRY(sampled.check_flags());
  DPFERMI_ASSIGN(const std::uint64_t steps, sampled.step_count());
  const EventFamily family = [&](double rate) -> Result<PrivacyEvent> {
    DPFERMI_ASSIGN(const PrivacyEvent one, sampled.release(*sampled.noise, rate));
    return one.times(steps);
  };
  DPFERMI_ASSIGN(const Calibrated found, calibrate_rate(family, *options.epsilon, *options.delta));
  DPFERMI_ASSIGN(const PrivacyEvent at, family(found.value));
  return Answer{"q", found.value, found.epsilon, found.epsilon_lower, at};
}

Result<Answer> find_steps(const CalibrateOptions& options) {
  if (options.event.steps) return usage_error("--steps is what --find steps finds; drop it");
  DPFERMI_ASSIGN(const PrivacyEvent step, options.event.event());
  DPFERMI_ASSIGN(const PrivacyEvent nothing, PrivacyEvent::create(step.adjacency(), Composition{}));
  DPFERMI_ASSIGN(const CalibratedSteps found,
                 calibrate_steps(nothing, step, *options.epsilon, *options.delta));
  return Answer{"steps", static_cast<double>(found.steps), found.epsilon, found.epsilon_lower,
                step.times(found.steps)};
}

Result<Answer> find_parameter(const CalibrateOptions& options) {
  if (!options.epsilon || !options.delta) {
    return usage_error("give the budget with --epsilon and --delta");
  }
  if (options.find == "noise") return find_noise(options);
  if (options.find == "q") return find_rate(options);
  if (options.find == "steps") return find_steps(options);
  return usage_error(
      fmt::format("--find takes noise, q or steps, not '{}'", printable(options.find)));
}

/// What RDP would have certified, and what the paper's theorem would have prescribed.
struct Comparison {
  std::optional<double> rdp_epsilon;  ///< without delta RDP has no answer
  std::optional<double> paper_noise;
};

Result<Comparison> compare(const CalibrateOptions& options, const Answer& answer) {
  Comparison comparison;
  if (*options.delta == 0 || answer.epsilon == 0) return comparison;
  DPFERMI_ASSIGN(const RdpEpsilon rdp, rdp_epsilon(answer.event, *options.delta));
  comparison.rdp_epsilon = rdp.epsilon;
  if (answer.name == "noise_multiplier" && is_sampled(options.event)) {
    DPFERMI_ASSIGN(const Adjacency adjacency, options.event.parsed_adjacency());
    DPFERMI_ASSIGN(const std::uint64_t steps, options.event.step_count());
    const double distance =
        options.event.mechanism_name() == "poisson" ? neighbour_distance(adjacency) : 1.0;
    const double at_one =
        paper_claim(*options.event.q, static_cast<double>(steps), 1.0, *options.delta).epsilon;
    comparison.paper_noise = distance * at_one / *options.epsilon;
  }
  return comparison;
}

std::string to_text(const Comparison& comparison, const PrivacyEvent& event) {
  std::string text = "event: " + describe(event) + "\n";
  if (comparison.rdp_epsilon) {
    text += fmt::format("RDP would report epsilon {} here\n", number_text(*comparison.rdp_epsilon));
  }
  if (comparison.paper_noise) {
    text += fmt::format("the paper's theorem would take noise {} for each of theta and W\n",
                        number_text(*comparison.paper_noise));
  }
  return text;
}

Json json_of(const Comparison& comparison) {
  const auto or_null = [](std::optional<double> value) {
    return value ? number_json(*value) : Json();
  };
  return {{"rdp_epsilon", or_null(comparison.rdp_epsilon)},
          {"paper_noise_multiplier", or_null(comparison.paper_noise)}};
}

std::string describe_certificate(const Answer& answer, double delta) {
  if (answer.epsilon == 0) return "nothing is released: epsilon 0";
  if (std::isinf(answer.epsilon)) return "an infinite epsilon allows everything";
  return fmt::format("certified epsilon {} (at least {}) at delta {}", upper_text(answer.epsilon),
                     lower_text(answer.epsilon_lower), number_text(delta));
}

Status calibrate(const Context& context, const CalibrateOptions& options) {
  DPFERMI_ASSIGN(const Answer answer, find_parameter(options));
  Comparison comparison;
  if (options.explain) {
    DPFERMI_ASSIGN(comparison, compare(options, answer));
  }
  const Json value = answer.name == "steps" ? Json(static_cast<std::uint64_t>(answer.value))
                                            : number_json(answer.value);
  if (context.json) {
    Json json = {{answer.name, value},
                 {"epsilon_lower", number_json(answer.epsilon_lower)},
                 {"epsilon_upper", number_json(answer.epsilon)},
                 {"delta", number_json(*options.delta)},
                 {"event", dpfermi::json_of(answer.event)}};
    if (options.explain) json["explanation"] = json_of(comparison);
    Context::print(json.dump() + "\n");
    return {};
  }
  Context::print(fmt::format("{} {}\n  {}\n", answer.name, value.dump(),
                             describe_certificate(answer, *options.delta)));
  if (options.explain) Context::print(to_text(comparison, answer.event));
  return {};
}

}  // namespace

void add_calibrate(CLI::App& app, Context& context) {
  const auto [verb, options] = add_verb<CalibrateOptions>(
      app, context, "calibrate", "The least noise, or the most steps, that a budget allows",
      "  dpfermi calibrate --epsilon 1 --delta 1e-5 --q 0.028 --steps 7154\n"
      "  dpfermi calibrate --find steps --epsilon 1 --delta 1e-5 --q 0.028 --noise-multiplier 8.8\n"
      "  dpfermi calibrate --find q --epsilon 1 --delta 1e-5 --noise-multiplier 8.8 --steps 7154",
      calibrate);
  options->event.add_to(*verb);
  verb->add_option("--epsilon", options->epsilon, "The budget's epsilon");
  verb->add_option("--delta", options->delta, "The budget's delta; 0 is possible for laplace");
  verb->add_option("--find", options->find, "noise (default), q or steps");
  verb->add_flag("--explain", options->explain, "Also what RDP and the paper's theorem would say");
}

}  // namespace dpfermi::cli
