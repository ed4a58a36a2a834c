#include "audit/replay_differences.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace dpfermi {
namespace {

constexpr std::int64_t kMostEntry = std::int64_t{1} << 58;

template <class T>
bool same_bytes(std::span<const T> a, std::span<const T> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}
bool same(std::span<const double> a, std::span<const double> b) {
  return same_bytes(a, b);
}
bool same(double a, double b) {
  return same({&a, 1}, {&b, 1});
}

bool same(const std::optional<ViolationInterval>& a, const std::optional<ViolationInterval>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return same(a->low, b->low) && same(a->high, b->high) && same(a->confidence, b->confidence) &&
         a->by_proxy == b->by_proxy;
}
bool same(const std::optional<TargetVerdict>& a, const std::optional<TargetVerdict>& b) {
  if (!a || !b) return a.has_value() == b.has_value();
  return a->met == b->met && same(a->released, b->released) && same(a->deviation, b->deviation) &&
         a->cell == b->cell;
}

std::string describe(const Sampling& sampling) {
  return fmt::format("kind {}, q {}, denominator {}{}", static_cast<int>(sampling.kind), sampling.q,
                     sampling.expected_units, sampling.declared ? ", declared" : "");
}

}  // namespace

Length length_of(std::span<const std::int64_t> entries) {
  Length length;
  for (const std::int64_t entry : entries) {
    if (entry > kMostEntry || entry < -kMostEntry) {
      length.huge = true;
      return length;
    }
    const auto size = static_cast<Wide>(entry < 0 ? -entry : entry);
    length.square += size * size;
  }
  return length;
}

double l1_norm(std::span<const std::int64_t> entries) {
  double norm = 0;
  for (const std::int64_t entry : entries) norm += std::abs(static_cast<double>(entry));
  return norm;
}

Integers difference(const Integers& a, const Integers& b) {
  Integers result(std::max(a.size(), b.size()));
  for (std::size_t i = 0; i < a.size(); ++i) result[i] = a[i];
  for (std::size_t i = 0; i < b.size(); ++i) {
    // In unsigned arithmetic: an entry may be anything.
    result[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(result[i]) -
                                          static_cast<std::uint64_t>(b[i]));
  }
  return result;
}

bool same(const TrainingCheckpoint& a, const TrainingCheckpoint& b) {
  return a.state.step == b.state.step && same(a.state.theta, b.state.theta) &&
         same(a.state.w, b.state.w) && same(a.state.kept, b.state.kept) &&
         same(a.lambda, b.lambda) && same(a.shares, b.shares) && same(a.marginals, b.marginals) &&
         same(a.table, b.table) && a.ledger_plan == b.ledger_plan;
}

std::string difference(const Result<TrainingResult>& a, const Result<TrainingResult>& b) {
  if (a.has_value() != b.has_value()) return "one run fails, the other does not";
  if (!a) return a.error().message == b.error().message ? "" : "other messages";
  if (!same(a->theta, b->theta)) return "other final parameters";
  if (a->rule != b->rule) return "other decisions";
  if (!same(a->lambda, b->lambda)) return "another final lambda";
  if (a->steps != b->steps) return "another number of steps";
  if (!same(a->released_shares, b->released_shares) ||
      !same(a->share_deviations, b->share_deviations) ||
      !same(a->released_rates, b->released_rates) || a->known_groups != b->known_groups) {
    return "other released figures";
  }
  if (!same(a->violation, b->violation)) return "another interval of the violation";
  if (!same(a->target, b->target)) return "another verdict on the target";
  if (a->returned != b->returned) return "another account of what is returned";
  if (!same_bytes<float>(a->proxy, b->proxy)) return "another proxy";
  if (a->merged != b->merged) return "other groups are merged";
  if (!same_bytes<float>(a->scores, b->scores)) return "other scores";
  return to_json(a->statement) == to_json(b->statement) ? "" : "another statement";
}

std::string shape_of(const SeenSum& sum) {
  std::string text = fmt::format("{}, bits {}, z {}, denominator {}", sum.charged, sum.lattice_bits,
                                 sum.noise_multiplier, sum.denominator);
  for (const Segment& segment : sum.segments) {
    text += fmt::format(", {} {} {}", segment.size, segment.clip_norm, segment.weight);
  }
  return text + ", " + describe(sum.sampling);
}

std::string ledger_of(const Rehearsal& run) {
  std::string text;
  for (const PlanState& state : run.plans) {
    text += fmt::format("{} {} {};", state.plan.purpose, state.plan.cost.epsilon,
                        state.plan.cost.delta);
    for (const PlannedPart& part : state.plan.parts) {
      text +=
          fmt::format("{} {} {} {};", part.purpose, to_json(part.event), part.steps, part.spare);
    }
  }
  for (const AuditLedger::Claim& claim : run.claims) {
    text += fmt::format("{} {} {} {};", claim.plan, claim.part, claim.first, claim.count);
  }
  return text;
}

}  // namespace dpfermi
