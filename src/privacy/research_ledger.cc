#include "privacy/research_ledger.h"

#include <fmt/format.h>

namespace dpfermi {
namespace {

/// A statement is made from these numbers.
Status check_cost(const PrivacyCost& cost) {
  if (cost.epsilon >= 0 && cost.delta >= 0 && cost.delta <= 1) return {};
  return usage_error(fmt::format("epsilon {}, delta {} is not a price; check the accountant",
                                 cost.epsilon, cost.delta));
}

}  // namespace

Status ResearchLedger::check_open() const {
  if (!guard_.in_same_process()) {
    return failed("the research ledger belongs to the process that forked; make a new one");
  }
  if (committed_) return usage_error("the run is over; start a new one");
  return {};
}

Result<std::uint64_t> ResearchLedger::plan(const JointPlan& plan) {
  DPFERMI_TRY(check_open());
  DPFERMI_TRY(check_cost(plan.cost));
  DPFERMI_TRY(whole_event(plan.parts));
  const std::uint64_t id = plans_.size() + 1;
  plans_.push_back({id, plan, std::vector<PartProgress>(plan.parts.size())});
  return id;
}

Result<ReleasePermit> ResearchLedger::claim(std::uint64_t plan, std::size_t part,
                                            std::uint64_t first, std::uint64_t count) {
  DPFERMI_TRY(check_open());
  if (plan == 0 || plan > plans_.size()) {
    return usage_error(fmt::format("there is no plan {}; plan the steps first", plan));
  }
  PlanState& planned = plans_[plan - 1];
  DPFERMI_TRY(planned.claim(part, first, count));
  return grant(planned.plan.parts[part].event, count, planned.plan.fixed_seed);
}

Status ResearchLedger::commit() {
  DPFERMI_TRY(check_open());
  if (plans_.empty() && charges_.empty()) {
    return usage_error("the run has nothing to commit; charge first");
  }
  committed_ = true;
  return {};
}

Status ResearchLedger::record(const Charge& charge) {
  DPFERMI_TRY(check_open());
  DPFERMI_TRY(check_cost(charge.cost));
  charges_.push_back(charge);
  return {};
}

}  // namespace dpfermi
