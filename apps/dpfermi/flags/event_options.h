#pragma once

/// Flags that describe what is released, shared by `account` and `calibrate`.

#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "dpfermi/privacy/event.h"
#include "privacy/json_fields.h"

namespace dpfermi::cli {

struct EventOptions {
  std::string mechanism;                 ///< empty: poisson where q is given, gaussian otherwise
  std::optional<std::string> adjacency;  ///< default: sensitive
  std::optional<double> noise;
  std::optional<double> q;
  std::optional<std::string> steps;   ///< default: 1
  std::optional<std::string> shifts;  ///< default: 1
  std::string event_file;

  /// Adds the flags to `verb`.
  void add_to(CLI::App& verb);

  /// One release, without repetition, with this noise and rate instead of those given.
  Result<PrivacyEvent> release(double noise_value, double rate) const;

  /// The event that the flags, or the file, describe.
  Result<PrivacyEvent> event() const;

  /// The mechanism, the adjacency and the number of steps in force.
  std::string mechanism_name() const;
  Result<Adjacency> parsed_adjacency() const;
  Result<std::uint64_t> step_count() const;

  /// Fails where a flag was given that the mechanism in force would ignore.
  Status check_flags() const;

  /// The first flag that was given, if any.
  std::optional<std::string> first_flag() const;
};

/// The whole of a file of JSON, or of standard input for "-"; fails where it is not JSON. Messages
/// begin with the file's name.
Result<std::string> read_json(const std::string& path);

/// A number for people: six digits, or "infinite".
std::string number_text(double value);

/// The same for the two ends of a certified bound, rounded outwards.
std::string upper_text(double value);
std::string lower_text(double value);

/// A number for machines: without a point where it is whole, or the string "inf".
Json number_json(double value);

}  // namespace dpfermi::cli
