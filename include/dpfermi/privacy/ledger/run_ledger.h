#pragma once

/// The spending of one run, from one budget of a ledger on disk. The order is always the same:
/// charge, durable on disk, touch the data, commit. A run that dies stays charged in full.

#include <cstddef>
#include <cstdint>
#include <string>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger.h"
#include "dpfermi/privacy/ledger/budget.h"
#include "dpfermi/privacy/ledger/ledger_file.h"

namespace dpfermi {

class RunLedger final : public StepLedger {
 public:
  /// A new run. Nothing is written before its first charge. A `rehearsal` is on synthetic data, as
  /// the caller declares: with a fixed seed it may spend from a budget with a limit.
  static Result<RunLedger> start(LedgerFile file, BudgetKey key, bool rehearsal = false);

  /// Whether the ledger would take the charge of `plan` as it stands now. Nothing is written.
  static Status check(const LedgerFile& file, const BudgetKey& key, const JointPlan& plan,
                      bool rehearsal = false);

  /// Takes up a run that has not been committed. `seen` comes from its checkpoint; a ledger that
  /// does not contain it is refused, as it would have forgotten spending.
  static Result<RunLedger> resume(LedgerFile file, const std::string& run_id,
                                  const LedgerHead& seen);

  /// Names the run in the ledger; kept in checkpoints.
  const std::string& run_id() const { return run_id_; }

  /// Whether the data were declared to be synthetic.
  bool rehearsal() const { return rehearsal_; }

  Result<std::uint64_t> plan(const JointPlan& plan) override;
  Result<ReleasePermit> claim(std::uint64_t plan, std::size_t part, std::uint64_t first,
                              std::uint64_t count) override;
  Status commit() override;

  /// Where the ledger stands, for checkpoints.
  Result<LedgerHead> head() const { return file_.head(); }

 protected:
  Status record(const Charge& charge) override;

 private:
  RunLedger(LedgerFile file, BudgetKey key, std::string run_id, bool rehearsal)
      : file_(std::move(file)),
        key_(std::move(key)),
        run_id_(std::move(run_id)),
        rehearsal_(rehearsal) {}
  /// Writes the charge of `plan` and returns its sequence number.
  Result<std::uint64_t> append_charge(const JointPlan& plan, bool in_blocks);

  LedgerFile file_;
  BudgetKey key_;
  std::string run_id_;
  bool rehearsal_;
};

}  // namespace dpfermi
