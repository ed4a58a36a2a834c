#include "dpfermi/privacy/ledger/ledger_file.h"

#include <fmt/format.h>

#include "core/text.h"
#include "privacy/ledger/composition.h"
#include "privacy/ledger/hash.h"
#include "privacy/ledger/key_file.h"
#include "privacy/ledger/price_rules.h"
#include "privacy/ledger/store.h"

namespace dpfermi {

using ledger::State;
using ledger::Store;
using ledger::Writer;

Result<LedgerFile> LedgerFile::open(const std::filesystem::path& path, LedgerOptions options) {
  DPFERMI_ASSIGN(std::shared_ptr<Store> store, Store::open(path, std::move(options), false));
  return LedgerFile(std::move(store));
}

Result<LedgerFile> LedgerFile::open_or_create(const std::filesystem::path& path,
                                              LedgerOptions options) {
  DPFERMI_ASSIGN(std::shared_ptr<Store> store, Store::open(path, std::move(options), true));
  return LedgerFile(std::move(store));
}

Status LedgerFile::init_budget(const BudgetKey& key, const BudgetCap& cap) {
  if (key.name.empty()) return usage_error("a budget needs a name; give one");
  return store_->append([&](Writer& writer) -> Status {
    DPFERMI_ASSIGN(std::string name, ledger::choose_budget(writer, key));
    return writer.add(ledger::BudgetCapped{std::move(name), cap});
  });
}

Result<BudgetCap> with_renyi_filter(BudgetCap cap, const std::optional<Amount>& order) {
  DPFERMI_TRY(ledger::check_cap(cap));
  DPFERMI_ASSIGN(cap.filter, ledger::make_filter(cap, order));
  return cap;
}

std::filesystem::path LedgerFile::path() const {
  return store_->path();
}

Result<std::vector<BudgetState>> LedgerFile::budgets() const {
  std::vector<BudgetState> budgets;
  DPFERMI_TRY(store_->read([&](const State& state, const LedgerHead&) -> Status {
    for (const auto& [name, budget] : state.budgets()) budgets.push_back(budget);
    return {};
  }));
  return budgets;
}

Result<RunState> LedgerFile::run(const std::string& run_id) const {
  RunState run;
  DPFERMI_TRY(store_->read([&](const State& state, const LedgerHead&) -> Status {
    const RunState* found = state.find_run(run_id);
    if (found == nullptr) {
      return failed(fmt::format("{}: there is no run '{}'; name the ledger that it was charged to",
                                store_->path().string(), printable(run_id)));
    }
    run = *found;
    return {};
  }));
  return run;
}

Result<LedgerHead> LedgerFile::head() const {
  LedgerHead head;
  DPFERMI_TRY(store_->read([&](const State&, const LedgerHead& now) -> Status {
    head = now;
    return {};
  }));
  return head;
}

Status LedgerFile::check_contains(const LedgerHead& seen) const {
  bool found = false;
  DPFERMI_TRY(for_each_entry([&](const LedgerEntry& entry) -> Status {
    found = found || (entry.sequence == seen.sequence && entry.hash == seen.hash);
    return {};
  }));
  if (!found) {
    return failed(
        fmt::format("{}: entry {} that was seen earlier is not in this ledger, which is "
                    "another one or an old copy; restore the newest",
                    store_->path().string(), seen.sequence));
  }
  return {};
}

Status LedgerFile::for_each_entry(const std::function<Status(const LedgerEntry&)>& visit) const {
  return store_->read(
      [&](const State&, const LedgerHead&) { return store_->for_each_row(1, visit); });
}

Result<std::string> LedgerFile::secret_key() const {
  std::string id;
  DPFERMI_TRY(store_->read([&](const State& state, const LedgerHead&) -> Status {
    id = state.key_id();
    return {};
  }));
  return ledger::read_key(store_->path(), id);
}

Result<std::string> LedgerFile::sealed(const std::string& digest) const {
  DPFERMI_ASSIGN(const std::string key, secret_key());
  return ledger::hmac_sha256(key, ledger::from_hex(digest));
}

}  // namespace dpfermi
