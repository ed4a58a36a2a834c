// T1 and T2 of every baseline that promises privacy, as registered: noise and secret batches are
// those that were charged. Seeds are fixed; where every claim is true a tier on a case fails with
// probability 1e-5 at most.

#include "baselines/audited.h"
#include "baselines/dp2dp.h"
#include "baselines/raco_dp.h"

namespace dpfermi {
namespace {

const AuditOptions kOptions{.quick = true, .false_alarm_rate = 1e-5};

TEST(BaselineNoise, IsWhatWasCharged) {
  for (const Method method : baselines()) {
    const MethodDescriptor& baseline = method.descriptor();
    if (!baseline.is_private()) continue;
    const AuditCase audited = baseline_cases(baseline).front();
    const auto findings = baseline_noise_tier(audited, kOptions);
    testing_support::expect_green(findings);
    EXPECT_FALSE(findings->empty()) << baseline.name;
  }
}

/// Usual batches would hold all of a few records.
template <class Options, auto kTrain>
Result<TrainingResult> with_small_batches(const Dataset& data, const BaselineOptions& given,
                                          StepLedger& ledger, NoiseSource noise,
                                          const TrainingHooks& hooks) {
  Options options{given};
  options.batch = 12;
  return kTrain(data, options, ledger, std::move(noise), hooks);
}

TEST(BaselineBatches, AreDrawnAsWasCharged) {
  std::vector<MethodDescriptor> all;
  for (const Method method : baselines()) all.push_back(method.descriptor());
  for (MethodDescriptor& baseline : all) {
    if (baseline.name == "raco-dp") baseline.train = with_small_batches<RacoOptions, raco_dp>;
    if (baseline.name == "dp2dp") baseline.train = with_small_batches<Dp2dpOptions, dp2dp>;
  }
  std::size_t sampled = 0;
  for (const MethodDescriptor& baseline : all) {
    if (!baseline.is_private()) continue;
    const auto findings = baseline_sampler_tier(baseline_cases(baseline).front(), kOptions);
    testing_support::expect_green(findings);
    sampled += findings->empty() ? 0 : 1;
  }
  EXPECT_EQ(sampled, 5U);  // dp-sgd, raco-dp, pf-ld, fairness-lens, dp2dp
}

}  // namespace
}  // namespace dpfermi
