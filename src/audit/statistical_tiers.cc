#include "audit/statistical_tiers.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <thread>

#include "audit/attribute_game.h"
#include "audit/checks.h"
#include "audit/noise_checks.h"
#include "audit/one_run.h"
#include "audit/public_batches.h"
#include "audit/sampler_checks.h"

namespace dpfermi {
namespace {

constexpr std::uint32_t kLargeTable = 2000;  ///< units from which a table serves as it is

/// A seed for one tier on one case, so that cases do not share their streams.
std::uint64_t seed_for(const AuditOptions& options, Tier tier, const AuditCase& audited) {
  std::uint64_t hash = 0xcbf29ce484222325ULL ^ options.seed;
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  };
  add(to_string(tier));
  add(to_string(audited.request.method));
  add(to_string(audited.request.adjacency));
  add(audited.name);
  return hash;
}

/// How many runs or draws: of the short form, or of the full one.
std::uint64_t amount(const AuditOptions& options, double quick, double full) {
  return static_cast<std::uint64_t>(std::ceil((options.quick ? quick : full) * options.effort));
}

NoiseSource seeded(std::uint64_t seed) {
  return NoiseSource(*ReproducibleSeed::from_number(seed));
}

/// The plan of the case with another number of steps and another rate. Small tables only: a large
/// one is audited as it is used.
Result<TrainingPlan> stretched_plan(const AuditCase& audited, std::uint64_t steps,
                                    std::uint32_t batch_divisor) {
  if (audited.data.unit_count >= kLargeTable) return plan_of(audited);
  AuditCase longer{audited.name, audited.request, audited.favourable, audited.data, audited.s};
  const auto units = static_cast<std::uint32_t>(audited.data.unit_count);
  const std::uint32_t batch = std::max(1U, longer.request.batch.value_or(units) / batch_divisor);
  const double n = longer.request.declared_units.value_or(units);
  if (longer.request.method == Method::kSketch && longer.request.residual_rounds != 0) {
    constexpr std::uint64_t kMostRounds = 200;
    longer.request.residual_rounds = std::min(steps, kMostRounds);
    return plan_of(longer);
  }
  longer.request.batch = batch;
  longer.request.epochs = static_cast<double>(steps) * batch / n;
  return plan_of(longer);
}

}  // namespace

Result<std::vector<Finding>> noise_tier(const AuditCase& audited, const AuditOptions& options) {
  const std::uint64_t draws = amount(options, 30'000, 100'000);
  const std::size_t short_runs = amount(options, 40, 200);
  constexpr std::uint64_t kFewSteps = 8;
  const std::uint64_t seed = seed_for(options, Tier::kNoise, audited);
  DPFERMI_ASSIGN(const TrainingPlan few, stretched_plan(audited, kFewSteps, 1));
  if (few.noise_multiplier == 0) return std::vector<Finding>{};
  DPFERMI_ASSIGN(const Recording sample,
                 record_run(audited.data, few, seeded(seed), audited.network));
  const std::uint64_t entries = sample.noise.empty() ? 1 : sample.noise[0].size();
  const std::uint64_t steps = draws / entries + 1;
  DPFERMI_ASSIGN(const TrainingPlan plan, stretched_plan(audited, steps, 1));

  DPFERMI_ASSIGN(const Recording run,
                 record_run(audited.data, plan, seeded(seed), audited.network));
  std::vector<Check> checks = noise_checks(run);
  DPFERMI_ASSIGN(const TrainingPlan brief, stretched_plan(audited, steps / 4 + 1, 1));
  std::vector<Recording> apart;
  for (const std::uint64_t k : {1U, 2U}) {
    NoiseSource noise = seeded(seed + k);
    if (!options.quick) {
      DPFERMI_ASSIGN(noise, make_noise_source(std::nullopt));
    }
    DPFERMI_ASSIGN(Recording other,
                   record_run(audited.data, brief, std::move(noise), audited.network));
    apart.push_back(std::move(other));
  }
  append_checks(checks, independence_checks(run, apart[0]));
  append_checks(checks, independence_checks(apart[0], apart[1]));
  if (!sample.counts_noise.empty() && audited.data.unit_count < kLargeTable) {
    std::vector<Recording> runs;
    for (std::size_t k = 0; k < short_runs; ++k) {
      DPFERMI_ASSIGN(Recording other,
                     record_run(audited.data, few, seeded(seed + 100 + k), audited.network));
      runs.push_back(std::move(other));
    }
    append_checks(checks, counts_checks(runs));
  }
  return judge_together(Tier::kNoise, subject_of(audited), std::move(checks),
                        options.false_alarm_rate);
}

bool sampler_applies(const AuditCase& audited) {
  return audited.request.method != Method::kSketch;
}

Result<std::vector<Finding>> sampler_tier(const AuditCase& audited, const AuditOptions& options) {
  const std::uint64_t steps = amount(options, 1000, 4000);
  const std::uint64_t seed = seed_for(options, Tier::kSampler, audited);
  std::vector<Check> checks;
  std::vector<std::uint32_t> divisors = {1};
  if (audited.data.unit_count < kLargeTable) divisors.push_back(4);
  for (const std::uint32_t divisor : divisors) {
    DPFERMI_ASSIGN(const TrainingPlan plan, stretched_plan(audited, steps, divisor));
    if (plan.noise_multiplier == 0) return std::vector<Finding>{};
    DPFERMI_ASSIGN(const Recording run,
                   record_run(audited.data, plan, seeded(seed + divisor), audited.network));
    append_checks(checks, sampler_checks(run));
  }
  if (features_are_public(audited.request.adjacency) &&
      audited.request.method == Method::kDpFermi) {
    const std::size_t runs = amount(options, 10, 40);
    DPFERMI_ASSIGN(const WatchedBatches pairs, watch_public_batches(audited.request, runs, seed));
    append_checks(checks, public_batch_checks(pairs.steps, pairs.q));
  }
  return judge_together(Tier::kSampler, subject_of(audited), std::move(checks),
                        options.false_alarm_rate);
}

bool attribute_applies(const AuditCase& audited) {
  const TrainingRequest& request = audited.request;
  const bool plain = request.notion == FairnessNotion::kDemographicParity &&
                     request.hidden.empty() && !audited.data.persons;
  return plain || audited.data.unit_count >= kLargeTable;
}

Result<std::vector<Finding>> attribute_tier(const AuditCase& audited, const AuditOptions& options) {
  const std::size_t games = amount(options, 2000, 20'000);
  const std::uint64_t seed = seed_for(options, Tier::kAttribute, audited);
  const TrainingRequest& request = audited.request;
  DPFERMI_ASSIGN(const AttributeGame game,
                 make_game({request.method, request.adjacency, request.epsilon,
                            request.delta.value_or(1e-5)}));
  Workers workers(std::max(1U, std::thread::hardware_concurrency()));
  DPFERMI_ASSIGN(std::vector<Check> checks, attribute_checks(game, games, seed, workers));
  Subject subject = subject_of(audited);
  subject.name = game.name;
  return judge(Tier::kAttribute, subject, std::move(checks), options.false_alarm_rate);
}

bool one_run_applies(const AuditCase& audited) {
  return features_are_public(audited.request.adjacency) &&
         audited.request.method == Method::kDpFermi && attribute_applies(audited);
}

Result<std::vector<Finding>> one_run_tier(const AuditCase& audited, const AuditOptions& options) {
  constexpr std::uint32_t kUnits = 10'000;
  const auto canaries = static_cast<std::uint32_t>(amount(options, 800, 1500));
  const std::uint64_t seed = seed_for(options, Tier::kOneRun, audited);
  const bool own = audited.data.unit_count >= kLargeTable;
  TrainingRequest request = audited.request;
  if (!own) {
    request.batch = kUnits / 4;
    request.epochs = 25;
    request.clip_norm = 0.05;  // every canary's gradient is as long as it may be
    request.delta.reset();     // 1/n^2: a larger one hides what one run can show
  }
  DPFERMI_ASSIGN(const OneRunSetup setup,
                 own ? one_run_on(audited.data, request, audited.favourable,
                                  std::min(canaries, kLargeTable / 4), seed)
                     : one_run_invented(request, kUnits, canaries, seed));
  DPFERMI_ASSIGN(const OneRunOutcome outcome, run_once(setup, seed));
  Subject subject = subject_of(audited);
  if (!own) subject.name = "10,000 records";
  return judge(Tier::kOneRun, subject, {one_run_check(outcome)}, options.false_alarm_rate);
}

}  // namespace dpfermi
