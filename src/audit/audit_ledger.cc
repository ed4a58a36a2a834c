#include "audit/audit_ledger.h"

#include <fmt/format.h>

namespace dpfermi {

Result<std::uint64_t> AuditLedger::plan(const JointPlan& plan) {
  DPFERMI_TRY(whole_event(plan.parts));
  const std::uint64_t id = plans_.size() + 1;
  plans_.push_back({id, plan, std::vector<PartProgress>(plan.parts.size())});
  return id;
}

Result<ReleasePermit> AuditLedger::claim(std::uint64_t plan, std::size_t part, std::uint64_t first,
                                         std::uint64_t count) {
  if (plan == 0 || plan > plans_.size()) {
    return usage_error(fmt::format("there is no plan {}; plan the steps first", plan));
  }
  PlanState& planned = plans_[plan - 1];
  DPFERMI_TRY(planned.claim(part, first, count));
  claims_.push_back({plan, part, first, count});
  return grant(planned.plan.parts[part].event, count, planned.plan.fixed_seed, tap_);
}

Status AuditLedger::record(const Charge& charge) {
  DPFERMI_ASSIGN(const std::uint64_t id, plan({charge.purpose,
                                               {{charge.purpose, charge.event, charge.count, 0}},
                                               charge.cost,
                                               charge.fixed_seed}));
  DPFERMI_TRY(plans_.back().claim(0, 0, charge.count));
  // What is read without noise passes no mechanism.
  if (!std::holds_alternative<ExactRelease>(charge.event.node())) {
    claims_.push_back({id, 0, 0, charge.count});
  }
  return {};
}

}  // namespace dpfermi
