// What releases cost, and what a budget buys: questions and answers as JSON.

#include <cmath>

#include "capi/json_request.h"
#include "capi/request_json.h"
#include "dpfermi/privacy/accountant/calibrate.h"
#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "privacy/statement_json.h"

namespace dpfermi::capi {
namespace {

/// Infinity has no JSON number.
Json number_json(double value) {
  return std::isinf(value) ? Json("inf") : Json(value);
}

PrivacyEvent read_event(JsonRequest& request) {
  const Json* event = request.find("event");
  if (event == nullptr) throw BadJson("give the `event`; docs/accounting.md shows how");
  return value_or_throw(parse_event(event->dump()));
}

/// The parameter of a release that is searched for.
enum class Parameter { kNoise, kRate };

/// `event`, one release or repetitions of one, with `value` instead of its own parameter.
Result<PrivacyEvent> with_parameter(const PrivacyEvent& event, Parameter which, double value) {
  const auto same = [&](PrivacyEvent::Node node) {
    return PrivacyEvent::create(event.adjacency(), std::move(node));
  };
  const bool noise = which == Parameter::kNoise;
  if (const auto* all = std::get_if<Repetition>(&event.node())) {
    DPFERMI_ASSIGN(const PrivacyEvent one, with_parameter(*all->part, which, value));
    return one.times(all->count);
  }
  if (const auto* poisson = std::get_if<PoissonGaussianRelease>(&event.node())) {
    return same(noise ? PoissonGaussianRelease{poisson->q, value}
                      : PoissonGaussianRelease{value, poisson->noise_multiplier});
  }
  if (const auto* revealed = std::get_if<RevealedPoissonGaussianRelease>(&event.node())) {
    return same(noise ? RevealedPoissonGaussianRelease{revealed->q, value}
                      : RevealedPoissonGaussianRelease{value, revealed->sigma_over_distance});
  }
  if (!noise) return usage_error("`find` q: the `event` has no sampling rate");
  if (std::holds_alternative<GaussianRelease>(event.node())) return same(GaussianRelease{value});
  if (std::holds_alternative<LaplaceRelease>(event.node())) return same(LaplaceRelease{value});
  if (const auto* discrete = std::get_if<DiscreteGaussianRelease>(&event.node())) {
    return same(DiscreteGaussianRelease{value, discrete->shifts});
  }
  return usage_error("`find` noise: the `event` must be one release, or repetitions of one");
}

struct Search {
  PrivacyEvent event;
  std::string find = "noise";
  double epsilon = 0, delta = 0;
};

struct Found {
  Json value;
  double epsilon, epsilon_lower;
  PrivacyEvent event;
};

Result<Found> find_parameter(const Search& search, Parameter which) {
  const EventFamily family = [&](double value) {
    return with_parameter(search.event, which, value);
  };
  DPFERMI_TRY(family(1));
  DPFERMI_ASSIGN(const Calibrated found,
                 which == Parameter::kNoise ? calibrate_noise(family, search.epsilon, search.delta)
                                            : calibrate_rate(family, search.epsilon, search.delta));
  DPFERMI_ASSIGN(PrivacyEvent event, family(found.value));
  return Found{found.value, found.epsilon, found.epsilon_lower, std::move(event)};
}

Result<Found> find_steps(const Search& search) {
  PrivacyEvent step = search.event;
  if (const auto* all = std::get_if<Repetition>(&search.event.node())) step = *all->part;
  DPFERMI_ASSIGN(const PrivacyEvent nothing, PrivacyEvent::create(step.adjacency(), Composition{}));
  DPFERMI_ASSIGN(const CalibratedSteps found,
                 calibrate_steps(nothing, step, search.epsilon, search.delta));
  return Found{found.steps, found.epsilon, found.epsilon_lower, step.times(found.steps)};
}

}  // namespace

Result<std::string> account(const std::string& json) {
  struct Question {
    PrivacyEvent event;
    std::optional<double> delta, epsilon;
    double tolerance = PldOptions{}.tolerance;
  };
  DPFERMI_ASSIGN(const Question question, read_request(json, [](JsonRequest& request) {
                   Question made{read_event(request), {}, {}};
                   request.read("delta", made.delta);
                   request.read("epsilon", made.epsilon);
                   request.read("tolerance", made.tolerance);
                   return made;
                 }));
  if (question.delta.has_value() == question.epsilon.has_value()) {
    return usage_error("give either `delta`, to learn epsilon, or `epsilon`, to learn delta");
  }
  if (!(question.tolerance > 0 && question.tolerance <= 1)) {
    return usage_error("`tolerance` must lie in (0, 1]");
  }
  const PldOptions pld{.tolerance = question.tolerance, .relative = true};
  const bool asked_delta = question.delta.has_value();
  DPFERMI_ASSIGN(const CertifiedBound bound,
                 asked_delta ? certified_epsilon(question.event, *question.delta, pld)
                             : certified_delta(question.event, *question.epsilon, pld));
  return json_text({{"lower", number_json(bound.lower)},
                    {"upper", number_json(bound.upper)},
                    {"of", asked_delta ? "epsilon" : "delta"},
                    {"method", bound.method},
                    {"event", json_of(question.event)}});
}

Result<std::string> calibrate(const std::string& json) {
  DPFERMI_ASSIGN(const Search search, read_request(json, [](JsonRequest& request) {
                   Search made{read_event(request)};
                   request.read("find", made.find);
                   request.read("epsilon", made.epsilon);
                   request.read("delta", made.delta);
                   return made;
                 }));
  Result<Found> found = usage_error("`find` takes noise, q or steps");
  if (search.find == "noise") found = find_parameter(search, Parameter::kNoise);
  if (search.find == "q") found = find_parameter(search, Parameter::kRate);
  if (search.find == "steps") found = find_steps(search);
  if (!found) return tl::unexpected(found.error());
  return json_text({{"value", found->value},
                    {"epsilon_upper", number_json(found->epsilon)},
                    {"epsilon_lower", number_json(found->epsilon_lower)},
                    {"event", json_of(found->event)}});
}

}  // namespace dpfermi::capi
