#pragma once

/// Ctrl-C (SIGINT) and SIGTERM as a question that long work asks, so that it can end in order.

#include "dpfermi/core/observer.h"

namespace dpfermi::cli {

/// While one lives, the first signal is remembered; a second one ends the process as usual.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  static bool requested();
};

/// Remembers signals during tasks that stop on request, and shows nothing: for what waits on a
/// server. It lives as long as the program.
Observer& waiting_observer();

}  // namespace dpfermi::cli
