#pragma once

/// A ledger that remembers nothing once it is gone: for experiments and benchmarks, where each run
/// stands alone and nothing is published about the people in the data. **Nothing is recorded
/// durably, nothing is limited, and runs are not added up.** A run whose outcome leaves the house
/// is charged to a RunLedger (privacy/ledger).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger.h"
#include "dpfermi/random/key.h"
#include "privacy/plan_state.h"

namespace dpfermi {

/// One run, in memory. It follows the same rules as a ledger on disk: no more is handed out than
/// was planned, a committed run is over, a forked child is refused. Not safe to share between
/// threads.
class ResearchLedger final : public StepLedger {
 public:
  ResearchLedger() = default;
  ResearchLedger(ResearchLedger&&) noexcept = default;
  ResearchLedger& operator=(ResearchLedger&&) noexcept = default;
  /// A copy would hand out every step a second time.
  ResearchLedger(const ResearchLedger&) = delete;
  ResearchLedger& operator=(const ResearchLedger&) = delete;
  ~ResearchLedger() override = default;

  Result<std::uint64_t> plan(const JointPlan& plan) override;
  Result<ReleasePermit> claim(std::uint64_t plan, std::size_t part, std::uint64_t first,
                              std::uint64_t count) override;
  Status commit() override;

  /// Everything that was granted, in order: what a privacy statement of this run is made from.
  const std::vector<PlanState>& plans() const { return plans_; }
  const std::vector<Charge>& charges() const { return charges_; }

 protected:
  Status record(const Charge& charge) override;

 private:
  Status check_open() const;

  std::vector<PlanState> plans_;
  std::vector<Charge> charges_;
  bool committed_ = false;
  ForkGuard guard_;
};

}  // namespace dpfermi
