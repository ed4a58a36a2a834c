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

/// A Gaussian release as it was charged: what the auditor holds the mechanism to. A release without
/// sampling has q = 1; its charge names sigma over the distance of neighbours' sums, so the
/// mechanism's own noise multiplier shows which distance was claimed, and T0 compares that with the
/// sums.
struct ChargedStep {
  double q = 1;
  double noise_multiplier = 0;
  double distance = 0;  ///< of neighbours' sums, in units of the longest contribution
};
ChargedStep charged_step(const PrivacyEvent& event, double noise_multiplier);

/// Gaussian sums of one kind: one charge, one shape. Several runs may be in it.
struct Recording {
  std::uint32_t units = 0;
  ChargedStep charged;                              ///< of one release
  double lattice = 0;                               ///< integers in a contribution of norm 1
  std::vector<std::size_t> segments;                ///< sizes
  std::vector<std::vector<std::int64_t>> noise;     ///< of every release, noisy minus exact
  std::vector<std::size_t> runs;                    ///< of every release, which run made it
  std::vector<std::vector<std::uint32_t>> batches;  ///< of every release, ascending

  /// Standard deviation that the noise is claimed to have.
  double sigma() const { return charged.noise_multiplier * lattice; }
};

/// Tables of counts of one kind.
struct CountsRecording {
  double sigma = 0;                              ///< as charged
  std::vector<std::vector<std::int64_t>> noise;  ///< of every table
  std::vector<std::size_t> runs;                 ///< of every table
};

/// Records the sums of runs that make sums of one kind; ReleaseDraws separates the kinds.
class RunRecorder : public ReleaseTap {
 public:
  explicit RunRecorder(std::uint32_t units) { recording_.units = units; }

  void on_batch(const TappedBatch& batch) override;
  void on_sum(const TappedSum& sum) override;

  /// What comes now is of this run.
  void set_run(std::size_t run) { run_ = run; }

  const Recording& recording() const { return recording_; }

 private:
  Recording recording_;
  std::size_t run_ = 0;
};

}  // namespace dpfermi
