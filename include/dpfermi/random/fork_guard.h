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

  /// Whether this is still that process. A read of memory: the kernel wipes a page in every child.
  bool in_same_process() const;

 private:
  std::uint64_t generation_;
};

}  // namespace dpfermi
