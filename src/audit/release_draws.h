#pragma once

/// Noise and batches of every kind of release of a run, or of many: sums by their shape and charge,
/// counts, Laplace sums, answers.

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "audit/pure_checks.h"
#include "audit/recording.h"
#include "privacy/plan_state.h"

namespace dpfermi {

class ReleaseDraws final : public ReleaseTap {
 public:
  explicit ReleaseDraws(const Dataset& data)
      : units_(static_cast<std::uint32_t>(data.unit_count)) {}

  /// What comes now is of another run.
  void begin_run() { ++run_; }

  /// Calls kinds of releases as the plans that were charged call them.
  void name_kinds(const std::vector<PlanState>& plans);

  void on_batch(const TappedBatch& batch) override;
  void on_sum(const TappedSum& sum) override;
  void on_counts(const TappedCounts& counts) override;
  void on_laplace(const TappedLaplace& sums) override;
  void on_responses(const TappedResponses& responses) override;

  /// Draws of the kind that has fewest; 0 where there are none.
  std::size_t fewest() const;
  /// Entries of all sums of one run, on average.
  std::size_t entries_a_run() const;

  /// Every kind against what was charged, and kinds against each other.
  std::vector<Check> checks() const;

  /// Kinds that `apart` has as well, which must share nothing with it.
  std::vector<Check> checks_against(const ReleaseDraws& apart) const;

  /// Recordings of all sums, one a kind; of those over secret batches.
  std::vector<const Recording*> recordings() const;
  std::vector<const Recording*> sampled() const;

 private:
  RunRecorder& kind_of(const PrivacyEvent& charged, const ContributionLayout& layout);
  /// Adds checks of a kind, whose name goes into their notes.
  void append_named(const std::string& kind, std::vector<Check> own,
                    std::vector<Check>& checks) const;

  std::uint32_t units_;
  std::size_t run_ = 0;
  std::map<std::string, std::string> names_;  ///< of charges
  std::map<std::string, RunRecorder> sums_;   ///< by charge and shape
  std::map<std::string, CountsRecording> counts_;
  std::map<std::string, LaplaceDraws> laplace_;
  std::map<std::string, Answers> answers_;
};

/// No noise is used twice in any of them, whatever its kind.
Check repetition_check(std::span<const ReleaseDraws* const> draws);

}  // namespace dpfermi
