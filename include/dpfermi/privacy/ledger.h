#pragma once

/// The contract between whoever spends privacy and whoever keeps count: a charge is written down,
/// durably, before protected data is touched, and what is handed back is a permit for exactly the
/// releases that were charged. No permit, no release; no refunds.

#include <cstdint>
#include <string>
#include <utility>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/event.h"

namespace dpfermi {

class Ledger;

/// The right to make `remaining()` releases of `event()`. Move-only; only a Ledger makes one.
class ReleasePermit {
 public:
  ReleasePermit(ReleasePermit&& other) noexcept
      : event_(std::move(other.event_)), remaining_(std::exchange(other.remaining_, 0)) {}
  ReleasePermit& operator=(ReleasePermit&& other) noexcept {
    event_ = std::move(other.event_);
    remaining_ = std::exchange(other.remaining_, 0);
    return *this;
  }
  ReleasePermit(const ReleasePermit&) = delete;
  ReleasePermit& operator=(const ReleasePermit&) = delete;
  ~ReleasePermit() = default;

  const PrivacyEvent& event() const { return event_; }
  std::uint64_t remaining() const { return remaining_; }

  /// Uses up one release. Refused (kBudgetRefused) when none is left.
  Status consume();

 private:
  friend class Ledger;
  ReleasePermit(PrivacyEvent event, std::uint64_t count)
      : event_(std::move(event)), remaining_(count) {}

  PrivacyEvent event_;
  std::uint64_t remaining_;
};

/// What is about to be released and why.
struct Charge {
  std::string purpose;      ///< for people: "group counts", "training steps"
  PrivacyEvent event;       ///< one release
  std::uint64_t count = 1;  ///< how many of them are planned
};

class Ledger {
 public:
  virtual ~Ledger() = default;

  /// Records the charge durably and grants its permit, or refuses and records nothing.
  Result<ReleasePermit> charge(const Charge& charge);

 protected:
  /// Durable when it returns success; an error means that nothing was granted.
  virtual Status record(const Charge& charge) = 0;
};

}  // namespace dpfermi
