#include "dpfermi/privacy/accountant/tuning.h"

#include <algorithm>
#include <cmath>

#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "dpfermi/privacy/accountant/rdp_accountant.h"
#include "privacy/accountant/order_search.h"

namespace dpfermi {
namespace {

Status check(const RunLaw& law) {
  if (const auto* binomial = std::get_if<NegativeBinomialRuns>(&law)) {
    if (!(binomial->eta > -1) || !(binomial->gamma > 0 && binomial->gamma < 1)) {
      return usage_error("the law of the number of runs needs eta > -1 and 0 < gamma < 1");
    }
  } else if (!(std::get<PoissonRuns>(law).mean > 0)) {
    return usage_error("the mean number of runs must be positive");
  }
  return {};
}

double mean_of(const RunLaw& law) {
  if (const auto* poisson = std::get_if<PoissonRuns>(&law)) return poisson->mean;
  const auto [eta, gamma] = std::get<NegativeBinomialRuns>(law);
  if (std::abs(eta) < 1e-9) return (1 / gamma - 1) / std::log(1 / gamma);
  return eta * (1 - gamma) / (gamma * -std::expm1(eta * std::log(gamma)));
}

}  // namespace

Result<double> expected_runs(const RunLaw& law) {
  DPFERMI_TRY(check(law));
  return mean_of(law);
}

PrivacyEvent plain_search(const PrivacyEvent& event, std::uint64_t runs) {
  return event.times(runs);
}

Result<double> best_of_runs_epsilon(const PrivacyEvent& event, const RunLaw& law, double delta) {
  DPFERMI_TRY(check(law));
  if (!(delta > 0 && delta < 1)) return usage_error("delta must lie in (0, 1)");
  DPFERMI_TRY(renyi_divergence(event, 2));  // refuses what has no divergence
  const auto divergence = [&](double order) { return renyi_divergence(event, order).value(); };
  const double log_mean = std::log(mean_of(law));
  double stopping = 0;  // the part that does not depend on the order
  if (const auto* binomial = std::get_if<NegativeBinomialRuns>(&law)) {
    const double log_rate = std::log(1 / binomial->gamma);
    stopping =
        (1 + binomial->eta) * accountant::smallest_over_orders([&](double order) {
                                return (1 - 1 / order) * divergence(order) + log_rate / order;
                              }).value;
  }
  const auto* poisson = std::get_if<PoissonRuns>(&law);
  const auto total = [&](double order) {
    double extra = stopping;
    if (poisson != nullptr) {
      const auto tail = certified_delta(event, std::log1p(1 / (order - 1)),
                                        {.tolerance = 0.01, .cross_check = false});
      extra = poisson->mean * (tail ? tail->upper : 1.0);
    }
    const double charged = divergence(order) + extra + log_mean / (order - 1);
    return rdp_to_epsilon(std::max(0.0, charged), order, delta);
  };
  return accountant::smallest_over_orders(total).value;
}

}  // namespace dpfermi
