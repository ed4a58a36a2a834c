#pragma once

/// Ledgers and lanes for tests of the mechanisms.

#include <string>
#include <vector>

#include "dpfermi/privacy/ledger.h"
#include "dpfermi/random/noise_source.h"

namespace dpfermi::testing_support {

/// Grants everything and remembers it.
class OpenLedger : public Ledger {
 public:
  std::vector<Charge> charges;

 protected:
  Status record(const Charge& charge) override {
    charges.push_back(charge);
    return {};
  }
};

inline PrivacyEvent event(Adjacency adjacency, PrivacyEvent::Node node) {
  return PrivacyEvent::create(adjacency, std::move(node)).value();
}

inline ReleasePermit permit(const PrivacyEvent& charged, std::uint64_t count = 1) {
  OpenLedger ledger;
  return ledger.charge({"test", charged, count}).value();
}

inline NoiseLane lane(std::uint64_t seed, Purpose purpose = Purpose::kGradientNoise) {
  NoiseSource source{ReproducibleSeed::from_number(seed).value()};
  return source.open(purpose).value();
}

}  // namespace dpfermi::testing_support
