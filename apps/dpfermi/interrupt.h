#pragma once

/// Ctrl-C (SIGINT) and SIGTERM as a question that long work asks, so that it can end in order.

namespace dpfermi::cli {

/// While one lives, the first signal is remembered; a second one ends the process as usual. One at
/// a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool requested();
};

}  // namespace dpfermi::cli
