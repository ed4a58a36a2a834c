#pragma once

/// A forked child inherits the parent's key and position: both would draw the same noise, and the
/// difference of their releases would be free of it. Whatever draws randomness therefore belongs to
/// the process that made it.

#include <cstdint>

namespace dpfermi {

class ForkGuard {
 public:
  /// Remembers the current process.
  ForkGuard();

  /// Whether this is still that process. Notices fork() by a handler and raw clone() by the process
  /// number.
  bool in_same_process() const;

 private:
  std::uint64_t generation_;
  std::int64_t process_;
};

}  // namespace dpfermi
