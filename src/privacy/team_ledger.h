#pragma once

/// The ledger of a run of several processes. The leader's is the one that records; every other
/// process is granted a permit once the leader has been, and its releases are those of the leader.

#include <cstdint>
#include <memory>

#include "core/team.h"
#include "dpfermi/privacy/ledger.h"

namespace dpfermi {

class TeamLedger final : public StepLedger {
 public:
  /// `own`: the leader's ledger; null at every other process. `tap`: who watches this process in a
  /// rehearsal; null in a real run.
  TeamLedger(Team& team, std::shared_ptr<StepLedger> own, ReleaseTap* tap = nullptr)
      : team_(&team), own_(std::move(own)), tap_(tap) {}

  Result<std::uint64_t> plan(const JointPlan& plan) override;
  Result<ReleasePermit> claim(std::uint64_t plan, std::size_t part, std::uint64_t first,
                              std::uint64_t count) override;
  /// At the other processes nothing is left to do.
  Status commit() override { return own_ ? own_->commit() : Status(); }

 protected:
  Status record(const Charge& charge) override;
  ReleaseTap* tap() const override { return tap_; }

 private:
  Team* team_;
  std::shared_ptr<StepLedger> own_;
  ReleaseTap* tap_;
};

}  // namespace dpfermi
