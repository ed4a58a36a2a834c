#pragma once

/// Ledgers, lanes and sums for tests of the mechanisms.

#include <string>
#include <vector>

#include "dpfermi/privacy/ledger.h"
#include "dpfermi/privacy/mechanism/noisy_sum.h"
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

/// For a fixed seed, as the lanes below.
inline ReleasePermit permit(const PrivacyEvent& charged, std::uint64_t count = 1,
                            bool fixed_seed = true) {
  OpenLedger ledger;
  return ledger.charge({"test", charged, count, {}, fixed_seed}).value();
}

/// Both segments of a sum, one after the other.
inline std::vector<double> flat(const NoisySum& sum) {
  std::vector<double> values(sum.segment(0).begin(), sum.segment(0).end());
  values.insert(values.end(), sum.segment(1).begin(), sum.segment(1).end());
  return values;
}

inline NoiseLane lane(std::uint64_t seed, Purpose purpose = Purpose::kGradientNoise) {
  NoiseSource source{ReproducibleSeed::from_number(seed).value()};
  return source.open(purpose).value();
}

inline NoiseLane secret_lane(Purpose purpose = Purpose::kGradientNoise) {
  NoiseSource source{SecretKey::from_os().value()};
  return source.open(purpose).value();
}

}  // namespace dpfermi::testing_support
