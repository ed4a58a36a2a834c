#include "audit/rehearsal.h"

#include "baselines/baseline.h"

namespace dpfermi {
namespace {

Status check_invented(const Dataset& data) {
  if (data.s.invented() != Invented::kNothing) return {};
  return usage_error("a rehearsal takes invented data only; replace s by coin flips");
}

Result<NoiseSource> noise_of(const RehearsalSeeds& seeds) {
  DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(seeds.all));
  if (seeds.secret_batches) {
    DPFERMI_ASSIGN(ReproducibleSeed other, ReproducibleSeed::from_number(*seeds.secret_batches));
    DPFERMI_TRY(noise.reseed(Purpose::kSecretBatch, std::move(other)));
  }
  return noise;
}

Result<BaselineResult> train_case(const AuditCase& audited, const Dataset& data, StepLedger& ledger,
                                  NoiseSource noise, const TrainingHooks& hooks) {
  const MethodDescriptor& baseline = audited.request.method.descriptor();
  DPFERMI_ASSIGN(const BaselineOptions options,
                 baseline_options(baseline, audited.request, audited.favourable));
  return train_baseline(baseline, data, options, ledger, std::move(noise), hooks);
}

}  // namespace

Result<Rehearsal> rehearse(const Dataset& data, const TrainingPlan& plan,
                           const RehearsalSeeds& seeds, ReleaseTap& tap, bool keep_path,
                           const NetworkFor& network) {
  DPFERMI_TRY(check_invented(data));
  DPFERMI_ASSIGN(NoiseSource noise, noise_of(seeds));
  Rehearsal rehearsal;
  TrainingHooks hooks;
  const std::shared_ptr<DeepNetwork> held = network ? network(data) : nullptr;
  hooks.deep_network = held.get();
  if (keep_path) {
    hooks.checkpoint_every = 1;
    hooks.checkpoint = [&rehearsal](const TrainingCheckpoint& now) -> Status {
      rehearsal.path.push_back(now);
      return {};
    };
  }
  AuditLedger ledger(tap);
  rehearsal.outcome = train(data, plan, ledger, std::move(noise), hooks);
  rehearsal.plans = ledger.plans();
  rehearsal.claims = ledger.claims();
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
  Result<BaselineResult> result = train_case(audited, data, ledger, std::move(noise), hooks);
  if (result) rehearsal.rule = std::move(result->rule);
  rehearsal.outcome =
      std::move(result).map([](BaselineResult made) { return std::move(made.training); });
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
