#pragma once

/// One line on stderr that says how far long work has come and when it will end. Silent unless
/// stderr is a terminal and --quiet was not given.

#include <chrono>
#include <string>

#include "cli.h"

namespace dpfermi::cli {

class Progress {
 public:
  Progress(const Context& context, std::string label);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `total` 0 means unknown. Redraws at most ten times a second.
  void update(double done, double total);

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  bool visible_;
  Clock::time_point start_ = Clock::now();
  Clock::time_point drawn_{};
};

}  // namespace dpfermi::cli
