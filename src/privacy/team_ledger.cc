#include "privacy/team_ledger.h"

#include <string>

namespace dpfermi {

Result<std::uint64_t> TeamLedger::plan(const JointPlan& plan) {
  std::uint64_t number = 0;
  if (own_) {
    DPFERMI_ASSIGN(number, own_->plan(plan));
  }
  DPFERMI_TRY(hand_out(*team_, std::span(&number, 1)));
  return number;
}

Result<ReleasePermit> TeamLedger::claim(std::uint64_t plan, std::size_t part, std::uint64_t first,
                                        std::uint64_t count) {
  if (own_) {
    DPFERMI_ASSIGN(ReleasePermit permit, own_->claim(plan, part, first, count));
    bool fixed_seed = permit.reproducibility() == Reproducibility::kReproducible;
    DPFERMI_TRY(hand_out(*team_, std::span(&fixed_seed, 1)));
    DPFERMI_TRY(hand_out(*team_, to_json(permit.event())));
    return permit;
  }
  bool fixed_seed = false;
  DPFERMI_TRY(hand_out(*team_, std::span(&fixed_seed, 1)));
  DPFERMI_ASSIGN(const std::string text, hand_out(*team_, std::string()));
  DPFERMI_ASSIGN(PrivacyEvent event, parse_event(text));
  return grant(std::move(event), count, fixed_seed, tap_);
}

Status TeamLedger::record(const Charge& charge) {
  // What the leader's own ledger grants is left unused: its caller gets one permit, from here.
  if (own_) DPFERMI_TRY(own_->charge(charge));
  return team_->meet();
}

}  // namespace dpfermi
