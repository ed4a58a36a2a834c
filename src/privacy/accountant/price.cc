#include "dpfermi/privacy/accountant/price.h"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include "dpfermi/privacy/accountant/pld_accountant.h"

namespace dpfermi {
namespace {

/// Answers of the accountant that were given before: sweeps and audits price one plan thousands of
/// times, and an answer depends on nothing but the question.
class PriceMemory {
 public:
  Result<double> epsilon(const PrivacyEvent& whole, double delta) {
    constexpr double kTolerance = 1e-4;  // what was calibrated to a budget must fit it
    constexpr std::size_t kMost = 256;
    std::pair<std::string, double> question(to_json(whole), delta);
    {
      const std::scoped_lock lock(mutex_);
      if (const auto found = answers_.find(question); found != answers_.end()) {
        return found->second;
      }
    }
    DPFERMI_ASSIGN(const CertifiedBound bound,
                   certified_epsilon(whole, delta, {.tolerance = kTolerance}));
    const std::scoped_lock lock(mutex_);
    if (answers_.size() >= kMost) answers_.clear();
    answers_[std::move(question)] = bound.upper;
    return bound.upper;
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, double>, double> answers_;
};

Result<PrivacyCost> certified_cost(const PrivacyEvent& whole, double delta,
                                   double total_variation) {
  constexpr double kSetAside = 1e-6;
  static PriceMemory memory;
  const double for_sampler = kSetAside * delta;
  DPFERMI_ASSIGN(const double upper, memory.epsilon(whole, (1 - 2 * kSetAside) * delta));
  const double epsilon = std::nextafter(upper, std::numeric_limits<double>::infinity());
  // Written so that an infinite epsilon, or a NaN, does not pass for a small surcharge.
  const bool affordable = total_variation == 0 || std::isinf(epsilon) ||
                          (1 + std::exp(epsilon)) * total_variation <= for_sampler;
  if (!affordable) {
    return usage_error(
        fmt::format("delta {} is too small for the precision of the noise at epsilon {:.3g}; use a "
                    "larger delta "
                    "or a smaller epsilon",
                    delta, epsilon));
  }
  return PrivacyCost{epsilon, delta, total_variation};
}

}  // namespace

Result<Charge> priced_charge(std::string purpose, const PrivacyEvent& event, std::uint64_t count,
                             double delta, double total_variation) {
  DPFERMI_ASSIGN(const PrivacyCost cost,
                 certified_cost(event.times(count), delta, total_variation));
  return Charge{std::move(purpose), event, count, cost};
}

Result<JointPlan> priced_plan(JointPlan plan, double delta, double total_variation) {
  DPFERMI_ASSIGN(const PrivacyEvent whole, whole_event(plan.parts));
  DPFERMI_ASSIGN(plan.cost, certified_cost(whole, delta, total_variation));
  return plan;
}

}  // namespace dpfermi
