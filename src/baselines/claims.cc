#include "baselines/claims.h"

#include <cmath>

#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "privacy/accountant/rdp_accountant.h"

namespace dpfermi {
namespace {

Result<PrivacyEvent> event_of(const std::vector<ClaimedSums>& sums) {
  constexpr Adjacency kTheirs = Adjacency::kAddRemoveRecord;
  Composition all;
  for (const ClaimedSums& each : sums) {
    DPFERMI_ASSIGN(const PrivacyEvent one,
                   each.q < 1
                       ? PrivacyEvent::create(kTheirs, PoissonGaussianRelease{each.q, each.noise})
                       : PrivacyEvent::create(kTheirs, GaussianRelease{each.noise}));
    all.parts.push_back(one.times(each.count));
  }
  return PrivacyEvent::create(kTheirs, std::move(all));
}

}  // namespace

Result<double> renyi_claim(const std::vector<ClaimedSums>& sums, double delta) {
  DPFERMI_ASSIGN(const PrivacyEvent event, event_of(sums));
  DPFERMI_ASSIGN(const RdpEpsilon found, rdp_epsilon(event, delta));
  return found.epsilon;
}

Result<double> pld_claim(const std::vector<ClaimedSums>& sums, double delta) {
  DPFERMI_ASSIGN(const PrivacyEvent event, event_of(sums));
  DPFERMI_ASSIGN(const CertifiedBound bound, certified_epsilon(event, delta));
  return bound.upper;
}

double classical_claim(double noise, double delta) {
  return std::sqrt(2 * std::log(1.25 / delta)) / noise;
}

}  // namespace dpfermi
