#include "privacy/ledger/choose_budget.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"

namespace dpfermi::ledger {
namespace {

/// The budget's name: as given, or that of the data's budget, or a new one after the data.
Result<std::string> name_of(const State& state, const BudgetKey& key) {
  if (!key.name.empty()) return key.name;
  if (key.fingerprint.empty()) {
    return usage_error("a charge needs a budget or data to belong to; name a budget");
  }
  const BudgetState* owner = state.find_owner(key.adjacency, key.fingerprint);
  return owner != nullptr ? owner->name : fmt::format("data-{:.12}", key.fingerprint);
}

bool knows(const BudgetState* budget, const std::string& digest) {
  return budget != nullptr && std::ranges::find(budget->digests, digest) != budget->digests.end();
}

}  // namespace

Result<BudgetChoice> choose_budget(const State& state, const BudgetKey& key) {
  BudgetChoice choice;
  DPFERMI_ASSIGN(choice.name, name_of(state, key));
  const BudgetState* budget = state.find_budget(choice.name);
  if (budget == nullptr) {
    choice.entries.emplace_back(BudgetCreated{choice.name, key.adjacency});
  } else if (budget->adjacency != key.adjacency) {
    return budget_refused(fmt::format(
        "budget '{}' is for adjacency {}, not {}; choose a budget of that adjacency",
        printable(choice.name), to_string(budget->adjacency), to_string(key.adjacency)));
  }
  if (key.fingerprint.empty()) return choice;
  const auto is_known = [&](const std::string& digest) { return knows(budget, digest); };
  if (is_known(key.fingerprint) && std::ranges::all_of(key.relatives, is_known)) return choice;
  BudgetBound bound{choice.name, key.fingerprint, key.relatives};
  if (const BudgetState* owner = state.find_owner(key.adjacency, key.fingerprint);
      owner != nullptr && owner != budget) {
    return budget_refused(
        fmt::format("these data belong to budget '{}'; charge that one", printable(owner->name)));
  }
  const bool tied_elsewhere =
      budget != nullptr && !budget->fingerprint.empty() && budget->fingerprint != key.fingerprint;
  if (tied_elsewhere && (key.part || is_known(key.fingerprint))) {
    // The budget stays tied to its own data and learns these, so that budgets of other adjacencies
    // that know them count what is charged.
    bound.fingerprint = budget->fingerprint;
    bound.relatives.insert(bound.relatives.begin(), key.fingerprint);
  }
  choice.entries.emplace_back(std::move(bound));
  return choice;
}

}  // namespace dpfermi::ledger
