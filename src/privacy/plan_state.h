#pragma once

/// How far a charged plan has been handed out, and the rules of handing out more of it. Every
/// StepLedger follows them.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/privacy/ledger.h"

namespace dpfermi {

struct PartProgress {
  std::uint64_t claimed = 0;  ///< releases handed out so far; a crash does not give any back
  std::uint64_t reached = 0;  ///< the step after the last one handed out
};

struct PlanState {
  std::uint64_t id = 0;  ///< what StepLedger::plan returned
  JointPlan plan;
  std::vector<PartProgress> progress;  ///< of each part

  /// As StepLedger::claim: takes note of the steps, or says why not and changes nothing.
  Status claim(std::size_t part, std::uint64_t first, std::uint64_t count);
};

struct RunState {
  std::string id;
  std::string budget;
  bool committed = false;
  bool rehearsal = false;
  /// All that was charged, each numbered by the sequence number of its charge. What was not charged
  /// in blocks was handed out at once.
  std::vector<PlanState> plans;
};

}  // namespace dpfermi
