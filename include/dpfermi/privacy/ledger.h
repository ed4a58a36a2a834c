#pragma once

/// The contract between code that spends privacy and code that keeps count: a charge is written
/// down, durably, before protected data is touched, and what is handed back is a permit for exactly
/// the releases that were charged. No permit, no release; no refunds.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/event.h"
#include "dpfermi/privacy/protected.h"
#include "dpfermi/random/key.h"

namespace dpfermi {

class Ledger;
class ReleaseTap;

/// The right to make `remaining()` releases of `event()`, with the kind of noise that the ledger
/// was told about. Move-only; only a Ledger makes one. It belongs to the process that made it: a
/// forked child could spend it a second time.
class ReleasePermit {
 public:
  ReleasePermit(ReleasePermit&& other) noexcept
      : event_(std::move(other.event_)),
        remaining_(std::exchange(other.remaining_, 0)),
        reproducibility_(other.reproducibility_),
        tap_(other.tap_),
        guard_(other.guard_) {}
  ReleasePermit& operator=(ReleasePermit&& other) noexcept {
    event_ = std::move(other.event_);
    remaining_ = std::exchange(other.remaining_, 0);
    reproducibility_ = other.reproducibility_;
    tap_ = other.tap_;
    guard_ = other.guard_;
    return *this;
  }
  ReleasePermit(const ReleasePermit&) = delete;
  ReleasePermit& operator=(const ReleasePermit&) = delete;
  ~ReleasePermit() = default;

  const PrivacyEvent& event() const { return event_; }
  std::uint64_t remaining() const { return remaining_; }
  Reproducibility reproducibility() const { return reproducibility_; }

  /// Whether consume() would succeed: refused (kBudgetRefused) when no release is left, and in a
  /// forked child.
  Status check() const;

  /// Uses up one release.
  Status consume();

  /// Refuses noise of another kind than was charged. Secret noise under a charge for a fixed seed
  /// would make the free replays new releases; a fixed seed under a charge for secret noise would
  /// leave a ledger that does not say "not private".
  Status check_noise(Reproducibility noise) const;

  /// Who watches the releases from inside (privacy/mechanism/release_tap.h); null in a real run.
  ReleaseTap* tap() const { return tap_; }

  /// Refuses to be watched at work on anything but synthetic data: on groups alone where features
  /// are public, on whole records where they are not.
  Status check_tap(Invented data) const;

 private:
  friend class Ledger;
  ReleasePermit(PrivacyEvent event, std::uint64_t count, Reproducibility reproducibility,
                ReleaseTap* tap)
      : event_(std::move(event)), remaining_(count), reproducibility_(reproducibility), tap_(tap) {}

  PrivacyEvent event_;
  std::uint64_t remaining_;
  Reproducibility reproducibility_;
  ReleaseTap* tap_;
  ForkGuard guard_;
};

/// A certified upper bound on what releases cost, all of them together. What has not been priced
/// costs everything: a capped budget refuses it. A ledger reads both numbers as the decimals they
/// print as, so that ten charges of 0.1 are exactly 1; a bound that was computed should be rounded
/// up by one unit in the last place to hold for its decimal as well.
struct PrivacyCost {
  double epsilon = std::numeric_limits<double>::infinity();
  double delta = 0;
  /// How far the releases may be from ideal ones, all together: paid for by delta, and known to
  /// ledgers that count the event instead of the price.
  double total_variation = 0;
};

/// Where a ledger stands. Kept in checkpoints and statements: a ledger that does not contain a head
/// seen earlier has been replaced or rolled back.
struct LedgerHead {
  std::uint64_t sequence = 0;
  std::string hash;  ///< SHA-256 in hex, over everything up to this entry

  bool operator==(const LedgerHead&) const = default;
};

/// "NUMBER:HASH".
std::string to_string(const LedgerHead& head);
Result<LedgerHead> parse_head(const std::string& text);

/// A run in its ledger, after it was charged.
struct LedgerPlace {
  std::string run_id;
  LedgerHead head;

  bool operator==(const LedgerPlace&) const = default;
};

/// What is about to be released and why.
struct Charge {
  std::string purpose;      ///< for people: "group counts", "training steps"
  PrivacyEvent event;       ///< one release
  std::uint64_t count = 1;  ///< how many of them are planned
  PrivacyCost cost = {};    ///< of all `count` releases, were the noise secret
  bool fixed_seed = false;  ///< reproducible noise: recorded so, and not private
};

class Ledger {
 public:
  virtual ~Ledger() = default;

  /// Records the charge durably and grants its permit, or refuses and records nothing.
  Result<ReleasePermit> charge(const Charge& charge);

 protected:
  /// Durable when it returns success; an error means that nothing was granted.
  virtual Status record(const Charge& charge) = 0;

  /// Who watches what charge() permits; null unless the ledger is a rehearsal's.
  virtual ReleaseTap* tap() const { return nullptr; }

  /// For ledgers that hand out a recorded plan in blocks: the permit for one of them. With a `tap`,
  /// which has to outlive it, it is good for rehearsals only.
  static ReleasePermit grant(PrivacyEvent event, std::uint64_t count, bool fixed_seed,
                             ReleaseTap* tap = nullptr) {
    return {std::move(event), count,
            fixed_seed ? Reproducibility::kReproducible : Reproducibility::kSecret, tap};
  }
};

/// One kind of release inside a joint plan: equal steps whose permits are handed out in blocks, so
/// that a run can be taken up again after a crash. With secret noise a replayed step is a new
/// release, drawn from the spare ones; with a fixed seed it is the same release again and free.
struct PlannedPart {
  std::string purpose;      ///< for people: "group counts", "training steps"
  PrivacyEvent event;       ///< one step
  std::uint64_t steps = 1;  ///< fixed beforehand
  std::uint64_t spare = 0;  ///< releases kept in reserve for steps repeated after a crash
};

/// Everything a run will release, priced as one composition.
struct JointPlan {
  std::string purpose;             ///< for people: "training"
  std::vector<PlannedPart> parts;  ///< at least one, all of one adjacency
  PrivacyCost cost = {};           ///< of all steps and spare ones of all parts together
  bool fixed_seed = false;         ///< reproducible noise: recorded so, and not private
};

/// All that `parts` may release, spare steps included: the composition of the repetitions of each
/// part, or the repetition alone where there is one part. It is what a plan's cost is the price of.
/// Why in any order: each release is a random function of one draw from its own dominating pair and
/// of what was released before. Which draw is used next may depend on the outcomes; all of them
/// together are the product that composition prices.
Result<PrivacyEvent> whole_event(const std::vector<PlannedPart>& parts);

/// What a training run charges: its whole plan at once, permits block by block.
class StepLedger : public Ledger {
 public:
  /// Charges the whole plan durably, or refuses and records nothing. The number is what claim()
  /// takes. No permit yet.
  virtual Result<std::uint64_t> plan(const JointPlan& plan) = 0;

  /// Permits for steps [first, first + count) of part `part`, durable before this returns. Parts
  /// are independent of each other and may be claimed in any order. `first` may lie before steps
  /// claimed earlier: they are being replayed. Refused (kBudgetRefused) when what was charged for
  /// the part does not suffice to replay them and to finish it.
  virtual Result<ReleasePermit> claim(std::uint64_t plan, std::size_t part, std::uint64_t first,
                                      std::uint64_t count) = 0;

  /// Notes that the run ended well. It can spend no more; nothing is given back. A run that charged
  /// nothing has nothing to commit.
  virtual Status commit() = 0;
};

}  // namespace dpfermi
