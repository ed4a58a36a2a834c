#pragma once

/// What the private baselines have in common: everything that will be released is charged at once,
/// before protected data is read.

#include <cstdint>
#include <vector>

#include "optimize/baseline.h"

namespace dpfermi {

/// The `train` of a baseline that has its own settings: they keep their defaults.
template <class Options, auto kTrain>
Result<TrainingResult> with_defaults(const Dataset& data, const BaselineOptions& options,
                                     StepLedger& ledger, NoiseSource noise,
                                     const TrainingHooks& hooks) {
  return kTrain(data, Options{options}, ledger, std::move(noise), hooks);
}

/// The delta of a run: as asked for, else 1/n^2 with n the number of units.
double delta_of(const BaselineOptions& options, const Dataset& data);

/// For methods whose sums count records: a person with several would be protected less.
Status refuse_persons(const Dataset& data, const std::string& name);

struct ChargedRun {
  std::uint64_t plan = 0;  ///< what StepLedger::claim takes
  PrivacyStatement statement;
};

/// Prices `parts` together at `delta` and charges them. `total_variation` is how far all of these
/// releases may be from their ideal mechanisms (privacy/accountant/price.h). Refused where that
/// costs more than options.epsilon.
Result<ChargedRun> charge_run(std::vector<PlannedPart> parts, const BaselineOptions& options,
                              double delta, double total_variation, const NoiseSource& noise,
                              StepLedger& ledger);

/// One release of pure epsilon, which is all that a run releases: charged as its authors claim it.
struct PureRun {
  double epsilon =
      0;  ///< to release with: a hair less than was asked for, as prices are rounded up
  ReleasePermit permit;
  PrivacyStatement statement;
};
Result<PureRun> charge_pure(const std::string& purpose, const BaselineOptions& options,
                            const NoiseSource& noise, StepLedger& ledger);

}  // namespace dpfermi
