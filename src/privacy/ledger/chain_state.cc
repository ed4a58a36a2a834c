#include "privacy/ledger/chain_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "privacy/ledger/hash.h"
#include "privacy/ledger/price_rules.h"

namespace dpfermi {

Amount BudgetState::left_epsilon() const {
  return cap ? cap->epsilon.less(spent_epsilon) : Amount::infinite();
}

Amount BudgetState::left_delta() const {
  return cap ? cap->delta.less(spent_delta) : Amount::infinite();
}

RenyiAmount BudgetState::left_renyi() const {
  return {cap->filter->divergence.less(spent_renyi.divergence),
          cap->filter->failure.less(spent_renyi.failure)};
}

namespace ledger {
namespace {

bool overdrawn(const BudgetState& budget) {
  const BudgetCap& cap = *budget.cap;
  if (!cap.filter) return budget.spent_epsilon > cap.epsilon || budget.spent_delta > cap.delta;
  return budget.spent_epsilon.is_infinite() ||
         budget.spent_renyi.divergence > cap.filter->divergence ||
         budget.spent_renyi.failure > cap.filter->failure;
}

Status check_digest(const std::string& digest) {
  if (digest.size() == kHashDigits && is_hex(digest)) return {};
  return usage_error(fmt::format("'{}' is not a fingerprint; it has {} digits 0-9a-f",
                                 printable(digest), kHashDigits));
}

template <class Map, class Key>
auto* find_or_null(Map& map, const Key& key) {
  const auto found = map.find(key);
  return found == map.end() ? nullptr : &found->second;
}

/// A charge as it begins: in blocks, nothing of it is handed out yet.
PlanState new_plan(std::uint64_t sequence, const Charged& entry) {
  const PrivacyCost cost = {entry.epsilon.to_double(Rounding::kUp),
                            entry.delta.to_double(Rounding::kUp)};
  PlanState plan{sequence, {entry.purpose, entry.parts, cost, entry.fixed_seed}, {}};
  for (const PlannedPart& part : entry.parts) {
    plan.progress.push_back(entry.in_blocks ? PartProgress{}
                                            : PartProgress{part.steps + part.spare, part.steps});
  }
  return plan;
}

}  // namespace

Status check_label(const std::string& text, const char* what) {
  constexpr std::size_t kLongest = 100;
  if (text.empty() || text.size() > kLongest || printable(text, kLongest) != text) {
    return usage_error(
        fmt::format("{} '{}' must be 1 to {} bytes of printable text; choose another", what,
                    printable(text), kLongest));
  }
  return {};
}

const BudgetState* State::find_budget(const std::string& name) const {
  return find_or_null(budgets_, name);
}

const BudgetState* State::find_fingerprint(const std::string& fingerprint) const {
  const std::string* name = find_or_null(budget_of_fingerprint_, fingerprint);
  return name == nullptr ? nullptr : find_budget(*name);
}

const BudgetState* State::find_owner(Adjacency adjacency, const std::string& digest) const {
  const std::vector<std::string>* names = find_or_null(budgets_of_digest_, digest);
  if (names == nullptr) return nullptr;
  for (const std::string& name : *names) {
    const BudgetState& budget = budgets_.at(name);
    if (budget.adjacency == adjacency) return &budget;
  }
  return nullptr;
}

const RunState* State::find_run(const std::string& id) const {
  return find_or_null(runs_, id);
}

const PlanState* State::find_plan(const std::string& run, std::uint64_t charge) const {
  const RunState* owner = find_run(run);
  if (owner == nullptr) return nullptr;
  const auto found = std::ranges::find(owner->plans, charge, &PlanState::id);
  return found == owner->plans.end() ? nullptr : &*found;
}

Result<BudgetState*> State::budget(const std::string& name) {
  BudgetState* found = find_or_null(budgets_, name);
  if (found == nullptr) {
    return failed(
        fmt::format("there is no budget '{}'; see 'dpfermi ledger show'", printable(name)));
  }
  return found;
}

Status State::apply(std::uint64_t sequence, const EntryBody& body) {
  if ((sequence == 1) != std::holds_alternative<LedgerOpened>(body)) {
    return failed("the first entry, and no other, opens a ledger; restore a backup");
  }
  return std::visit([&](const auto& entry) { return take(sequence, entry); }, body);
}

Status State::take(std::uint64_t, const LedgerOpened& entry) {
  key_id_ = entry.key_id;
  format_ = entry.format;
  return {};
}

Status State::take(std::uint64_t, const FormatRaised& entry) {
  if (entry.format <= format_) return failed("does not raise the format; restore a backup");
  format_ = entry.format;
  return {};
}

State::OwnCharge State::own_charge(const Charged& entry) {
  return {{entry.epsilon, entry.delta}, entry.renyi, entry.fixed_seed && !entry.rehearsal};
}

void State::count(const OwnCharge& charge, Adjacency made, BudgetState& budget) {
  const Price price = counted_under(budget.adjacency, made, charge.price);
  budget.spent_epsilon = budget.spent_epsilon + price.epsilon;
  budget.spent_delta = budget.spent_delta + price.delta;
  if (charge.seeded) ++budget.seeded;
  if (!budget.cap || !budget.cap->filter) return;
  const RenyiAmount renyi = charge.renyi && made == budget.adjacency
                                ? *charge.renyi
                                : renyi_of_price(price, budget.cap->filter->order);
  budget.spent_renyi = {budget.spent_renyi.divergence + renyi.divergence,
                        budget.spent_renyi.failure + renyi.failure};
}

void State::count_all(const BudgetState& from, BudgetState& to) const {
  const auto* charges = find_or_null(charges_, from.name);
  if (charges == nullptr) return;
  for (const OwnCharge& charge : *charges) count(charge, from.adjacency, to);
}

RenyiAmount State::renyi_so_far(const BudgetState& budget, const BudgetCap& cap) const {
  BudgetState trial{.name = budget.name, .adjacency = budget.adjacency, .cap = cap};
  count_all(budget, trial);
  for (const std::string& name : budget.relatives) count_all(budgets_.at(name), trial);
  return trial.spent_renyi;
}

Status State::take(std::uint64_t, const BudgetCreated& entry) {
  DPFERMI_TRY(check_label(entry.budget, "the budget's name"));
  if (budgets_.contains(entry.budget)) {
    return usage_error(
        fmt::format("budget '{}' exists already; see 'dpfermi ledger show'", entry.budget));
  }
  budgets_[entry.budget] = {.name = entry.budget, .adjacency = entry.adjacency};
  return {};
}

Status State::take(std::uint64_t, const BudgetCapped& entry) {
  DPFERMI_ASSIGN(BudgetState * target, budget(entry.budget));
  if (target->cap) {
    return budget_refused(fmt::format(
        "budget '{}' is already set to epsilon {}, delta {} and cannot be changed; spend what is "
        "left of it",
        target->name, target->cap->epsilon.text(), target->cap->delta.text()));
  }
  DPFERMI_TRY(check_cap(entry.cap));
  if (target->seeded > 0 && format_ >= kFormat) {
    return budget_refused(fmt::format(
        "{} charges about the data of '{}' have noise of a known seed, which anyone can subtract; "
        "no limit can hold for them",
        target->seeded, target->name));
  }
  BudgetState capped = *target;
  capped.cap = entry.cap;
  if (entry.cap.filter) capped.spent_renyi = renyi_so_far(*target, entry.cap);
  if (overdrawn(capped)) {
    return budget_refused(fmt::format(
        "epsilon {}, delta {} have been spent from '{}' already; a budget cannot be smaller",
        target->spent_epsilon.text(), target->spent_delta.text(), target->name));
  }
  *target = std::move(capped);
  return {};
}

void State::add_digest(const std::string& digest, BudgetState& target) {
  if (std::ranges::find(target.digests, digest) != target.digests.end()) return;
  target.digests.push_back(digest);
  std::vector<std::string>& sharing = budgets_of_digest_[digest];
  for (const std::string& name : sharing) {
    BudgetState& other = budgets_.at(name);
    const auto& known = target.relatives;
    if (other.adjacency == target.adjacency || std::ranges::find(known, name) != known.end()) {
      continue;
    }
    target.relatives.push_back(name);
    other.relatives.push_back(target.name);
    count_all(other, target);
    count_all(target, other);
  }
  sharing.push_back(target.name);
}

Status State::take(std::uint64_t, const BudgetBound& entry) {
  DPFERMI_ASSIGN(BudgetState * target, budget(entry.budget));
  DPFERMI_TRY(check_digest(entry.fingerprint));
  for (const std::string& digest : entry.relatives) DPFERMI_TRY(check_digest(digest));
  const bool again = target->fingerprint == entry.fingerprint && !entry.relatives.empty();
  if (!target->fingerprint.empty() && !again) {
    return budget_refused(fmt::format(
        "budget '{}' belongs to other data (fingerprint {:.12}...); use the budget of these data",
        target->name, target->fingerprint));
  }
  if (const BudgetState* owner = find_fingerprint(entry.fingerprint); owner && !again) {
    return budget_refused(
        fmt::format("these data belong to budget '{}'; charge that one", owner->name));
  }
  target->fingerprint = entry.fingerprint;
  budget_of_fingerprint_[entry.fingerprint] = target->name;
  add_digest(entry.fingerprint, *target);
  for (const std::string& digest : entry.relatives) add_digest(digest, *target);
  return {};
}

Status State::check_limits(const Charged& entry, const BudgetState& target) const {
  const OwnCharge charge = own_charge(entry);
  std::vector<const BudgetState*> all = {&target};
  for (const std::string& name : target.relatives) all.push_back(&budgets_.at(name));
  for (const BudgetState* budget : all) {
    if (!budget->cap) continue;
    if (charge.seeded && format_ >= kFormat) return seed_refusal(*budget);
    BudgetState after = *budget;
    count(charge, target.adjacency, after);
    if (overdrawn(after)) return refusal(entry, target.adjacency, *budget, after);
  }
  return {};
}

Status State::check_charge(const Charged& entry, const BudgetState& target) const {
  DPFERMI_TRY(check_label(entry.purpose, "the purpose"));
  for (const PlannedPart& part : entry.parts) {
    DPFERMI_TRY(check_label(part.purpose, "the purpose of a part"));
  }
  DPFERMI_ASSIGN(const PrivacyEvent event, whole_event(entry.parts));
  if (to_json(event) != entry.event) {
    return failed("states another event than its parts make up; restore a backup");
  }
  DPFERMI_TRY(check_price(entry, event));
  if (event.adjacency() != target.adjacency) {
    return budget_refused(
        fmt::format("budget '{}' is for adjacency {}, not {}; choose a budget of that adjacency",
                    target.name, to_string(target.adjacency), to_string(event.adjacency())));
  }
  if (const RunState* run = find_run(entry.run)) {
    if (run->committed || run->budget != entry.budget) {
      return usage_error(fmt::format(
          "run {} is over or spends from another budget; start a new one", printable(entry.run)));
    }
  }
  DPFERMI_TRY(check_limits(entry, target));
  const Amount epsilon = target.spent_epsilon + entry.epsilon;
  const Amount delta = target.spent_delta + entry.delta;
  if (entry.spent_epsilon != epsilon || entry.spent_delta != delta) {
    return failed(fmt::format(
        "states epsilon {}, delta {} as spent where {}, {} is the sum; "
        "restore a backup",
        entry.spent_epsilon.text(), entry.spent_delta.text(), epsilon.text(), delta.text()));
  }
  return {};
}

Status State::take(std::uint64_t sequence, const Charged& entry) {
  DPFERMI_ASSIGN(BudgetState * target, budget(entry.budget));
  DPFERMI_TRY(check_charge(entry, *target));
  const OwnCharge& charge = charges_[entry.budget].emplace_back(own_charge(entry));
  count(charge, target->adjacency, *target);
  for (const std::string& name : target->relatives) {
    count(charge, target->adjacency, budgets_.at(name));
  }
  ++target->charges;
  const auto [run, is_new] = runs_.try_emplace(entry.run);
  if (is_new) {
    run->second.id = entry.run;
    run->second.budget = entry.budget;
    run->second.rehearsal = entry.rehearsal;
    ++target->open_runs;
  }
  run->second.plans.push_back(new_plan(sequence, entry));
  if (entry.in_blocks) run_of_plan_[sequence] = entry.run;
  return {};
}

Status State::take(std::uint64_t, const Claimed& entry) {
  const std::string* run_id = find_or_null(run_of_plan_, entry.charge);
  if (run_id == nullptr) {
    return usage_error(
        fmt::format("entry {} is not a plan of steps; plan the steps first", entry.charge));
  }
  RunState& run = runs_.at(*run_id);
  if (run.committed) {
    return usage_error(fmt::format("run {} is over; start a new one", run.id));
  }
  PlanState& plan = *std::ranges::find(run.plans, entry.charge, &PlanState::id);
  return plan.claim(entry.part, entry.first, entry.count);
}

Status State::take(std::uint64_t, const Committed& entry) {
  RunState* run = find_or_null(runs_, entry.run);
  if (run == nullptr || run->committed) {
    return usage_error(
        fmt::format("run {} has nothing to commit; charge first", printable(entry.run)));
  }
  run->committed = true;
  --budgets_.at(run->budget).open_runs;
  return {};
}

}  // namespace ledger
}  // namespace dpfermi
