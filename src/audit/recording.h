#pragma once

/// The noise and the batches of one watched run, beside what the ledger was told about them.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "audit/rehearsal.h"
#include "data/dataset.h"
#include "dpfermi/core/result.h"
#include "dpfermi/random/noise_source.h"
#include "optimize/training.h"
#include "privacy/mechanism/release_tap.h"

namespace dpfermi {

/// Rate and noise multiplier of a Gaussian release as they were charged: what the auditor holds the
/// mechanism to, whatever the mechanism believes. A release without sampling has q = 1.
struct ChargedStep {
  double q = 1;
  double noise_multiplier = 0;
};
ChargedStep charged_step(const PrivacyEvent& event);

struct Recording {
  std::uint32_t units = 0;
  ChargedStep charged;                ///< of the steps
  double lattice = 0;                 ///< integers in a contribution of norm 1
  std::vector<std::size_t> segments;  ///< sizes
  /// Of every release, noisy minus exact. Where a run has releases of several shapes (a sketch and
  /// its queries), those of the last one.
  std::vector<std::vector<std::int64_t>> noise;
  std::vector<std::vector<std::uint32_t>> batches;  ///< of every release, ascending
  double counts_sigma = 0;                          ///< as charged
  std::vector<std::int64_t> counts_noise;

  /// Standard deviation that the noise of the steps is claimed to have.
  double sigma() const { return charged.noise_multiplier * lattice; }
};

class RunRecorder : public ReleaseTap {
 public:
  explicit RunRecorder(std::uint32_t units) { recording_.units = units; }

  void on_batch(const TappedBatch& batch) override;
  void on_sum(const TappedSum& sum) override;
  void on_counts(const TappedCounts& counts) override;

  const Recording& recording() const { return recording_; }

 private:
  Recording recording_;
};

/// Runs `plan` on invented data, with this noise, and records it.
Result<Recording> record_run(const Dataset& data, const TrainingPlan& plan, NoiseSource noise,
                             const NetworkFor& network = {});

}  // namespace dpfermi
