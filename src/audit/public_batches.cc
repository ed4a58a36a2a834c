#include "audit/public_batches.h"

#include <cmath>

#include "audit/audit_ledger.h"
#include "audit/invention.h"
#include "audit/recording.h"

namespace dpfermi {
namespace {

constexpr std::uint32_t kShuffledUnits = 64;
constexpr std::uint32_t kShuffledBatch = 16;
constexpr double kShuffledSteps = 40;

/// x is the identity.
Dataset identity_data() {
  Dataset data = two_by_two(HybridMatrix(kShuffledUnits, kShuffledUnits, 0, kShuffledUnits));
  std::vector<std::uint16_t> s(kShuffledUnits);
  for (std::uint32_t unit = 0; unit < kShuffledUnits; ++unit) {
    data.x.row(unit).numbers[unit] = 1;
    data.y[unit] = static_cast<std::uint16_t>(unit % 2);
    s[unit] = static_cast<std::uint16_t>(unit / 2 % 2);
  }
  data.s = Protected<std::vector<std::uint16_t>>::rehearsal(std::move(s), Invented::kRecords);
  return data;
}

/// Who was in the batch between two models.
std::vector<std::uint32_t> moved(const std::vector<double>& before,
                                 const std::vector<double>& after) {
  constexpr double kMoved = 1e-4;  // a member's weight moves by a hundredth, noise by 1e-9
  std::vector<std::uint32_t> members;
  for (std::uint32_t unit = 0; unit < kShuffledUnits; ++unit) {
    if (std::abs(after[unit] - before[unit]) > kMoved) members.push_back(unit);
  }
  return members;
}

}  // namespace

Result<WatchedBatches> watch_public_batches(const TrainingRequest& request, std::size_t runs,
                                            std::uint64_t seed) {
  TrainingRequest small{.method = Method::kDpFermi};
  small.epsilon = request.epsilon;
  small.delta = request.delta;
  small.batch = kShuffledBatch;
  small.epochs = kShuffledSteps * kShuffledBatch / kShuffledUnits;
  small.lambda = 1e-9;  // what noise does to the model must not hide the batch
  small.theta_rate = 1;
  small.iterate = IterateRule::kLast;
  small.residual_rounds = 0;  // from zero on, and nothing but steps
  const Dataset data = identity_data();
  DPFERMI_ASSIGN(const TrainingPlan plan, plan_training(small, data, 1));
  WatchedBatches watched;
  for (std::size_t run = 0; run < runs; ++run) {
    RunRecorder recorder(kShuffledUnits);
    AuditLedger ledger(recorder);
    std::vector<std::vector<double>> models(1, std::vector<double>(plan.model.parameter_count()));
    TrainingHooks hooks;
    hooks.checkpoint_every = 1;
    hooks.checkpoint = [&](const TrainingCheckpoint& now) -> Status {
      models.push_back(now.state.theta);
      return {};
    };
    DPFERMI_ASSIGN(NoiseSource noise, make_noise_source(seed + run));
    DPFERMI_ASSIGN(TrainingResult result, train(data, plan, ledger, std::move(noise), hooks));
    models.push_back(std::move(result.theta));
    const Recording& recording = recorder.recording();
    watched.q = recording.charged.q;
    for (std::size_t step = 0; step < recording.batches.size(); ++step) {
      watched.steps.push_back({moved(models[step], models[step + 1]), recording.batches[step]});
    }
  }
  return watched;
}

}  // namespace dpfermi
