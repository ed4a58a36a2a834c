#include "audit/rehearsal.h"

#include "artifact/checkpoint_file.h"
#include "privacy/team_ledger.h"
#include "workflow/planned_run.h"

namespace dpfermi {
namespace {

Status check_invented(const Dataset& data) {
  if (data.s.invented() != Invented::kNothing) return {};
  return usage_error("a rehearsal takes synthetic data only; replace s by coin flips");
}

Result<NoiseSource> noise_of(const RehearsalSeeds& seeds, Team& team = Team::alone()) {
  DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(seeds.all, team));
  if (seeds.secret_batches) {
    DPFERMI_ASSIGN(ReproducibleSeed other, ReproducibleSeed::from_number(*seeds.secret_batches));
    DPFERMI_TRY(noise.reseed(Purpose::kSecretBatch, std::move(other)));
  }
  return noise;
}

/// What a run finds that goes on from a checkpoint: the file, read back.
Result<TrainingCheckpoint> through_file(const TrainingCheckpoint& now, std::uint64_t seed) {
  DPFERMI_ASSIGN(const std::string bytes, encode_checkpoint({now, seed, "", std::nullopt}));
  DPFERMI_ASSIGN(Checkpoint checkpoint, decode_checkpoint(bytes, "a rehearsal's checkpoint"));
  return std::move(checkpoint.training);
}

Result<TrainingResult> train_case(const AuditCase& audited, const Dataset& data, StepLedger& ledger,
                                  NoiseSource noise, const TrainingHooks& hooks) {
  DPFERMI_ASSIGN(const TrainingPlan plan, plan_training(audited.request, data, audited.favourable));
  return run_plan(data, plan, ledger, std::move(noise), hooks);
}

}  // namespace

Result<Rehearsal> rehearse(const Dataset& data, const TrainingPlan& plan,
                           const RehearsalSeeds& seeds, ReleaseTap& tap,
                           const RehearsalCourse& course, const NetworkFor& network, Team& team) {
  DPFERMI_TRY(check_invented(data));
  DPFERMI_ASSIGN(NoiseSource noise, noise_of(seeds, team));
  Rehearsal rehearsal;
  TrainingHooks hooks;
  hooks.team = &team;
  const std::shared_ptr<DeepNetwork> held = network ? network(data) : nullptr;
  hooks.deep_network = held.get();
  std::optional<TrainingCheckpoint> broken_off;
  hooks.checkpoint_every = course.block;
  hooks.checkpoint = [&](const TrainingCheckpoint& now) -> Status {
    rehearsal.path.push_back(now);
    if (now.state.step != course.break_at) return {};
    DPFERMI_ASSIGN(broken_off, through_file(now, seeds.all));
    return failed("the rehearsal breaks off here");
  };
  const auto own = std::make_shared<AuditLedger>(tap);
  TeamLedger ledger(team, team.leads() ? own : nullptr, &tap);
  rehearsal.outcome = run_plan(data, plan, ledger, std::move(noise), hooks);
  if (broken_off) {
    hooks.resume = &*broken_off;
    DPFERMI_ASSIGN(NoiseSource again, noise_of(seeds, team));
    rehearsal.outcome = run_plan(data, plan, ledger, std::move(again), hooks);
  }
  rehearsal.plans = own->plans();
  rehearsal.claims = own->claims();
  return rehearsal;
}

Result<Rehearsal> rehearse_baseline(const AuditCase& audited, const Dataset& data,
                                    const RehearsalSeeds& seeds, ReleaseTap& tap) {
  DPFERMI_TRY(check_invented(data));
  DPFERMI_ASSIGN(NoiseSource noise, noise_of(seeds));
  Rehearsal rehearsal;
  TrainingHooks hooks;
  hooks.progress = [&rehearsal](const TrainingProgress& now) {
    TrainingCheckpoint& seen = rehearsal.path.emplace_back();
    seen.state.step = now.step;
    seen.state.theta.assign(now.theta.begin(), now.theta.end());
    return true;
  };
  AuditLedger ledger(tap);
  rehearsal.outcome = train_case(audited, data, ledger, std::move(noise), hooks);
  rehearsal.plans = ledger.plans();
  rehearsal.claims = ledger.claims();
  return rehearsal;
}

Status watch_baseline(const AuditCase& audited, NoiseSource noise, ReleaseTap& tap) {
  DPFERMI_TRY(check_invented(audited.data));
  AuditLedger ledger(tap);
  DPFERMI_TRY(train_case(audited, audited.data, ledger, std::move(noise), {}));
  return {};
}

}  // namespace dpfermi
