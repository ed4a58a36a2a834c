#include "audit/statistical_tiers.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>

#include "audit/attribute_game.h"
#include "audit/case_seed.h"
#include "audit/checks.h"
#include "audit/one_run.h"
#include "audit/public_batches.h"
#include "audit/release_draws.h"
#include "audit/sampler_checks.h"

namespace dpfermi {
namespace {

constexpr std::uint32_t kLargeTable = 2000;  ///< units from which a table serves as it is

/// How many runs or draws: of the short form, or of the full one.
std::uint64_t amount(const AuditOptions& options, double quick, double full) {
  return static_cast<std::uint64_t>(std::ceil((options.quick ? quick : full) * options.effort));
}

NoiseSource seeded(std::uint64_t seed) {
  return NoiseSource(*ReproducibleSeed::from_number(seed));
}

/// Runs `plan` on the case with this noise and shows its releases to `draws`.
Status watch_plan(const AuditCase& audited, const TrainingPlan& plan, NoiseSource noise,
                  ReleaseDraws& draws) {
  AuditLedger ledger(draws);
  TrainingHooks hooks;
  const std::shared_ptr<DeepNetwork> held =
      audited.network ? audited.network(audited.data) : nullptr;
  hooks.deep_network = held.get();
  draws.begin_run();
  DPFERMI_TRY(train(audited.data, plan, ledger, std::move(noise), hooks));
  draws.name_kinds(ledger.plans());
  return {};
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
    constexpr std::uint64_t kMostRounds = 20;
    longer.request.residual_rounds = std::min(steps, kMostRounds);
    return plan_of(longer);
  }
  longer.request.batch = batch;
  longer.request.epochs = static_cast<double>(steps) * batch / n;
  return plan_of(longer);
}

}  // namespace

Result<std::vector<Finding>> noise_tier(const AuditCase& audited, const AuditOptions& options) {
  constexpr std::uint64_t kFewSteps = 4;
  const std::uint64_t draws = amount(options, 30'000, 100'000);  // of the steps
  const std::size_t least = amount(options, 5'000, 20'000);      // of every kind
  const std::uint64_t seed = case_seed(options.seed, Tier::kNoise, audited);
  DPFERMI_ASSIGN(const TrainingPlan few, stretched_plan(audited, kFewSteps, 1));
  if (few.noise_multiplier == 0) return std::vector<Finding>{};
  // Short runs, for what a run releases once.
  ReleaseDraws brief(audited.data);
  if (audited.data.unit_count < kLargeTable) {
    const std::size_t most = 40 * least;  // of all kinds
    for (std::uint64_t k = 0; brief.fewest() < least && k * brief.entries_a_run() < most; ++k) {
      DPFERMI_TRY(watch_plan(audited, few, seeded(seed + 100 + k), brief));
    }
  }
  // A long one, for what it releases at every step; two more, which must share nothing.
  const std::uint64_t entries = std::max<std::uint64_t>(brief.entries_a_run() / kFewSteps, 1);
  const std::uint64_t steps = draws / entries + 1;
  DPFERMI_ASSIGN(const TrainingPlan plan, stretched_plan(audited, steps, 1));
  DPFERMI_ASSIGN(const TrainingPlan quarter, stretched_plan(audited, steps / 4 + 1, 1));
  ReleaseDraws run(audited.data);
  DPFERMI_TRY(watch_plan(audited, plan, seeded(seed), run));
  std::vector<ReleaseDraws> apart(2, ReleaseDraws(audited.data));
  for (std::size_t k = 0; k < apart.size(); ++k) {
    NoiseSource noise = seeded(seed + 1 + k);
    if (!options.quick) {
      DPFERMI_ASSIGN(noise, make_noise_source(std::nullopt));
    }
    DPFERMI_TRY(watch_plan(audited, quarter, std::move(noise), apart[k]));
  }
  std::vector<Check> checks = run.checks();
  append_checks(checks, brief.checks());
  append_checks(checks, apart[0].checks_against(apart[1]));
  const std::vector<const ReleaseDraws*> all{&run, &brief, &apart[0], &apart[1]};
  checks.push_back(repetition_check(all));
  return judge_together(Tier::kNoise, subject_of(audited), std::move(checks),
                        options.false_alarm_rate);
}

bool sampler_applies(const AuditCase& audited) {
  return audited.request.method != Method::kSketch;
}

Result<std::vector<Finding>> sampler_tier(const AuditCase& audited, const AuditOptions& options) {
  const std::uint64_t steps = amount(options, 1000, 4000);
  const std::uint64_t seed = case_seed(options.seed, Tier::kSampler, audited);
  std::vector<Check> checks;
  std::vector<std::uint32_t> divisors = {1};
  if (audited.data.unit_count < kLargeTable) divisors.push_back(4);
  for (const std::uint32_t divisor : divisors) {
    DPFERMI_ASSIGN(const TrainingPlan plan, stretched_plan(audited, steps, divisor));
    if (plan.noise_multiplier == 0) return std::vector<Finding>{};
    ReleaseDraws run(audited.data);
    DPFERMI_TRY(watch_plan(audited, plan, seeded(seed + divisor), run));
    for (const Recording* recording : run.sampled()) {
      append_checks(checks, sampler_checks(*recording));
    }
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
                     request.hidden.empty() && !audited.data.persons &&
                     request.features.kind == FeatureKind::kEncoded;
  return plain || audited.data.unit_count >= kLargeTable;
}

Result<std::vector<Finding>> attribute_tier(const AuditCase& audited, const AuditOptions& options) {
  const std::size_t games = amount(options, 2000, 20'000);
  const std::uint64_t seed = case_seed(options.seed, Tier::kAttribute, audited);
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
  const std::uint64_t seed = case_seed(options.seed, Tier::kOneRun, audited);
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
