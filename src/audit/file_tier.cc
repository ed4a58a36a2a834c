#include "audit/file_tier.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "audit/case_seed.h"
#include "audit/front_door_rehearsal.h"
#include "audit/invention.h"
#include "audit/neighbours.h"
#include "audit/release_draws.h"
#include "audit/replay_checks.h"
#include "audit/replay_findings.h"
#include "evaluate/private_release.h"

namespace dpfermi {
namespace {

constexpr std::size_t kMostUnits = 1000;

/// Whether a file may hold such records: numbers within their declared bounds.
bool can_be_written(const Dataset& data) {
  for (std::size_t row = 0; row < data.rows(); ++row) {
    for (const float number : data.x.row(row).numbers) {
      if (!(std::abs(number) <= kLargestNumber)) return false;
    }
  }
  return true;
}

struct TablePair {
  std::string what;
  std::uint32_t unit;
  InventedTable first, second;
};

/// `most` of the neighbours, spread over all of them; where features are public also a unit whose
/// undeclared group.
std::vector<TablePair> pairs_of(const AuditCase& audited, std::size_t most, std::uint64_t seed) {
  std::vector<Neighbours> all = neighbours_of(audited, true, seed);
  std::erase_if(all, [](const Neighbours& pair) {
    return !can_be_written(pair.first) || !can_be_written(pair.second);
  });
  std::vector<TablePair> pairs;
  most = std::min(most, all.size());
  for (std::size_t i = 0; i < most; ++i) {
    const Neighbours& pair = all[most == 1 ? 0 : i * (all.size() - 1) / (most - 1)];
    pairs.push_back(
        {pair.what, pair.unit, table_of(audited, pair.first), table_of(audited, pair.second)});
  }
  if (features_are_public(audited.request.adjacency)) {
    const auto unit = static_cast<std::uint32_t>(seed % audited.data.unit_count);
    pairs.push_back({fmt::format("unit {}, group -> undeclared", unit), unit,
                     table_of(audited, audited.data), table_of(audited, audited.data, unit)});
  }
  return pairs;
}

/// A class for every row, by what is public of it.
std::vector<std::uint16_t> decisions_on(const Dataset& data) {
  std::vector<std::uint16_t> decisions;
  for (std::size_t row = 0; row < data.rows(); ++row) {
    decisions.push_back(static_cast<std::uint16_t>((row + data.y[row]) % data.classes));
  }
  return decisions;
}

}  // namespace

bool file_applies(const AuditCase& audited) {
  const bool ours = audited.request.method == Method::kDpFermi || begins_with_sketch(audited);
  return ours && !audited.network && audited.data.s.invented() == Invented::kRecords &&
         audited.data.unit_count <= kMostUnits && !audited.data.x.category_sizes().empty();
}

Result<std::vector<Finding>> file_tier(const AuditCase& audited, const AuditOptions& options) {
  const std::uint64_t seed = case_seed(options.seed, Tier::kReplay, audited);
  ReplayChecks checks(audited.request.adjacency);
  Subject subject = subject_of(audited);
  subject.name += ", front door";
  std::optional<Finding> price;
  const bool vanishes = audited.request.adjacency == Adjacency::kAddRemoveRecord;
  for (const TablePair& pair : pairs_of(audited, options.quick ? 2 : 6, seed)) {
    ReleaseTape first(pair.unit);
    ReleaseTape second(pair.unit, first);
    if (vanishes) second.no_probe();
    DPFERMI_ASSIGN(const Rehearsal one,
                   rehearse_front_door(audited, pair.first, options.seed, first));
    DPFERMI_TRY(one.outcome);
    DPFERMI_ASSIGN(const Rehearsal two,
                   rehearse_front_door(audited, pair.second, options.seed, second));
    checks.inspect(pair.what, {&first, &one});
    checks.inspect(pair.what, {&second, &two});
    checks.compare(pair.what, {{pair.unit}, vanishes}, {&first, &one}, {&second, &two});
    if (price) continue;
    DPFERMI_ASSIGN(price, dearest_charge(subject, first, one.plans));
  }
  std::vector<Finding> findings;
  add_lines(subject, checks, findings);
  if (price) findings.push_back(*std::move(price));
  return findings;
}

bool evaluation_applies(const AuditCase& audited) {
  return audited.request.method == Method::kDpFermi && file_applies(audited) &&
         audited.request.hidden.empty() && audited.data.weights.empty();
}

Result<std::vector<Finding>> evaluation_tier(const AuditCase& audited,
                                             const AuditOptions& options) {
  const auto least =
      static_cast<std::size_t>((options.quick ? 5'000 : 20'000) * options.effort) + 1;
  const std::uint64_t seed = case_seed(options.seed, Tier::kNoise, audited);
  const TrainingRequest& request = audited.request;
  DPFERMI_ASSIGN(const EvaluationPlan plan, plan_evaluation({request.adjacency, request.epsilon,
                                                             request.delta, request.declared_units},
                                                            audited.data));
  ReleaseDraws draws(audited.data);
  AuditLedger ledger(draws);
  for (std::uint64_t k = 0; draws.fewest() < least; ++k) {
    draws.begin_run();
    DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(seed + k));
    DPFERMI_TRY(
        release_table(plan, decisions_on(audited.data), audited.data, ledger, std::move(noise)));
  }
  draws.name_kinds(ledger.plans());
  std::vector<Check> checks = draws.checks();
  const std::vector<const ReleaseDraws*> all{&draws};
  checks.push_back(repetition_check(all));
  Subject subject = subject_of(audited);
  subject.name += ", evaluation";
  return judge_together(Tier::kNoise, subject, std::move(checks), options.false_alarm_rate);
}

}  // namespace dpfermi
