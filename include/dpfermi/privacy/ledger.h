#pragma once

/// The contract between whoever spends privacy and whoever keeps count: a charge is written down,
/// durably, before protected data is touched, and what is handed back is a permit for exactly the
/// releases that were charged. No permit, no release; no refunds.

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/event.h"
#include "dpfermi/random/fork_guard.h"
#include "dpfermi/random/key.h"

namespace dpfermi {

class Ledger;

/// The right to make `remaining()` releases of `event()`, with the kind of noise that the ledger
/// was told about. Move-only; only a Ledger makes one. It belongs to the process that made it: a
/// forked child could spend it a second time.
class ReleasePermit {
 public:
  ReleasePermit(ReleasePermit&& other) noexcept
      : event_(std::move(other.event_)),
        remaining_(std::exchange(other.remaining_, 0)),
        reproducibility_(other.reproducibility_),
        guard_(other.guard_) {}
  ReleasePermit& operator=(ReleasePermit&& other) noexcept {
    event_ = std::move(other.event_);
    remaining_ = std::exchange(other.remaining_, 0);
    reproducibility_ = other.reproducibility_;
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

 private:
  friend class Ledger;
  ReleasePermit(PrivacyEvent event, std::uint64_t count, Reproducibility reproducibility)
      : event_(std::move(event)), remaining_(count), reproducibility_(reproducibility) {}

  PrivacyEvent event_;
  std::uint64_t remaining_;
  Reproducibility reproducibility_;
  ForkGuard guard_;
};

/// A certified upper bound on what releases cost, all of them together. What has not been priced
/// costs everything: a capped budget refuses it. A ledger reads both numbers as the decimals they
/// print as, so that ten charges of 0.1 are exactly 1; a bound that was computed should be rounded
/// up by one unit in the last place to hold for its decimal as well.
struct PrivacyCost {
  double epsilon = std::numeric_limits<double>::infinity();
  double delta = 0;
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

  /// For ledgers that hand out a recorded charge in blocks: the permit for one of them.
  static ReleasePermit grant(PrivacyEvent event, std::uint64_t count, bool fixed_seed) {
    return {std::move(event), count,
            fixed_seed ? Reproducibility::kReproducible : Reproducibility::kSecret};
  }
};

}  // namespace dpfermi
