#include "audit/baseline_tiers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "audit/case_seed.h"
#include "audit/neighbours.h"
#include "audit/rehearsal.h"
#include "audit/release_draws.h"
#include "audit/replay_checks.h"
#include "audit/replay_findings.h"
#include "audit/sampler_checks.h"
#include "optimize/baseline.h"

namespace dpfermi {
namespace {

constexpr std::size_t kProbes = 4;  ///< members of a batch that are looked at one by one

AuditCase case_of(const MethodDescriptor& baseline, std::string name, FairnessNotion notion,
                  const InventedSpec& spec) {
  TrainingRequest request{.method = Method(baseline)};
  request.notion = notion;
  request.adjacency = *baseline.adjacencies.begin();
  request.epsilon = 2;
  request.delta = 1e-5;
  return invented_case(std::move(name), spec, request);
}

/// Whether the baseline takes such data.
bool can_run(const AuditCase& audited) {
  ReleaseTape tape(0);
  tape.probe_at_most(0);
  const Result<Rehearsal> run = rehearse_baseline(audited, audited.data, {}, tape);
  return run && run->outcome;
}

/// Replays pairs of neighbours.
class Replay {
 public:
  Replay(const AuditCase& audited, std::uint64_t seed)
      : audited_(&audited), seeds_{.all = seed}, checks_(audited.request.adjacency) {}

  Status pair(const Neighbours& neighbours, Outputs outputs) {
    ReleaseTape first(neighbours.unit, outputs);
    ReleaseTape second(neighbours.unit, first);
    DPFERMI_ASSIGN(const Rehearsal one, run(neighbours.first, seeds_, first));
    DPFERMI_ASSIGN(const Rehearsal two, run(neighbours.second, seeds_, second));
    checks_.inspect(neighbours.what, {&first, &one});
    checks_.inspect(neighbours.what, {&second, &two});
    checks_.compare(neighbours.what, {}, {&first, &one}, {&second, &two});
    const bool secret = std::ranges::any_of(first.sums(), [](const SeenSum& sum) {
      return sum.sampling.kind == SamplingKind::kPoisson;
    });
    if (!secret) return {};
    ReleaseTape other(neighbours.unit, first);
    const RehearsalSeeds batches{.all = seeds_.all, .secret_batches = seeds_.all + 1};
    DPFERMI_ASSIGN(const Rehearsal three, run(neighbours.first, batches, other));
    checks_.compare_hidden(neighbours.what, {&first, &one}, {&other, &three});
    return {};
  }

  const ReplayChecks& checks() const { return checks_; }

 private:
  Result<Rehearsal> run(const Dataset& data, const RehearsalSeeds& seeds, ReleaseTape& tape) const {
    tape.probe_at_most(kProbes);
    return rehearse_baseline(*audited_, data, seeds, tape);
  }

  const AuditCase* audited_;
  RehearsalSeeds seeds_;
  ReplayChecks checks_;
};

/// What a run as it is releases, against what it claims.
Result<Finding> price_of(const AuditCase& audited, std::uint64_t seed) {
  ReleaseTape tape(0);
  tape.probe_at_most(0);
  DPFERMI_ASSIGN(const Rehearsal run, rehearse_baseline(audited, audited.data, {seed}, tape));
  DPFERMI_TRY(run.outcome);
  const PrivacyCost claimed{audited.request.epsilon, run.outcome->statement.cost->delta};
  DPFERMI_ASSIGN(const PrivacyEvent seen,
                 seen_event(audited.request.adjacency, tape.seen(), run.plans));
  return price_finding(subject_of(audited), claimed, seen);
}

/// Without a seed: as secret noise has it.
Status watch(const AuditCase& audited, std::optional<std::uint64_t> seed, ReleaseDraws& draws) {
  DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(seed));
  draws.begin_run();
  return watch_baseline(audited, std::move(noise), draws);
}

double effort_of(const AuditOptions& options) {
  return options.effort * (options.quick ? 0.2 : 1);
}

}  // namespace

std::vector<AuditCase> baseline_cases(const MethodDescriptor& baseline) {
  const std::vector<FairnessNotion> notions = baseline.known_notions();
  const FairnessNotion first = notions.front();
  const FairnessNotion last = notions.back();
  std::vector<AuditCase> cases;
  cases.push_back(case_of(baseline, "two groups", first, {}));
  const std::size_t most = baseline.most_groups == 0 ? 4 : baseline.most_groups;
  const InventedSpec wide{.groups = std::min<std::size_t>(4, most),
                          .classes = baseline.multi_class ? std::size_t{3} : std::size_t{2},
                          .seed = 2};
  const bool odds = baseline.knows(FairnessNotion::kEqualizedOdds);
  cases.push_back(
      case_of(baseline,
              fmt::format("{} groups{}", wide.groups == 2 ? "two" : fmt::to_string(wide.groups),
                          baseline.multi_class ? ", 3 classes" : ""),
              odds ? FairnessNotion::kEqualizedOdds : first, wide));
  AuditCase persons =
      case_of(baseline, "persons", last,
              {.groups = std::min<std::size_t>(3, most), .most_rows = 4, .seed = 3});
  if (can_run(persons)) cases.push_back(std::move(persons));
  return cases;
}

Result<std::vector<Finding>> baseline_replay_tier(const AuditCase& audited,
                                                  const AuditOptions& options) {
  Replay replay(audited, options.seed);
  const std::uint64_t seed = case_seed(options.seed, Tier::kReplay, audited);
  for (const Neighbours& pair : neighbours_of(audited, options.quick, seed)) {
    for (const Outputs outputs : {Outputs::kDrawn, Outputs::kExtreme}) {
      DPFERMI_TRY(replay.pair(pair, outputs));
    }
  }
  std::vector<Finding> findings;
  add_lines(subject_of(audited), replay.checks(), findings);
  DPFERMI_ASSIGN(Finding price, price_of(audited, options.seed));
  findings.push_back(std::move(price));
  return findings;
}

Result<std::vector<Finding>> baseline_noise_tier(const AuditCase& audited,
                                                 const AuditOptions& options) {
  const auto wanted = static_cast<std::size_t>(100'000 * effort_of(options));
  const auto most_runs = static_cast<std::uint64_t>(2000 * effort_of(options));
  ReleaseDraws pooled(audited.data);
  for (std::uint64_t run = 0; run < most_runs && pooled.fewest() < wanted; ++run) {
    DPFERMI_TRY(watch(audited, options.seed + run, pooled));
  }
  ReleaseDraws apart(audited.data);
  DPFERMI_TRY(options.quick ? watch(audited, options.seed + most_runs, apart)
                            : watch(audited, std::nullopt, apart));
  std::vector<Check> checks = pooled.checks();
  append_checks(checks, pooled.checks_against(apart));
  const std::vector<const ReleaseDraws*> all{&pooled, &apart};
  checks.push_back(repetition_check(all));
  return judge_together(Tier::kNoise, subject_of(audited), std::move(checks),
                        options.false_alarm_rate);
}

Result<std::vector<Finding>> baseline_sampler_tier(const AuditCase& audited,
                                                   const AuditOptions& options) {
  const auto wanted = static_cast<std::size_t>(5000 * effort_of(options));
  ReleaseDraws pooled(audited.data);
  std::vector<const Recording*> kinds;
  for (std::uint64_t run = 0; kinds.empty() || kinds.front()->batches.size() < wanted; ++run) {
    DPFERMI_TRY(watch(audited, options.seed + run, pooled));
    kinds = pooled.sampled();
    if (kinds.empty()) return std::vector<Finding>{};
  }
  std::vector<Check> checks;
  for (const Recording* kind : kinds) {
    std::ranges::move(sampler_checks(*kind), std::back_inserter(checks));
  }
  return judge_together(Tier::kSampler, subject_of(audited), std::move(checks),
                        options.false_alarm_rate);
}

std::vector<TierEntry> baseline_tiers() {
  return {{Tier::kReplay, 0, baseline_replay_tier},
          {Tier::kNoise, FalseAlarmBudget::kNoise, baseline_noise_tier},
          {Tier::kSampler, FalseAlarmBudget::kSampler, baseline_sampler_tier}};
}

}  // namespace dpfermi
