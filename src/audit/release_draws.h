#pragma once

/// Noise and batches of every kind of release of a run, or of many: sums by their shape and charge,
/// counts, Laplace sums, answers.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "audit/pure_checks.h"
#include "audit/recording.h"

namespace dpfermi {

class ReleaseDraws final : public ReleaseTap {
 public:
  explicit ReleaseDraws(std::uint32_t units) : units_(units) {}

  void on_batch(const TappedBatch& batch) override;
  void on_sum(const TappedSum& sum) override;
  void on_counts(const TappedCounts& counts) override;
  void on_laplace(const TappedLaplace& sums) override;
  void on_responses(const TappedResponses& responses) override;

  /// Draws of the kind that has fewest; 0 where there are none.
  std::size_t fewest() const;

  /// Against what was charged, and against `apart`, which must share nothing with this.
  std::vector<Check> checks(const ReleaseDraws& apart) const;

  /// Recordings of the sums over secret batches, one a kind.
  std::vector<const Recording*> sampled() const;

 private:
  RunRecorder& kind_of(const PrivacyEvent& charged, const ContributionLayout& layout);

  std::uint32_t units_;
  std::map<std::string, RunRecorder> sums_;
  std::map<std::string, std::vector<Recording>> counts_;
  std::map<std::string, LaplaceDraws> laplace_;
  std::map<std::string, Answers> answers_;
};

}  // namespace dpfermi
