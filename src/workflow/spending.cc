#include "workflow/spending.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"
#include "privacy/no_ledger.h"
#include "privacy/plan_state.h"
#include "privacy/research_ledger.h"
#include "privacy/team_ledger.h"

namespace dpfermi {

namespace {

bool knows(const BudgetState& budget, const std::string& digest) {
  return std::ranges::find(budget.digests, digest) != budget.digests.end();
}

/// Whether what is charged about these data counts in a budget of another adjacency too.
bool counts_in(const BudgetKey& key, const BudgetState& budget) {
  return std::ranges::any_of(key.relatives,
                             [&](const std::string& digest) { return knows(budget, digest); });
}

/// A part of the data of a budget without a limit may be a part of those of a budget with one.
Status check_part(const BudgetKey& key, const std::vector<BudgetState>& budgets) {
  const auto named = std::ranges::find(budgets, key.name, &BudgetState::name);
  if (named != budgets.end() && named->cap) return {};
  for (const BudgetState& budget : budgets) {
    if (!budget.cap || counts_in(key, budget)) continue;
    return usage_error(fmt::format(
        "the ledger limits budget '{0}', and nothing says whether these rows, called a part of "
        "budget '{1}' without a limit, are of the same people; spend from '{0}', or set a limit "
        "for '{1}' with 'dpfermi ledger init' if they are others",
        printable(budget.name), printable(key.name)));
  }
  return {};
}

/// Data that no budget knows yet would open one without a limit. Where others have a limit that may
/// be a way past it: the same people under other columns, or a limit that was set and not named.
Status check_named(const BudgetKey& key, const LedgerFile& file) {
  if (!key.name.empty() && !key.part) return {};
  DPFERMI_ASSIGN(const std::vector<BudgetState> budgets, file.budgets());
  const auto owns_data = [&](const BudgetState& budget) {
    return budget.adjacency == key.adjacency && knows(budget, key.fingerprint);
  };
  if (std::ranges::any_of(budgets, owns_data)) return {};
  if (key.part) return check_part(key, budgets);
  for (const BudgetState& budget : budgets) {
    if (!budget.cap || counts_in(key, budget)) continue;
    const std::string name = printable(budget.name);
    if (budget.adjacency != key.adjacency) {
      return usage_error(fmt::format(
          "the ledger limits budget '{}' under adjacency {}, and nothing says whether these are "
          "the "
          "same people; read the table as before with `adjacency` {} to spend from it, or name a "
          "budget of this adjacency with `budget` NAME if they are others",
          name, to_string(budget.adjacency), to_string(budget.adjacency)));
    }
    if (budget.fingerprint.empty()) {
      return usage_error(fmt::format(
          "the ledger has a budget '{0}' with a limit that no data spends from yet; say `budget` "
          "{0} if it is for these data, else name another",
          name));
    }
    return usage_error(fmt::format(
        "the ledger limits budget '{0}', and these columns, persons or lines are not those it "
        "knows; read the table as before to spend from it, or open a budget of their own with "
        "`budget` NAME if these are other people",
        name));
  }
  return {};
}

}  // namespace

Result<BudgetKey> find_budget(const SpendingChoice& choice, const RereadableFiles& files,
                              const Table& table, const LedgerFile& ledger) {
  DPFERMI_ASSIGN(DataDigests digests, fingerprint_files(files, table, ledger));
  BudgetKey key{choice.budget, table.schema.adjacency, std::move(digests.fingerprint),
                std::move(digests.relatives), choice.part_of_budget};
  DPFERMI_TRY(check_named(key, ledger));
  return key;
}

Result<std::optional<BudgetState>> find_state(const BudgetKey& key, const LedgerFile& ledger) {
  DPFERMI_ASSIGN(std::vector<BudgetState> budgets, ledger.budgets());
  const auto found = std::ranges::find_if(budgets, [&](const BudgetState& budget) {
    return key.name.empty() ? budget.fingerprint == key.fingerprint : budget.name == key.name;
  });
  if (found == budgets.end()) return std::nullopt;
  return std::move(*found);
}

std::vector<std::string> SpendingChoice::files() const {
  const auto file = path();
  if (research || !file) return {};
  return {file->string(), file->string() + ".key"};
}

Result<std::filesystem::path> SpendingChoice::path() const {
  if (open) return open->path();
  return ledger_path(ledger);
}

Status SpendingChoice::check(bool seeded) const {
  if (research && (ledger || !budget.empty() || rehearsal)) {
    return usage_error(
        "`research` records no charge; leave out `ledger`, `budget` and `rehearsal`");
  }
  if (part_of_budget && budget.empty()) {
    return usage_error("`part_of_budget` says which rows `budget` is about; name a `budget`");
  }
  if (rehearsal && !seeded) {
    return usage_error(
        "a `rehearsal` on synthetic data allows a `seed` on a budget with a limit; give a `seed`, "
        "or "
        "leave it out");
  }
  return {};
}

Spending Spending::on_disk(RunLedger ledger, std::string path) {
  auto owned = std::make_unique<RunLedger>(std::move(ledger));
  const RunLedger* run = owned.get();
  Spending spending(std::move(owned));
  spending.run_ = run;
  spending.path_ = std::move(path);
  return spending;
}

Spending Spending::unneeded() {
  return Spending(std::make_unique<NoLedger>());
}

Result<Spending> Spending::start(const SpendingChoice& choice, const RereadableFiles& files,
                                 const Table& table) {
  if (choice.audit_ledger != nullptr) {
    if (table.groups.invented() == Invented::kNothing) {
      return usage_error("an audit takes synthetic data only; make up the protected values");
    }
    return Spending(std::shared_ptr<StepLedger>(choice.audit_ledger, [](StepLedger*) {}));
  }
  if (choice.research) {
    files.release();
    Spending spending(std::make_unique<ResearchLedger>());
    spending.research_ = true;
    return spending;
  }
  DPFERMI_ASSIGN(const auto path, choice.path());
  DPFERMI_ASSIGN(LedgerFile file,
                 choice.open ? Result<LedgerFile>(*choice.open) : LedgerFile::open_or_create(path));
  DPFERMI_ASSIGN(BudgetKey key, find_budget(choice, files, table, file));
  DPFERMI_ASSIGN(RunLedger run,
                 RunLedger::start(std::move(file), std::move(key), choice.rehearsal));
  return on_disk(std::move(run), path.string());
}

Result<Spending> Spending::resume(const SpendingChoice& choice, const Checkpoint& checkpoint,
                                  const PreparedData& data) {
  if (choice.research || !checkpoint.ledger) {
    return usage_error("a research run cannot be taken up again; start a new one");
  }
  DPFERMI_ASSIGN(const auto path, choice.path());
  DPFERMI_ASSIGN(LedgerFile file,
                 choice.open ? Result<LedgerFile>(*choice.open) : LedgerFile::open(path));
  const auto& [run_id, head] = *checkpoint.ledger;
  DPFERMI_TRY(file.check_contains(head));
  DPFERMI_ASSIGN(const RunState state, file.run(run_id));
  if (!choice.budget.empty() && choice.budget != state.budget) {
    return usage_error(fmt::format("run {} spends from budget '{}', not '{}'; leave out `budget`",
                                   run_id, printable(state.budget), printable(choice.budget)));
  }
  DPFERMI_ASSIGN(const DataDigests digests, fingerprint_files(data.files, data.table, file));
  DPFERMI_ASSIGN(const std::vector<BudgetState> budgets, file.budgets());
  const auto budget = std::ranges::find(budgets, state.budget, &BudgetState::name);
  if (budget == budgets.end() || budget->fingerprint != digests.fingerprint) {
    return usage_error(
        fmt::format("run {} was started on other data; give it the same table", run_id));
  }
  DPFERMI_ASSIGN(RunLedger run, RunLedger::resume(std::move(file), run_id, head));
  return on_disk(std::move(run), path.string());
}

Spending Spending::shared(Team& team, std::optional<Spending> own) {
  if (!own) return Spending(std::make_shared<TeamLedger>(team, nullptr));
  if (team.size() > 1) own->ledger_ = std::make_shared<TeamLedger>(team, std::move(own->ledger_));
  return *std::move(own);
}

Result<Spending> Spending::start(const SpendingChoice& choice, const RereadableFiles& files,
                                 const Table& table, Team& team) {
  std::optional<Spending> own;
  if (team.leads()) {
    DPFERMI_ASSIGN(own, start(choice, files, table));
  } else {
    files.release();
  }
  return shared(team, std::move(own));
}

Result<Spending> Spending::resume(const SpendingChoice& choice, const Checkpoint& checkpoint,
                                  const PreparedData& data, Team& team) {
  std::optional<Spending> own;
  if (team.leads()) {
    DPFERMI_ASSIGN(own, resume(choice, checkpoint, data));
  } else {
    data.files.release();
  }
  return shared(team, std::move(own));
}

Result<std::optional<LedgerPlace>> Spending::place() const {
  if (run_ == nullptr) return std::nullopt;
  DPFERMI_ASSIGN(LedgerHead head, run_->head());
  return LedgerPlace{run_->run_id(), std::move(head)};
}

Status Spending::stamp(PrivacyStatement& statement) const {
  if (run_ == nullptr) return {};
  if (run_->rehearsal()) statement.assumptions.emplace_back(kRehearsal);
  DPFERMI_ASSIGN(statement.recorded, place());
  return {};
}

Result<ChargeRecord> Spending::record() const {
  DPFERMI_ASSIGN(std::optional<LedgerPlace> at, place());
  return ChargeRecord{research_, path_, std::move(at)};
}

}  // namespace dpfermi
