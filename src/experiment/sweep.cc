#include "experiment/sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/text.h"
#include "dpfermi/core/workers.h"
#include "privacy/research_ledger.h"

namespace dpfermi {
namespace {

/// What the workers share.
class Attempt {
 public:
  Attempt(const SweepOptions& options, std::uint64_t seed, RunStore* store, std::size_t total)
      : options_(options), cache_(options.tables, seed), store_(store), total_(total) {}

  void expect(const RunSpec& spec) { cache_.expect(spec); }

  /// Whether no budget has refused a run yet and the sweep is not to stop.
  bool goes_on() {
    if (options_.stop()) interrupted_ = true;
    return !stopped_ && !interrupted_;
  }

  /// The record of one run.
  Result<std::string> make(const RunSpec& spec) {
    Result<std::string> line = failed("the sweep was to stop");
    if (goes_on()) line = make_line(spec);
    cache_.release(spec);
    return line;
  }

  /// What make() gave, at the process that has the store.
  void keep(const RunSpec& spec, const Result<std::string>& line) {
    const Status done =
        line ? store_->add(run_key(spec), *line) : Status(tl::unexpected(line.error()));
    if (done || goes_on()) note(spec, done);
  }

  Status outcome() const {
    if (interrupted_) {
      return failed(
          fmt::format("interrupted: {} of {} runs are kept; `resume` goes on with the rest",
                      store_->size(), total_));
    }
    if (!first_error_) return {};
    if (first_error_->kind == ErrorKind::kBudgetRefused) return tl::unexpected(*first_error_);
    return tl::unexpected<Error>(
        {first_error_->kind, fmt::format("{} of {} runs failed, the others are kept; the first: {}",
                                         failures_, total_, first_error_->message)});
  }

 private:
  Result<std::string> make_line(const RunSpec& spec) {
    DPFERMI_ASSIGN(const auto data, cache_.get(spec));
    DPFERMI_ASSIGN(const std::unique_ptr<StepLedger> ledger, options_.ledgers(spec));
    const auto abandon = [&] { return options_.abandon_runs && options_.stop(); };
    DPFERMI_ASSIGN(const RunRecord record, run_experiment(spec, *data, *ledger, abandon));
    return to_json_line(record);
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
    if (options_.progress) options_.progress({store_->size(), total_, here_});
  }

  const SweepOptions& options_;
  SplitCache cache_;
  RunStore* store_;
  std::size_t total_;
  std::atomic<bool> stopped_ = false;
  std::atomic<bool> interrupted_ = false;
  std::mutex mutex_;
  std::optional<Error> first_error_;
  std::size_t failures_ = 0;
  std::size_t here_ = 0;
};

/// A record, or why there is none, as a line between processes.
std::string line_of(const Result<std::string>& made) {
  return made ? "+" + *made + "\n" : "-" + printable(made.error().message, SIZE_MAX) + "\n";
}

Result<std::string> from_line(const std::string& line) {
  if (line.starts_with('+')) return line.substr(1);
  return failed(line.substr(1));
}

/// In rounds: each process makes its share, then the leader keeps all of them.
Status share_runs(std::span<const RunSpec> open, Attempt& attempt, Workers& workers, Team& team) {
  const std::size_t most = std::size_t{team.size()} * workers.count();
  const auto round = [&](std::size_t first) {
    return open.subspan(first, std::min(most, open.size() - first));
  };
  const auto own = [&](std::span<const RunSpec> specs) {
    const Share share = team.share(specs.size());
    return specs.subspan(share.first, share.size());
  };
  for (std::size_t first = 0; first < open.size(); first += most) {
    for (const RunSpec& spec : own(round(first))) attempt.expect(spec);
  }
  bool goes_on = true;
  for (std::size_t first = 0; first < open.size() && goes_on; first += most) {
    const std::span<const RunSpec> mine = own(round(first));
    std::vector<std::string> lines(mine.size());
    workers.run(mine.size(),
                [&](std::size_t i, unsigned) { lines[i] = line_of(attempt.make(mine[i])); });
    DPFERMI_ASSIGN(const std::vector<std::string> texts,
                   collect(team, fmt::format("{}", fmt::join(lines, ""))));
    std::size_t next = first;
    for (const std::string& text : texts) {
      for (const std::string& line : split_list(text, '\n')) {
        if (!line.empty()) attempt.keep(open[next++], from_line(line));
      }
    }
    goes_on = attempt.goes_on();
    DPFERMI_TRY(hand_out(team, std::span(&goes_on, 1)));
  }
  return {};
}

}  // namespace

LedgerFactory research_ledgers() {
  return [](const RunSpec&) -> Result<std::unique_ptr<StepLedger>> {
    return std::make_unique<ResearchLedger>();
  };
}

Status run_sweep(const std::vector<RunSpec>& runs, std::uint64_t seed, const SweepOptions& options,
                 RunStore* store) {
  Team& team = *options.team;
  // vector<bool> has no bytes.
  std::vector<std::uint8_t> kept;
  for (const RunSpec& spec : runs) {
    kept.push_back(store != nullptr && store->has(run_key(spec)) ? 1 : 0);
  }
  DPFERMI_TRY(hand_out(team, std::span(kept)));
  std::vector<RunSpec> open;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    if (kept[i] == 0) open.push_back(runs[i]);
  }
  std::ranges::stable_sort(open, {}, &RunSpec::split);
  Attempt attempt(options, seed, store, runs.size());
  Workers workers(options.workers);
  if (team.size() > 1) {
    DPFERMI_TRY(share_runs(open, attempt, workers, team));
  } else {
    for (const RunSpec& spec : open) attempt.expect(spec);
    workers.run(open.size(),
                [&](std::size_t i, unsigned) { attempt.keep(open[i], attempt.make(open[i])); });
  }
  if (store == nullptr) return {};
  DPFERMI_TRY(attempt.outcome());
  std::vector<std::string> keys;
  for (const RunSpec& spec : runs) keys.push_back(run_key(spec));
  return store->finish(keys);
}

}  // namespace dpfermi
