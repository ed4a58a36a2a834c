#pragma once

/// What a search over hyper-parameters costs when every candidate is a private run.
///
/// Plain composition charges all runs. The random-stopping charge (Papernot and Steinke 2022) is
/// for releasing only the best of K runs, where K is drawn from a stated law and kept secret, every
/// run is the same event, and the score is itself private or computed from public data.

#include <cstdint>
#include <variant>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/event.h"

namespace dpfermi {

/// K >= 1 from the truncated negative binomial law: eta = 1 geometric, eta = 0 logarithmic.
struct NegativeBinomialRuns {
  double eta;    ///< > -1
  double gamma;  ///< in (0, 1)
};

/// K from the Poisson law; K = 0 releases nothing.
struct PoissonRuns {
  double mean;  ///< > 0
};

using RunLaw = std::variant<NegativeBinomialRuns, PoissonRuns>;

/// The mean number of runs.
Result<double> expected_runs(const RunLaw& law);

/// All of `runs` executions of `event`, each visible: the event to charge.
PrivacyEvent plain_search(const PrivacyEvent& event, std::uint64_t runs);

/// Requires: the conditions above; 0 < delta < 1.
/// Ensures: releasing the best of K runs is (epsilon, delta)-DP. By Renyi divergences,
///   D'(a) = D(a) + (1 + eta) min_b [(1 - 1/b) D(b) + ln(1/gamma)/b] + ln E[K]/(a - 1),
///   D'(a) = D(a) + mean * delta(ln(1 + 1/(a-1))) + ln(mean)/(a - 1)   for Poisson.
/// Why: Papernot and Steinke, "Hyperparameter Tuning with Renyi Differential Privacy", Theorems 2
/// and 6.
Result<double> best_of_runs_epsilon(const PrivacyEvent& event, const RunLaw& law, double delta);

}  // namespace dpfermi
