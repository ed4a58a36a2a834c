#include "privacy/ledger/choose_budget.h"

#include <fmt/format.h>

#include "core/text.h"

namespace dpfermi::ledger {
namespace {

/// The budget's name: as given, or that of the data's budget, or a new one after the data.
Result<std::string> name_of(const State& state, const BudgetKey& key) {
  if (!key.name.empty()) return key.name;
  if (key.fingerprint.empty()) {
    return usage_error("a charge needs a budget or data to belong to; name a budget");
  }
  const BudgetState* owner = state.find_fingerprint(key.fingerprint);
  return owner != nullptr ? owner->name : fmt::format("data-{:.12}", key.fingerprint);
}

}  // namespace

Result<std::string> choose_budget(Writer& writer, const BudgetKey& key) {
  DPFERMI_ASSIGN(std::string name, name_of(writer.state(), key));
  if (writer.state().find_budget(name) == nullptr) {
    DPFERMI_TRY(writer.add(BudgetCreated{name, key.adjacency}));
  }
  const BudgetState& budget = *writer.state().find_budget(name);
  if (budget.adjacency != key.adjacency) {
    return budget_refused(
        fmt::format("budget '{}' is for adjacency {}, not {}; choose a budget of that adjacency",
                    printable(name), to_string(budget.adjacency), to_string(key.adjacency)));
  }
  if (!key.fingerprint.empty() && key.fingerprint != budget.fingerprint) {
    DPFERMI_TRY(writer.add(BudgetBound{name, key.fingerprint}));
  }
  return name;
}

}  // namespace dpfermi::ledger
