#include "privacy/plan_state.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/text.h"

namespace dpfermi {
namespace {

/// Steps [first, first + count) of one part.
struct Block {
  std::uint64_t first;
  std::uint64_t count;
};

/// How many releases beyond those already handed out the block needs. With a fixed seed a replayed
/// step repeats the same release; with secret noise it is a new one.
std::uint64_t fresh_releases(const Block& block, const PartProgress& progress, bool fixed_seed) {
  if (!fixed_seed) return block.count;
  const std::uint64_t end = block.first + block.count;
  return end > progress.reached ? std::min(block.count, end - progress.reached) : 0;
}

Status check_block(const Block& block, const PlannedPart& part, const PartProgress& progress,
                   bool fixed_seed) {
  if (block.first > progress.reached || block.first > part.steps ||
      block.count > part.steps - block.first) {
    return usage_error(fmt::format(
        "{} steps from {} on are not the next of the {} planned ones of '{}'; claim from step {} "
        "on",
        block.count, block.first, part.steps, printable(part.purpose), progress.reached));
  }
  const std::uint64_t granted = part.steps + part.spare;
  const std::uint64_t left = granted - progress.claimed;
  // A part that cannot be finished any more is refused before it uses up what it has.
  const std::uint64_t needed =
      fixed_seed ? fresh_releases(block, progress, true) : part.steps - block.first;
  if (needed > left) {
    return budget_refused(fmt::format(
        "going on from step {} needs {} more releases of '{}' but only {} of the {} charged ones "
        "are left; start a new run, with more spare steps",
        block.first, needed, printable(part.purpose), left, granted));
  }
  return {};
}

}  // namespace

Status PlanState::claim(std::size_t part, std::uint64_t first, std::uint64_t count) {
  if (part >= plan.parts.size()) {
    return usage_error(fmt::format("plan {} has {} parts and no part {}; claim from one of them",
                                   id, plan.parts.size(), part));
  }
  const Block block = {first, count};
  PartProgress& reached = progress[part];
  DPFERMI_TRY(check_block(block, plan.parts[part], reached, plan.fixed_seed));
  reached.claimed += fresh_releases(block, reached, plan.fixed_seed);
  // With secret noise a resumed run goes back to the checkpoint; what it replays is new.
  reached.reached = plan.fixed_seed ? std::max(reached.reached, first + count) : first + count;
  return {};
}

}  // namespace dpfermi
