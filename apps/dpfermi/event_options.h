#pragma once

/// Flags that describe what is released, shared by `account` and `calibrate`.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "dpfermi/privacy/event.h"

namespace dpfermi::cli {

struct EventOptions {
  std::string mechanism;  ///< empty: poisson where q is given, gaussian otherwise
  std::string adjacency = "sensitive";
  std::optional<double> noise;
  std::optional<double> q;
  std::uint64_t steps = 1;
  std::string shifts = "1";
  std::string event_file;

  /// Adds the flags to `verb`.
  void add_to(CLI::App& verb);

  /// One release, without repetition, with this noise and rate in place of those given.
  Result<PrivacyEvent> release(double noise_value, double rate) const;

  /// The event that the flags, or the file, describe.
  Result<PrivacyEvent> event() const;

  /// The mechanism in force.
  std::string mechanism_name() const;
};

/// The whole of a file, or of standard input for "-".
Result<std::string> read_file_or_stdin(const std::string& path);

/// A number for people: six digits, or "infinite".
std::string number_text(double value);

/// The same for the two ends of a certified bound, rounded outwards.
std::string upper_text(double value);
std::string lower_text(double value);

/// A number for machines: its shortest text, or the string "inf".
std::string number_json(double value);

}  // namespace dpfermi::cli
