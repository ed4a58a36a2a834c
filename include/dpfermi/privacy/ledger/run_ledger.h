#pragma once

/// The spending of one run, from one budget of a ledger on disk. The order is always the same:
/// charge, durable on disk, touch the data, commit. A run that dies stays charged in full.

#include <cstdint>
#include <string>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/event.h"
#include "dpfermi/privacy/ledger.h"
#include "dpfermi/privacy/ledger/budget.h"
#include "dpfermi/privacy/ledger/ledger_file.h"

namespace dpfermi {

/// Equal steps whose permits are handed out in blocks, so that a run can be taken up again after a
/// crash. With secret noise a replayed step is a new release, drawn from the spare ones; with a
/// fixed seed it is the same release again and free, and the permits are for a fixed seed only.
struct StepPlan {
  std::string purpose;      ///< for people: "training steps"
  PrivacyEvent event;       ///< one step
  std::uint64_t steps = 0;  ///< T, fixed beforehand
  std::uint64_t spare = 0;  ///< releases kept for steps that a crash made worthless
  PrivacyCost cost = {};    ///< of steps + spare releases, composed
  bool fixed_seed = false;  ///< reproducible noise, not private
};

class RunLedger final : public Ledger {
 public:
  /// A new run. Nothing is written before its first charge.
  static Result<RunLedger> start(LedgerFile file, BudgetKey key);

  /// Takes up a run that has not been committed. `seen` comes from its checkpoint; a ledger that
  /// does not contain it is refused, as it would have forgotten spending.
  static Result<RunLedger> resume(LedgerFile file, const std::string& run_id,
                                  const LedgerHead& seen);

  /// Names the run in the ledger; kept in checkpoints.
  const std::string& run_id() const { return run_id_; }

  /// Charges the whole plan; its number is what claim() takes. No permit yet.
  Result<std::uint64_t> plan_steps(const StepPlan& plan);

  /// Permits for steps [first, first + count) of a plan, durable before this returns. `first` may
  /// lie before steps claimed earlier: they are being replayed. Refused (kBudgetRefused) when what
  /// was charged does not suffice to replay them and to finish the plan.
  Result<ReleasePermit> claim(std::uint64_t plan, std::uint64_t first, std::uint64_t count);

  /// Notes that the run ended well. It can spend no more; nothing is given back. A run that charged
  /// nothing has nothing to commit.
  Status commit();

  /// Where the ledger stands, for checkpoints.
  Result<LedgerHead> head() const { return file_.head(); }

 protected:
  Status record(const Charge& charge) override;

 private:
  RunLedger(LedgerFile file, BudgetKey key, std::string run_id)
      : file_(std::move(file)), key_(std::move(key)), run_id_(std::move(run_id)) {}
  /// Writes the charge of `plan` and returns its sequence number.
  Result<std::uint64_t> append_charge(const StepPlan& plan, bool in_blocks);

  LedgerFile file_;
  BudgetKey key_;
  std::string run_id_;
};

}  // namespace dpfermi
