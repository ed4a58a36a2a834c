#pragma once

/// What an audit found: one line for every promise that was put to the test.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/adjacency.h"

namespace dpfermi {

enum class Verdict {
  kGreen,  ///< the promise held
  kRed,    ///< it is broken: shown, or shown at the stated confidence
};

/// How the evidence was gathered; docs/audit.md says what each tier can and cannot see.
enum class Tier {
  kReplay,     ///< T0: neighbouring data, same streams, frozen outputs; deterministic
  kNoise,      ///< T1: the noise that is drawn
  kSampler,    ///< T2: the batches that are drawn
  kAttribute,  ///< T3: two neighbours told apart by their releases, many runs
  kOneRun,     ///< T4: many coin-flipped attributes in one run of real size
};
std::string_view to_string(Tier tier);  ///< "T0 replay", ...

struct Finding {
  Tier tier = Tier::kReplay;
  std::string method;  ///< "dp-fermi", ...
  Adjacency adjacency = Adjacency::kSensitive;
  std::string subject;          ///< the data and settings that were tried
  std::string attempt;          ///< what was tried
  std::string claimed;          ///< the bound that was promised, with its unit
  std::string observed;         ///< the worst that was seen, in the same unit
  std::optional<double> value;  ///< the same as a number, where it is one: the larger, the worse
  /// Of a test that can raise a false alarm: how likely what was seen, or worse, is if the promise
  /// holds. Empty: deterministic.
  std::optional<double> p_value;
  Verdict verdict = Verdict::kGreen;
  std::string note;  ///< for people: where it broke, what it does not cover
};

struct AuditReport {
  std::vector<Finding> findings;
  double false_alarm_rate = 0;  ///< of all findings together, were every promise kept
  double seconds = 0;

  bool green() const;
};

std::string to_json(const AuditReport& report);

}  // namespace dpfermi
