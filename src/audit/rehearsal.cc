#include "dpfermi/audit/rehearsal.h"

namespace dpfermi {

Result<Rehearsal> rehearse(const Dataset& data, const TrainingPlan& plan,
                           const RehearsalSeeds& seeds, ReleaseTap& tap, bool keep_path) {
  if (data.s.invented() == Invented::kNothing) {
    return usage_error("a rehearsal takes invented data only; replace s by coin flips");
  }
  DPFERMI_ASSIGN(ReproducibleSeed seed, ReproducibleSeed::from_number(seeds.all));
  NoiseSource noise(std::move(seed));
  if (seeds.secret_batches) {
    DPFERMI_ASSIGN(ReproducibleSeed other, ReproducibleSeed::from_number(*seeds.secret_batches));
    DPFERMI_TRY(noise.reseed(Purpose::kSecretBatch, std::move(other)));
  }
  Rehearsal rehearsal;
  TrainingHooks hooks;
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

}  // namespace dpfermi
