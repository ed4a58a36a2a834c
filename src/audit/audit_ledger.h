#pragma once

/// The ledger of a rehearsal: it follows the rules of every StepLedger, and hands out permits that
/// are watched. They are refused on anything but synthetic data (ReleasePermit::check_tap).

#include <cstddef>
#include <cstdint>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger.h"
#include "privacy/mechanism/release_tap.h"
#include "privacy/plan_state.h"

namespace dpfermi {

class AuditLedger final : public StepLedger {
 public:
  /// What claim() was asked for and granted.
  struct Claim {
    std::uint64_t plan;
    std::size_t part;
    std::uint64_t first;
    std::uint64_t count;
    bool operator==(const Claim&) const = default;
  };

  /// `tap` sees every release and has to outlive the run.
  explicit AuditLedger(ReleaseTap& tap) : tap_(&tap) {}

  Result<std::uint64_t> plan(const JointPlan& plan) override;
  Result<ReleasePermit> claim(std::uint64_t plan, std::size_t part, std::uint64_t first,
                              std::uint64_t count) override;
  Status commit() override { return {}; }

  const std::vector<PlanState>& plans() const { return plans_; }
  const std::vector<Claim>& claims() const { return claims_; }

 protected:
  /// A charge outside a plan is kept as a plan of one part, all of it claimed (an exact release
  /// has no permit for a mechanism).
  Status record(const Charge& charge) override;
  ReleaseTap* tap() const override { return tap_; }

 private:
  ReleaseTap* tap_;
  std::vector<PlanState> plans_;
  std::vector<Claim> claims_;
};

}  // namespace dpfermi
