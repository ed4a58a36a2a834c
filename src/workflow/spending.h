#pragma once

/// Where a run's charges go: a budget of a ledger on disk, or nowhere (research).

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "artifact/checkpoint_file.h"
#include "dpfermi/privacy/ledger/run_ledger.h"
#include "workflow/load.h"
#include "workflow/run_outcome.h"

namespace dpfermi {

struct SpendingChoice {
  std::optional<LedgerFile> open;     ///< a ledger that is open already; goes before `ledger`
  std::optional<std::string> ledger;  ///< file; the usual one by default
  std::string budget;                 ///< empty: the budget of the data
  bool research = false;              ///< recorded nowhere

  /// The ledger and its key, whether they are there yet or not: no place for anything else.
  std::vector<std::string> files() const;

  /// Refuses choices that exclude each other.
  Status check() const;

  /// Whether anything was chosen.
  bool given() const { return open || ledger || research || !budget.empty(); }

  /// The ledger file, which need not be there.
  Result<std::filesystem::path> path() const;
};

/// The budget that pays for runs on `table`: the one that was named, or that of the data.
Result<BudgetKey> find_budget(const SpendingChoice& choice, const RereadableFiles& files,
                              const Table& table, const LedgerFile& ledger);

/// That budget as it stands; nothing where the ledger does not know it yet.
Result<std::optional<BudgetState>> find_state(const BudgetKey& key, const LedgerFile& ledger);

class Spending {
 public:
  /// "research: not recorded in a ledger", on everything that comes out of such a run.
  static constexpr const char* kResearch = "research: not recorded in a ledger";

  /// What a statement takes for granted then.
  static constexpr const char* kOnlyRelease =
      "what other releases from the same data tell: this one is research, which no ledger counts";

  /// A new run. Opens the ledger, checks all of it and finds out which data these are; nothing is
  /// charged yet.
  static Result<Spending> start(const SpendingChoice& choice, const RereadableFiles& files,
                                const Table& table);

  /// Goes on with the run of a checkpoint, on the same data.
  static Result<Spending> resume(const SpendingChoice& choice, const Checkpoint& checkpoint,
                                 const PreparedData& data);

  /// For a run that reads nothing protected.
  static Spending unneeded();

  StepLedger& ledger() { return *ledger_; }

  /// The run in the ledger on disk, as it stands now.
  Result<std::optional<LedgerPlace>> place() const;

  Result<ChargeRecord> record() const;

  /// The ledger file; empty where there is none.
  const std::string& path() const { return path_; }

 private:
  explicit Spending(std::unique_ptr<StepLedger> ledger) : ledger_(std::move(ledger)) {}
  static Spending on_disk(RunLedger ledger, std::string path);

  std::unique_ptr<StepLedger> ledger_;
  const RunLedger* run_ = nullptr;  ///< the same, where it is on disk
  std::string path_;
  bool research_ = false;  ///< recorded nowhere, as was asked
};

}  // namespace dpfermi
