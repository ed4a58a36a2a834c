// The accountant as a WebAssembly module, for the browser of a reader who checks a statement. Only
// numbers cross its border: a page adds events from the leaves up, as in postfix notation, asks,
// and reads the bounds. docs/accounting.md says why they stay certified there.

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "privacy/accountant/stated_cost.h"

namespace dpfermi {
namespace {

/// One question at a time.
struct Question {
  Adjacency adjacency = Adjacency::kSensitive;
  std::vector<std::int64_t> shifts;  ///< of the discrete Gaussian that comes next
  std::vector<PrivacyEvent> events;  ///< those that are not yet part of another
  std::string problem;               ///< the first thing that went wrong
  double lower = 0;
  double upper = 0;
};

Question& question() {
  static Question only;
  return only;
}

void refuse(std::string why) {
  if (question().problem.empty()) question().problem = std::move(why);
}

void add(PrivacyEvent::Node node) {
  auto event = PrivacyEvent::create(question().adjacency, std::move(node));
  if (event) {
    question().events.push_back(std::move(*event));
  } else {
    refuse(std::move(event).error().message);
  }
}

/// A whole number as pages have it; 0 after a complaint.
std::int64_t whole(double value) {
  constexpr double kMostExact = 9007199254740992.0;  // beyond 2^53 it may have been rounded
  if (value == std::floor(value) && std::abs(value) <= kMostExact) {
    return static_cast<std::int64_t>(value);
  }
  refuse("counts and shifts are whole numbers up to 2^53");
  return 0;
}

/// Takes the last `parts` events off the list, or complains.
std::vector<PrivacyEvent> take(std::size_t parts) {
  std::vector<PrivacyEvent>& events = question().events;
  if (parts > events.size()) {
    refuse("the event is not complete");
    return {};
  }
  const auto first = events.end() - static_cast<std::ptrdiff_t>(parts);
  std::vector<PrivacyEvent> taken(first, events.end());
  events.erase(first, events.end());
  return taken;
}

/// The event that was built; nothing after a complaint.
const PrivacyEvent* whole_event() {
  if (question().events.size() != 1) refuse("the event is not complete");
  return question().problem.empty() ? &question().events.front() : nullptr;
}

}  // namespace
}  // namespace dpfermi

using namespace dpfermi;

extern "C" {

/// What runs when a thread ends: the only one never does.
int __cxa_thread_atexit(void (*)(void*), void*, void*) {
  return 0;
}

/// Starts a question; `adjacency` as numbered in dpfermi/privacy/adjacency.h.
[[clang::export_name("begin")]] void begin_question(unsigned adjacency) {
  question() = {};
  if (adjacency > static_cast<unsigned>(Adjacency::kAddRemoveRecord)) refuse("unknown adjacency");
  question().adjacency = static_cast<Adjacency>(adjacency);
}

[[clang::export_name("gaussian")]] void add_gaussian(double sigma_over_distance) {
  add(GaussianRelease{sigma_over_distance});
}

[[clang::export_name("laplace")]] void add_laplace(double scale_over_distance) {
  add(LaplaceRelease{scale_over_distance});
}

[[clang::export_name("shift")]] void add_shift(double shift) {
  question().shifts.push_back(whole(shift));
}

[[clang::export_name("discrete_gaussian")]] void add_discrete_gaussian(double sigma) {
  add(DiscreteGaussianRelease{sigma, std::exchange(question().shifts, {})});
}

[[clang::export_name("poisson_gaussian")]] void add_poisson_gaussian(double q, double multiplier) {
  add(PoissonGaussianRelease{q, multiplier});
}

[[clang::export_name("revealed_poisson_gaussian")]] void add_revealed(double q, double sigma) {
  add(RevealedPoissonGaussianRelease{q, sigma});
}

[[clang::export_name("pure")]] void add_pure(double epsilon) {
  add(PureRelease{epsilon});
}

[[clang::export_name("exact")]] void add_exact() {
  add(ExactRelease{});
}

/// The last `parts` events become one.
[[clang::export_name("composition")]] void compose(double parts) {
  add(Composition{take(static_cast<std::size_t>(whole(parts)))});
}

/// The last event happens `count` times.
[[clang::export_name("repetition")]] void repeat(double count) {
  for (const PrivacyEvent& part : take(1)) {
    question().events.push_back(part.times(static_cast<std::uint64_t>(whole(count))));
  }
}

/// Certified epsilon at `delta`, as dpfermi account answers. False: see problem().
[[clang::export_name("epsilon")]] bool ask_epsilon(double delta) {
  const PrivacyEvent* event = whole_event();
  if (event == nullptr) return false;
  const auto bound = certified_epsilon(*event, delta, {.relative = true});
  if (!bound) {
    refuse(bound.error().message);
    return false;
  }
  question().lower = bound->lower;
  question().upper = bound->upper;
  return true;
}

/// 1: the stated epsilon covers what the events cost, which upper() returns, as dpfermi verify
/// compares them. 0: it does not. -1: see problem().
[[clang::export_name("covers")]] int ask_covers(double stated_epsilon, double delta) {
  const PrivacyEvent* event = whole_event();
  if (event == nullptr) return -1;
  const auto cost = check_stated_cost(*event, stated_epsilon, delta);
  if (!cost) {
    refuse(cost.error().message);
    return -1;
  }
  question().upper = cost->epsilon;
  return cost->covers ? 1 : 0;
}

[[clang::export_name("lower")]] double answer_lower() {
  return question().lower;
}

[[clang::export_name("upper")]] double answer_upper() {
  return question().upper;
}

/// A text that ends with a zero byte; empty: nothing went wrong.
[[clang::export_name("problem")]] const char* answer_problem() {
  return question().problem.c_str();
}

}  // extern "C"
