#include "experiment/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>

#include "dpfermi/core/workers.h"
#include "privacy/research_ledger.h"

namespace dpfermi {
namespace {

/// What the workers share.
class Attempt {
 public:
  Attempt(const SweepOptions& options, std::uint64_t seed, RunStore& store, std::size_t total)
      : options_(options), cache_(options.tables, seed), store_(store), total_(total) {}

  void expect(const RunSpec& spec) { cache_.expect(spec); }

  /// One run, unless a budget has refused one before or the sweep is to stop.
  void run(const RunSpec& spec) {
    if (options_.stop()) interrupted_ = true;
    if (!stopped_ && !interrupted_) {
      const Status done = try_run(spec);
      if (options_.stop()) interrupted_ = true;
      if (done || !interrupted_) note(spec, done);
    }
    cache_.release(spec);
  }

  Status outcome() const {
    if (interrupted_) {
      return failed(
          fmt::format("interrupted: {} of {} runs are kept; `resume` goes on with the rest",
                      store_.size(), total_));
    }
    if (!first_error_) return {};
    if (first_error_->kind == ErrorKind::kBudgetRefused) return tl::unexpected(*first_error_);
    return tl::unexpected<Error>(
        {first_error_->kind, fmt::format("{} of {} runs failed, the others are kept; the first: {}",
                                         failures_, total_, first_error_->message)});
  }

 private:
  Status try_run(const RunSpec& spec) {
    DPFERMI_ASSIGN(const auto data, cache_.get(spec));
    DPFERMI_ASSIGN(const std::unique_ptr<StepLedger> ledger, options_.ledgers(spec));
    const auto abandon = [&] { return options_.abandon_runs && options_.stop(); };
    DPFERMI_ASSIGN(const RunRecord record, run_experiment(spec, *data, *ledger, abandon));
    return store_.add(run_key(spec), to_json_line(record));
  }

  void note(const RunSpec& spec, const Status& status) {
    const std::lock_guard lock(mutex_);
    if (!status) {
      ++failures_;
      const Error& error = status.error();
      if (!first_error_) {
        first_error_ = Error{error.kind, fmt::format("{}: {}", run_key(spec), error.message)};
      }
      if (error.kind == ErrorKind::kBudgetRefused) stopped_ = true;
      return;
    }
    ++here_;
    if (options_.progress) options_.progress({store_.size(), total_, here_});
  }

  const SweepOptions& options_;
  SplitCache cache_;
  RunStore& store_;
  std::size_t total_;
  std::atomic<bool> stopped_ = false;
  std::atomic<bool> interrupted_ = false;
  std::mutex mutex_;
  std::optional<Error> first_error_;
  std::size_t failures_ = 0;
  std::size_t here_ = 0;
};

}  // namespace

LedgerFactory research_ledgers() {
  return [](const RunSpec&) -> Result<std::unique_ptr<StepLedger>> {
    return std::make_unique<ResearchLedger>();
  };
}

Status run_sweep(const std::vector<RunSpec>& runs, std::uint64_t seed, const SweepOptions& options,
                 RunStore& store) {
  std::vector<std::string> keys;
  std::vector<RunSpec> open;
  for (const RunSpec& spec : runs) {
    keys.push_back(run_key(spec));
    if (!store.has(keys.back())) open.push_back(spec);
  }
  std::ranges::stable_sort(open, {}, &RunSpec::split);
  Attempt attempt(options, seed, store, runs.size());
  for (const RunSpec& spec : open) attempt.expect(spec);
  Workers workers(options.workers);
  workers.run(open.size(), [&](std::size_t i, unsigned) { attempt.run(open[i]); });
  DPFERMI_TRY(attempt.outcome());
  return store.finish(keys);
}

}  // namespace dpfermi
