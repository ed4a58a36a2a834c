#pragma once

/// One line on stderr that says how far long work has come and when it will end; none with --quiet.
/// When stderr is not a terminal there is none either, or, for work of hours, one now and then.

#include <chrono>
#include <optional>
#include <string>

#include "cli.h"

namespace dpfermi::cli {

class Progress {
 public:
  enum class Elsewhere { kSilent, kLines };  ///< when stderr is not a terminal
  /// Between such lines; the first comes at once.
  static constexpr std::chrono::seconds kBetweenLines{10};

  Progress(const Context& context, std::string label, Elsewhere elsewhere = Elsewhere::kSilent);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `total` 0 means unknown. Redraws at most ten times a second.
  void update(double done, double total);

 private:
  using Clock = std::chrono::steady_clock;

  std::string label_;
  bool terminal_;
  bool visible_;
  Clock::time_point start_ = Clock::now();
  std::optional<Clock::time_point> drawn_;
};

}  // namespace dpfermi::cli
