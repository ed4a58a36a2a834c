// Planted defects in the mechanisms and samplers show in a baseline that uses them, too. Not among
// them: a permit that is not used up (a baseline asks for exactly what it releases).

#include "audit/replay_mutants.h"
#include "baselines/audited.h"
#include "baselines/raco_dp.h"
#include "core/mutant.h"

#ifdef DPFERMI_MUTANTS

namespace dpfermi {
namespace {

using testing_support::first_red;

/// Counts, secret batches of a few records, gradients and histograms: `steps` of them.
template <std::uint64_t kSteps>
Result<TrainingResult> small_raco(const Dataset& data, const BaselineOptions& given,
                                  StepLedger& ledger, NoiseSource noise,
                                  const TrainingHooks& hooks) {
  RacoOptions options{given};
  options.steps = kSteps;
  options.batch = 12;
  return raco_dp(data, options, ledger, std::move(noise), hooks);
}

struct Planted {
  Mutant mutant;
  AuditTier tier;
  std::uint64_t steps = 400;
};

class PlantedInBaseline : public testing::TestWithParam<Planted> {
 protected:
  void TearDown() override { plant(Mutant::kNone); }
};

TEST_P(PlantedInBaseline, IsFound) {
  const MethodDescriptor baseline = testing_support::with_training(
      methods::raco_dp, GetParam().steps == 5 ? small_raco<5> : small_raco<400>);
  const AuditCase audited = baseline_cases(baseline).front();
  const AuditOptions options{.quick = true, .false_alarm_rate = 1e-5};
  EXPECT_EQ(first_red(GetParam().tier(audited, options)), "") << "without a defect";
  plant(GetParam().mutant);
  EXPECT_NE(first_red(GetParam().tier(audited, options)), "");
}

INSTANTIATE_TEST_SUITE_P(
    All, PlantedInBaseline,
    testing::Values(Planted{Mutant::kLongContributions, baseline_replay_tier, 5},
                    Planted{Mutant::kNanSurvivesClip, baseline_replay_tier, 5},
                    Planted{Mutant::kNoNoise, baseline_replay_tier, 5},
                    Planted{Mutant::kNoiseRepeated, baseline_replay_tier, 5},
                    Planted{Mutant::kNoiseFromData, baseline_replay_tier, 5},
                    Planted{Mutant::kNoiseOffLattice, baseline_replay_tier, 5},
                    Planted{Mutant::kNoCountsNoise, baseline_replay_tier, 5},
                    Planted{Mutant::kHalfNoise, baseline_noise_tier},
                    Planted{Mutant::kHigherRate, baseline_sampler_tier},
                    Planted{Mutant::kFixedSizeBatches, baseline_sampler_tier},
                    Planted{Mutant::kShuffledBatches, baseline_sampler_tier}),
    [](const auto& chosen) { return testing_support::mutant_name(chosen.param.mutant); });

}  // namespace
}  // namespace dpfermi

#endif
