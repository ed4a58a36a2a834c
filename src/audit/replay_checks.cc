#include "audit/replay_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/replay_differences.h"

namespace dpfermi {

ReplayChecks::ReplayChecks(Adjacency adjacency, std::optional<Denominators> denominators)
    : denominators_(denominators) {
  lines_[kLength] = {"length of one unit's contribution", "at most 1"};
  lines_[kDistance] = {"distance of the exact sums of neighbours",
                       fmt::format("at most {:.5g}", neighbour_distance(adjacency))};
  lines_[kCounts] = {"group counts of neighbours", "differ as charged"};
  lines_[kOthers] = {"contributions of all others; order of a sum", "equal"};
  lines_[kShared] = {"plan, ledger, batches, shapes, sigma, denominators of neighbours", "equal"};
  lines_[kPath] = {"path of neighbours, given the same releases", "equal, bit by bit"};
  lines_[kHidden] = {"path under other secret batches, given the same releases",
                     "equal, bit by bit"};
  lines_[kFiles] = {"files, cards and remarks of neighbours, given the same releases",
                    "equal, byte by byte"};
  lines_[kNoise] = {"noise: missing, repeated, of the data's making, off the lattice", "never"};
  lines_[kLedger] = {"releases seen and releases charged", "equal"};
}

void ReplayChecks::fail(Check check, const std::string& what) {
  Line& line = lines_[check];
  if (line.broken.empty()) line.broken = what;
}

void ReplayChecks::measure(Check check, double value, bool within, const std::string& where) {
  Line& line = lines_[check];
  ++line.tried;
  line.worst = std::max(line.worst, value);
  if (!within) fail(check, fmt::format("{:.6g} at {}", value, where));
}

void ReplayChecks::compare(const std::string& where, const Differing& differing, const Take& first,
                           const Take& second) {
  ++lines_[kShared].tried;
  if (ledger_of(*first.run) != ledger_of(*second.run)) fail(kShared, "ledger entries at " + where);
  if (first.seen->sums().size() != second.seen->sums().size() ||
      first.seen->counts().size() != second.seen->counts().size() ||
      first.seen->pure().size() != second.seen->pure().size()) {
    fail(kShared, "number of releases at " + where);
  }
  compare_counts(where, first, second);
  const std::size_t releases = std::min(first.seen->sums().size(), second.seen->sums().size());
  for (std::size_t t = 0; t < releases; ++t) {
    compare_sums(fmt::format("{}, step {}", where, t + 1), differing, first.seen->sums()[t],
                 second.seen->sums()[t]);
  }
  const std::size_t pure = std::min(first.seen->pure().size(), second.seen->pure().size());
  for (std::size_t t = 0; t < pure; ++t) {
    compare_pure(where, first.seen->pure()[t], second.seen->pure()[t]);
  }
  compare_paths(kPath, where, *first.run, *second.run);
  compare_files(where, *first.run, *second.run);
}

void ReplayChecks::compare_hidden(const std::string& where, const Take& first, const Take& second) {
  compare_paths(kHidden, where, *first.run, *second.run);
}

void ReplayChecks::compare_counts(const std::string& where, const Take& first, const Take& second) {
  const std::size_t tables = std::min(first.seen->counts().size(), second.seen->counts().size());
  for (std::size_t t = 0; t < tables; ++t) {
    const SeenCounts& a = first.seen->counts()[t];
    const SeenCounts& b = second.seen->counts()[t];
    if (a.charged != b.charged || a.sigma != b.sigma || a.exact.size() != b.exact.size()) {
      fail(kShared, "group counts at " + where);
      continue;
    }
    // Cells that changed, largest first, against what was charged.
    Integers changes = difference(a.exact, b.exact);
    for (std::int64_t& change : changes) change = std::abs(change);
    std::ranges::sort(changes, std::greater{});
    Integers charged = a.shifts;
    std::ranges::sort(charged, std::greater{});
    charged.resize(changes.size());
    bool within = true;
    double total = 0;
    for (std::size_t i = 0; i < changes.size(); ++i) {
      within = within && changes[i] <= charged[i];
      total += static_cast<double>(changes[i]);
    }
    measure(kCounts, total, within, where);
    if (difference(a.drawn, a.exact) != difference(b.drawn, b.exact)) {
      fail(kNoise, "counts' noise depends on the data at " + where);
    }
  }
}

void ReplayChecks::compare_sums(const std::string& where, const Differing& differing,
                                const SeenSum& first, const SeenSum& second) {
  if (shape_of(first) != shape_of(second)) {
    fail(kShared, "shape, sigma or denominator at " + where);
    return;
  }
  const auto differs = [&](std::uint32_t unit) {
    return std::ranges::find(differing.units, unit) != differing.units.end();
  };
  std::vector<std::uint32_t> members = first.members;
  if (differing.vanishes) std::erase_if(members, differs);
  if (members != second.members) fail(kShared, "batch at " + where);

  ++lines_[kOthers].tried;
  const double bound = first.distance;
  if (distances_.insert(bound).second) {
    lines_[kDistance].claimed = fmt::format("at most {:.5g}", fmt::join(distances_, " or "));
  }
  bool found = !differing.units.empty();
  for (const auto& [unit, own] : first.contributions) {
    const auto other = second.contributions.find(unit);
    const Integers theirs = other == second.contributions.end() ? Integers() : other->second;
    const bool the_one = !found && own != theirs;
    found = found || the_one;
    if (differs(unit) || the_one) {
      const Length apart = length_of(difference(own, theirs));
      measure(kDistance, apart.value(first.lattice_bits), apart.within(bound, first.lattice_bits),
              where);
    } else if (!theirs.empty() && own != theirs) {
      fail(kOthers, fmt::format("unit {} at {}", unit, where));
    }
  }
  const Length apart = length_of(difference(first.exact, second.exact));
  const double all = bound * static_cast<double>(std::max<std::size_t>(differing.units.size(), 1));
  if (!apart.within(all, first.lattice_bits)) {
    measure(kDistance, apart.value(first.lattice_bits), false, where);
  }
  if (difference(first.drawn, first.exact) != difference(second.drawn, second.exact)) {
    fail(kNoise, "the noise depends on the data at " + where);
  }
}

void ReplayChecks::compare_pure(const std::string& where, const SeenPure& first,
                                const SeenPure& second) {
  if (first.charged != second.charged || first.longest != second.longest ||
      first.scale != second.scale || first.exact.size() != second.exact.size()) {
    fail(kShared, "shape or scale at " + where);
    return;
  }
  const Integers apart = difference(first.exact, second.exact);
  if (first.scale == 0) {  // answers: each belongs to one person
    ++lines_[kOthers].tried;
    if (std::ranges::count_if(apart, [](std::int64_t by) { return by != 0; }) > 1) {
      fail(kOthers, "more than one answer differs at " + where);
    }
    return;
  }
  const double distance = l1_norm(apart) / static_cast<double>(first.longest);
  measure(kDistance, distance, distance <= neighbour_distance(first.adjacency), where);
  if (difference(first.drawn, first.exact) != difference(second.drawn, second.exact)) {
    fail(kNoise, "the noise depends on the data at " + where);
  }
}

void ReplayChecks::compare_paths(Check check, const std::string& where, const Rehearsal& first,
                                 const Rehearsal& second) {
  ++lines_[check].tried;
  if (first.path.size() != second.path.size()) {
    fail(check, "number of steps at " + where);
    return;
  }
  for (std::size_t t = 0; t < first.path.size(); ++t) {
    if (!same(first.path[t], second.path[t])) {
      fail(check, fmt::format("step {} at {}", t + 1, where));
      return;
    }
  }
  std::string apart = difference(first.outcome, second.outcome);
  if (!apart.empty()) fail(check, fmt::format("{} at {}", apart, where));
}

void ReplayChecks::compare_files(const std::string& where, const Rehearsal& first,
                                 const Rehearsal& second) {
  if (first.files.size() != second.files.size()) {
    fail(kFiles, "number of files at " + where);
    return;
  }
  for (std::size_t i = 0; i < first.files.size(); ++i) {
    ++lines_[kFiles].tried;
    if (first.files[i] != second.files[i]) {
      fail(kFiles, fmt::format("{} at {}", first.files[i].first, where));
    }
  }
}

void ReplayChecks::inspect(const std::string& where, const Take& take) {
  // Releases of every part of the plan against what was claimed for it.
  std::uint64_t claimed = 0;
  for (const AuditLedger::Claim& claim : take.run->claims) claimed += claim.count;
  std::uint64_t planned = 0;
  for (const PlanState& state : take.run->plans) {
    for (const PlannedPart& part : state.plan.parts) planned += part.steps + part.spare;
  }
  const std::uint64_t seen = take.seen->releases();
  ++lines_[kLedger].tried;
  // A run that fails may leave what it was granted.
  const bool equal = take.run->outcome ? seen == claimed : seen <= claimed;
  if (!equal || seen > planned) {
    fail(kLedger,
         fmt::format("{} releases, {} permits, {} charged at {}", seen, claimed, planned, where));
  }
  for (const SeenCounts& counts : take.seen->counts()) {
    ++lines_[kNoise].tried;
    if (counts.drawn == counts.exact) fail(kNoise, "no noise on the group counts at " + where);
  }
  for (const SeenPure& pure : take.seen->pure()) inspect_pure(where, pure);
  const std::vector<SeenSum>& sums = take.seen->sums();
  std::set<Integers> noise;
  for (std::size_t t = 0; t < sums.size(); ++t) {
    const std::string at = fmt::format("{}, step {}", where, t + 1);
    inspect_sum(at, sums[t]);
    if (!noise.insert(difference(sums[t].drawn, sums[t].exact)).second) {
      fail(kNoise, "the noise of a step before at " + at);
    }
  }
}

void ReplayChecks::inspect_sum(const std::string& where, const SeenSum& sum) {
  for (const auto& [unit, own] : sum.contributions) {
    const Length length = length_of(own);
    measure(kLength, length.value(sum.lattice_bits), length.within(1, sum.lattice_bits),
            fmt::format("unit {}, {}", unit, where));
  }
  ++lines_[kNoise].tried;
  if (sum.ordered) fail(kOthers, "the sum depends on the order at " + where);
  if (sum.drawn == sum.exact) fail(kNoise, "no noise at " + where);
  if (!sum.on_lattice) fail(kNoise, "off the lattice at " + where);
  if (!sum.covered) fail(kLedger, "another release than was charged at " + where);
  if (!denominators_) return;
  const bool everyone = sum.sampling.kind == SamplingKind::kEveryone;
  const double constant = everyone ? denominators_->everyone : denominators_->batch;
  if (std::abs(sum.denominator - constant) > 1e-9 * constant) {
    fail(kShared, fmt::format("denominator {} instead of {} = {} at {}", sum.denominator,
                              everyone ? "n" : "q n", constant, where));
  }
}

void ReplayChecks::inspect_pure(const std::string& where, const SeenPure& seen) {
  ++lines_[kNoise].tried;
  if (seen.scale == 0) return;  // few answers may all be true: T1 counts them
  for (const auto& [unit, own] : seen.contributions) {
    const double length = l1_norm(own) / static_cast<double>(seen.longest);
    measure(kLength, length, length <= 1, fmt::format("unit {}, {}", unit, where));
  }
  if (seen.drawn == seen.exact) fail(kNoise, "no noise at " + where);
  const double distance = neighbour_distance(seen.adjacency) * static_cast<double>(seen.longest);
  if (distance > seen.epsilon * static_cast<double>(seen.scale)) {
    fail(kLedger, "less noise than was charged at " + where);
  }
}

}  // namespace dpfermi
