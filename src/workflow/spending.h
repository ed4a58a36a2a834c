#pragma once

/// Where a run's charges go: a budget of a ledger on disk, nowhere (research), or the ledger of a
/// rehearsal.

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "artifact/checkpoint_file.h"
#include "core/team.h"
#include "dpfermi/privacy/ledger/run_ledger.h"
#include "workflow/load.h"
#include "workflow/run_outcome.h"

namespace dpfermi {

struct SpendingChoice {
  /// The ledger of an audit, which goes before all others and is refused on real data. Not owned.
  StepLedger* audit_ledger = nullptr;
  std::optional<LedgerFile> open;     ///< a ledger that is open already; goes before `ledger`
  std::optional<std::string> ledger;  ///< file; the usual one by default
  std::string budget;                 ///< empty: the budget of the data
  bool part_of_budget = false;        ///< see BudgetKey::part; needs a name
  bool research = false;              ///< recorded nowhere
  bool rehearsal = false;             ///< on synthetic data: a limit then allows a fixed seed

  /// The ledger and its key, whether they are there yet or not: no place for anything else.
  std::vector<std::string> files() const;

  /// Refuses choices that exclude each other. `seeded`: the noise has a fixed seed.
  Status check(bool seeded) const;

  /// Whether anything was chosen.
  bool given() const {
    return open || ledger || research || rehearsal || part_of_budget || !budget.empty();
  }

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

  /// The same of a rehearsal.
  static constexpr const char* kRehearsal =
      "the data, which were declared to be synthetic: this is a rehearsal";

  /// A new run. Opens the ledger, checks all of it and finds out which data these are; nothing is
  /// charged yet.
  static Result<Spending> start(const SpendingChoice& choice, const RereadableFiles& files,
                                const Table& table);

  /// The same for the processes of a team: the leader's ledger, and none at the others, which do
  /// not ask whose data these are.
  static Result<Spending> start(const SpendingChoice& choice, const RereadableFiles& files,
                                const Table& table, Team& team);

  /// Goes on with the run of a checkpoint, on the same data.
  static Result<Spending> resume(const SpendingChoice& choice, const Checkpoint& checkpoint,
                                 const PreparedData& data);
  static Result<Spending> resume(const SpendingChoice& choice, const Checkpoint& checkpoint,
                                 const PreparedData& data, Team& team);

  /// For a run that reads nothing protected.
  static Spending unneeded();

  StepLedger& ledger() { return *ledger_; }

  /// The run in the ledger on disk, as it stands now.
  Result<std::optional<LedgerPlace>> place() const;

  /// Says in `statement` where the run was charged, and whether it is a rehearsal.
  Status stamp(PrivacyStatement& statement) const;

  Result<ChargeRecord> record() const;

  /// The ledger file; empty where there is none.
  const std::string& path() const { return path_; }

 private:
  explicit Spending(std::shared_ptr<StepLedger> ledger) : ledger_(std::move(ledger)) {}
  static Spending on_disk(RunLedger ledger, std::string path);
  /// A leader's, or where there is none a follower's.
  static Spending shared(Team& team, std::optional<Spending> own);

  std::shared_ptr<StepLedger> ledger_;
  const RunLedger* run_ = nullptr;  ///< the same, where it is on disk
  std::string path_;
  bool research_ = false;  ///< recorded nowhere, as was asked
};

}  // namespace dpfermi
