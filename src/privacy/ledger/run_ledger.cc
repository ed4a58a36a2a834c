#include "dpfermi/privacy/ledger/run_ledger.h"

#include <fmt/format.h>

#include <optional>

#include "privacy/ledger/choose_budget.h"
#include "privacy/ledger/composition.h"
#include "privacy/ledger/hash.h"
#include "privacy/ledger/store.h"
#include "privacy/plan_state.h"

namespace dpfermi {
namespace {

using ledger::Charged;
using ledger::State;
using ledger::Writer;

Result<Charged> charge_of(const JointPlan& plan, const PrivacyEvent& whole, bool in_blocks) {
  Charged charged;
  charged.purpose = plan.purpose;
  charged.event = to_json(whole);
  charged.parts = plan.parts;
  charged.in_blocks = in_blocks;
  charged.fixed_seed = plan.fixed_seed;
  DPFERMI_ASSIGN(charged.epsilon, Amount::from(plan.cost.epsilon, Rounding::kUp));
  DPFERMI_ASSIGN(charged.delta, Amount::from(plan.cost.delta, Rounding::kUp));
  return charged;
}

/// What depends on the budget: what it has spent by then, and what its filter counts.
void set_budget(const BudgetState& budget, const PrivacyEvent& whole, double total_variation,
                Charged& charged) {
  charged.budget = budget.name;
  charged.spent_epsilon = budget.spent_epsilon + charged.epsilon;
  charged.spent_delta = budget.spent_delta + charged.delta;
  if (!budget.cap || !budget.cap->filter || charged.epsilon.is_infinite()) return;
  charged.renyi = ledger::renyi_of_event(whole, total_variation, *budget.cap);
}

}  // namespace

Result<RunLedger> RunLedger::start(LedgerFile file, BudgetKey key, bool rehearsal) {
  DPFERMI_ASSIGN(std::string run_id, ledger::random_hex(8));
  return RunLedger(std::move(file), std::move(key), std::move(run_id), rehearsal);
}

Status RunLedger::check(const LedgerFile& file, const BudgetKey& key, const JointPlan& plan,
                        bool rehearsal) {
  DPFERMI_ASSIGN(const PrivacyEvent whole, whole_event(plan.parts));
  DPFERMI_ASSIGN(Charged charged, charge_of(plan, whole, true));
  charged.run = "a run that is planned";
  charged.rehearsal = rehearsal;
  return file.store_->read([&](const State& state, const LedgerHead& head) -> Status {
    State trial = state;
    std::uint64_t number = head.sequence;
    if (trial.format() < ledger::kFormat) {
      DPFERMI_TRY(trial.apply(++number, ledger::FormatRaised{}));
    }
    DPFERMI_ASSIGN(const ledger::BudgetChoice choice, ledger::choose_budget(trial, key));
    for (const ledger::EntryBody& entry : choice.entries) {
      DPFERMI_TRY(trial.apply(++number, entry));
    }
    set_budget(*trial.find_budget(choice.name), whole, plan.cost.total_variation, charged);
    return trial.apply(++number, charged);
  });
}

Result<RunLedger> RunLedger::resume(LedgerFile file, const std::string& run_id,
                                    const LedgerHead& seen) {
  DPFERMI_TRY(file.check_contains(seen));
  DPFERMI_ASSIGN(const RunState run, file.run(run_id));
  if (run.committed) {
    return usage_error(fmt::format("run {} is over; start a new one", run_id));
  }
  DPFERMI_ASSIGN(const std::vector<BudgetState> budgets, file.budgets());
  BudgetKey key;
  for (const BudgetState& budget : budgets) {
    if (budget.name == run.budget) key = {budget.name, budget.adjacency, budget.fingerprint};
  }
  return RunLedger(std::move(file), std::move(key), run_id, run.rehearsal);
}

Result<std::uint64_t> RunLedger::append_charge(const JointPlan& plan, bool in_blocks) {
  DPFERMI_ASSIGN(const PrivacyEvent whole, whole_event(plan.parts));
  DPFERMI_ASSIGN(Charged charged, charge_of(plan, whole, in_blocks));
  charged.run = run_id_;
  charged.rehearsal = rehearsal_;
  std::uint64_t number = 0;
  DPFERMI_TRY(file_.store_->append([&](Writer& writer) -> Status {
    DPFERMI_ASSIGN(const std::string name, ledger::choose_budget(writer, key_));
    set_budget(*writer.state().find_budget(name), whole, plan.cost.total_variation, charged);
    number = writer.next();
    return writer.add(charged);
  }));
  return number;
}

Status RunLedger::record(const Charge& charge) {
  const JointPlan alone = {charge.purpose,
                           {{charge.purpose, charge.event, charge.count}},
                           charge.cost,
                           charge.fixed_seed};
  DPFERMI_TRY(append_charge(alone, false));
  return {};
}

Result<std::uint64_t> RunLedger::plan(const JointPlan& plan) {
  return append_charge(plan, true);
}

Result<ReleasePermit> RunLedger::claim(std::uint64_t plan, std::size_t part, std::uint64_t first,
                                       std::uint64_t count) {
  std::optional<PrivacyEvent> event;
  bool fixed_seed = false;
  DPFERMI_TRY(file_.store_->append([&](Writer& writer) -> Status {
    const PlanState* planned = writer.state().find_plan(run_id_, plan);
    if (planned == nullptr) {
      return usage_error(
          fmt::format("entry {} is not a plan of run {}; plan the steps first", plan, run_id_));
    }
    fixed_seed = planned->plan.fixed_seed;
    Status claimed = writer.add(ledger::Claimed{plan, part, first, count});
    if (claimed) event = planned->plan.parts[part].event;
    return claimed;
  }));
  return grant(std::move(*event), count, fixed_seed);
}

Status RunLedger::commit() {
  return file_.store_->append(
      [&](Writer& writer) { return writer.add(ledger::Committed{run_id_}); });
}

}  // namespace dpfermi
