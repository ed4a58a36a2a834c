// T1 and T2 of the baselines: noise and secret batches are those that were charged. Seeds are
// fixed; where every claim is true a case fails with probability 1e-4 at most (Bonferroni over its
// checks).

#include <gmock/gmock.h>

#include "baselines/replay.h"
#include "dpfermi/audit/noise_checks.h"
#include "dpfermi/audit/recording.h"
#include "dpfermi/audit/sampler_checks.h"
#include "dpfermi/baselines/ding.h"
#include "dpfermi/baselines/dp_sgd.h"
#include "dpfermi/baselines/fairness_lens.h"
#include "dpfermi/baselines/pf_ld.h"
#include "dpfermi/baselines/raco_dp.h"
#include "dpfermi/baselines/sf_pate.h"

namespace dpfermi {
namespace {

using testing_support::BaselineRun;
using testing_support::invented_neighbourhood;

constexpr double kFalseAlarms = 1e-4;
constexpr std::uint64_t kSteps = 1500;

struct Case {
  std::string name;
  Adjacency adjacency;
  BaselineRun run;
  bool sampled = true;
};

template <class Options>
Options options_for(Adjacency adjacency) {
  Options options;
  options.adjacency = adjacency;
  options.epsilon = 2;
  options.delta = 1e-5;
  return options;
}

/// `train` with options that `change` has completed.
template <class Options, class Train, class Change>
Case make_case(std::string name, Adjacency adjacency, Train train, Change change,
               bool sampled = true) {
  Options options = options_for<Options>(adjacency);
  change(options);
  return {std::move(name), adjacency,
          [=](const Dataset& data, StepLedger& ledger, NoiseSource noise) {
            return train(data, options, ledger, std::move(noise), TrainingHooks{});
          },
          sampled};
}

std::vector<Case> cases() {
  const auto steps = [](auto& options) { options.steps = kSteps; };
  const auto nothing = [](auto&) {};
  using enum Adjacency;
  return {make_case<DpSgdOptions>("dp-sgd", kReplaceRecord, dp_sgd, steps),
          make_case<PfLdOptions>("pf-ld", kSensitive, pf_ld,
                                 [](PfLdOptions& options) {
                                   options.steps = kSteps;
                                   options.rounds = 1;
                                 }),
          make_case<RacoOptions>("raco-dp", kReplaceRecord, raco_dp,
                                 [](RacoOptions& options) {
                                   options.steps = kSteps;
                                   options.batch = 40;
                                 }),
          make_case<FairnessLensOptions>("fairness-lens", kReplaceRecord, fairness_lens, steps),
          make_case<BaselineOptions>("ding", kReplaceRecord, ding, nothing, false),
          make_case<SfPateOptions>(
              "sf-pate", kSensitive, sf_pate,
              [](SfPateOptions& options) {
                options.teachers = 5;
                options.queries = 40;
              },
              false)};
}

void expect_unsuspicious(const std::string& name, const std::vector<Check>& checks) {
  ASSERT_FALSE(checks.empty()) << name;
  for (const Check& check : checks) {
    EXPECT_GT(check.p_value, kFalseAlarms / (2 * static_cast<double>(checks.size())))
        << name << ": " << check.attempt << ", " << check.observed << " for " << check.claimed;
  }
}

TEST(BaselineNoise, IsWhatWasCharged) {
  const InventedSpec spec{.units = 160, .numbers = 6, .categories = 4};
  for (const Case& audited : cases()) {
    const Dataset data = invented_neighbourhood(audited.adjacency, spec).data;
    RunRecorder recorder(spec.units);
    AuditLedger ledger(recorder);
    NoiseSource noise(ReproducibleSeed::from_number(11).value());
    const Result<BaselineResult> result = audited.run(data, ledger, std::move(noise));
    ASSERT_TRUE(result.has_value()) << audited.name << ": " << result.error().message;
    Recording recording = recorder.recording();
    expect_unsuspicious(audited.name, noise_checks(recording));
    if (!audited.sampled) continue;
    // Releases over everybody draw nobody.
    std::erase_if(recording.batches, [&](const auto& batch) { return batch.size() == spec.units; });
    EXPECT_EQ(recording.batches.size(), kSteps) << audited.name;
    expect_unsuspicious(audited.name, sampler_checks(recording));
  }
}

}  // namespace
}  // namespace dpfermi
