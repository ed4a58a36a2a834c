// T0 of the baselines that promise privacy, with few steps: tests/audit has them as they are.

#include <cmath>

#include "audit/rehearsal.h"
#include "audit/release_tape.h"
#include "baselines/audited.h"
#include "baselines/ding.h"
#include "baselines/dp2dp.h"
#include "baselines/dp_sgd.h"
#include "baselines/fairness_lens.h"
#include "baselines/jagielski_in.h"
#include "baselines/jagielski_post.h"
#include "baselines/mozannar.h"
#include "baselines/pf_ld.h"
#include "baselines/raco_dp.h"
#include "baselines/sf_pate.h"
#include "baselines/xu_pflr.h"
#include "core/vector_math.h"
#include "parameter_name.h"

namespace dpfermi {
namespace {

using testing_support::expect_green;
using testing_support::first_red;
using testing_support::with_training;

/// `train` with options that `shorten` has changed.
template <class Options, auto kTrain, auto kShorten>
Result<TrainingResult> shortened(const Dataset& data, const BaselineOptions& given,
                                 StepLedger& ledger, NoiseSource noise,
                                 const TrainingHooks& hooks) {
  Options options{given};
  kShorten(options);
  return kTrain(data, options, ledger, std::move(noise), hooks);
}

constexpr auto kFewSteps = [](auto& options) { options.steps = 5; };
constexpr auto kFewBatches = [](RacoOptions& options) {
  options.steps = 5;
  options.batch = 12;
};
constexpr auto kFewDualSteps = [](Dp2dpOptions& options) {
  options.steps = 5;
  options.batch = 12;
};
constexpr auto kFewRounds = [](PfLdOptions& options) {
  options.rounds = 2;
  options.steps = 6;
};
constexpr auto kFourRounds = [](JagielskiInOptions& options) { options.rounds = 4; };
template <PateForm kForm>
constexpr auto kFewTeachers = [](SfPateOptions& options) {
  options.form = kForm;
  options.teachers = 5;
  options.queries = 12;
};
constexpr auto kDeep = [](DpSgdOptions& options) {
  options.steps = 5;
  options.hidden = {3};
};

std::vector<MethodDescriptor> short_baselines() {
  using enum PateForm;
  return {
      with_training(methods::pf_ld, shortened<PfLdOptions, pf_ld, kFewRounds>),
      with_training(methods::raco_dp, shortened<RacoOptions, raco_dp, kFewBatches>),
      with_training(methods::dp2dp, shortened<Dp2dpOptions, dp2dp, kFewDualSteps>),
      with_training(methods::dp_sgd, shortened<DpSgdOptions, dp_sgd, kDeep>),
      with_training(methods::fairness_lens,
                    shortened<FairnessLensOptions, fairness_lens, kFewSteps>),
      with_training(methods::sf_pate_t,
                    shortened<SfPateOptions, sf_pate, kFewTeachers<kFairTeachers>>),
      with_training(methods::sf_pate_s,
                    shortened<SfPateOptions, sf_pate, kFewTeachers<kFairStudent>>),
      with_training(methods::jagielski_in,
                    shortened<JagielskiInOptions, jagielski_in, kFourRounds>),
      methods::ding,
      methods::xu_pflr,
      methods::jagielski_post,
      methods::mozannar,
  };
}

class BaselineReplay : public testing::TestWithParam<MethodDescriptor> {};

TEST_P(BaselineReplay, ReadsNothingPastTheNoise) {
  for (const AuditCase& audited : baseline_cases(GetParam())) {
    const auto findings = baseline_replay_tier(audited, {.quick = true});
    expect_green(findings);
    const auto distance = std::ranges::find_if(findings.value(), [](const Finding& finding) {
      return finding.attempt.starts_with("distance");
    });
    if (GetParam().name == "mozannar") continue;  // answers have no distance
    ASSERT_NE(distance, findings->end()) << audited.name << ": neighbours never differed";
    EXPECT_GT(distance->value.value(), 0) << audited.name;
  }
}

INSTANTIATE_TEST_SUITE_P(All, BaselineReplay, testing::ValuesIn(short_baselines()),
                         [](const auto& chosen) {
                           return testing_support::parameter_name(chosen.param.name);
                         });

/// The first parameter moves with one person's group.
Result<TrainingResult> leak(Result<TrainingResult> result, const Dataset& data) {
  if (result) result->theta[0] += ExactForHolder::read(data.s).back();
  return result;
}

// A release, a rule or a parameter that depends on s past the noise is found, in a method of every
// kind of noise.
TEST(BaselineReplayDefects, AParameterThatReadsTheGroupIsFound) {
  const MethodDescriptor gaussian = with_training(
      methods::sf_pate_s, [](const Dataset& data, const BaselineOptions& options,
                             StepLedger& ledger, NoiseSource noise, const TrainingHooks& hooks) {
        return leak(methods::sf_pate_s.train(data, options, ledger, std::move(noise), hooks), data);
      });
  const MethodDescriptor laplace =
      with_training(methods::jagielski_post, [](const Dataset& data, const BaselineOptions& options,
                                                StepLedger& ledger, NoiseSource noise,
                                                const TrainingHooks& hooks) {
        return leak(methods::jagielski_post.train(data, options, ledger, std::move(noise), hooks),
                    data);
      });
  for (const MethodDescriptor* baseline : {&gaussian, &laplace}) {
    const std::vector<AuditCase> cases = baseline_cases(*baseline);
    EXPECT_EQ(first_red(baseline_replay_tier(cases.front(), {.quick = true})),
              "path of neighbours, given the same releases");
  }
}

TEST(BaselineReplayDefects, ARuleThatReadsTheGroupIsFound) {
  const MethodDescriptor defect = with_training(
      methods::mozannar, [](const Dataset& data, const BaselineOptions& options, StepLedger& ledger,
                            NoiseSource noise, const TrainingHooks& hooks) {
        auto result = methods::mozannar.train(data, options, ledger, std::move(noise), hooks);
        if (result) {
          result->rule.group_table[0] = ExactForHolder::read(data.s).back() == 0 ? 0 : 1;
        }
        return result;
      });
  const std::vector<AuditCase> cases = baseline_cases(defect);
  EXPECT_EQ(first_red(baseline_replay_tier(cases.front(), {.quick = true})),
            "path of neighbours, given the same releases");
}

// Twice the budget in a run that states it once.
TEST(BaselineReplayDefects, AReleaseTooManyIsFound) {
  const MethodDescriptor defect = with_training(
      methods::xu_pflr, [](const Dataset& data, const BaselineOptions& options, StepLedger& ledger,
                           NoiseSource noise, const TrainingHooks& hooks) {
        const NoiseSource again(ReproducibleSeed::from_number(5).value());
        EXPECT_TRUE(methods::xu_pflr
                        .train(data, options, ledger,
                               NoiseSource(ReproducibleSeed::from_number(5).value()), hooks)
                        .has_value());
        return methods::xu_pflr.train(data, options, ledger, std::move(noise), hooks);
      });
  const std::vector<AuditCase> cases = baseline_cases(defect);
  EXPECT_EQ(first_red(baseline_replay_tier(cases.front(), {.quick = true})),
            "price of all releases seen, by the accountant");
}

// The released program shares one noise tensor along an axis of the odds histogram. Here the noise
// of any two cells is uncorrelated: over 400 steps a correlation beyond 0.3 is six standard
// deviations, and there are 28 pairs.
TEST(RacoDp, EveryCellOfTheHistogramHasItsOwnNoise) {
  constexpr auto kManySteps = [](RacoOptions& options) {
    options.steps = 400;
    options.batch = 12;
  };
  const MethodDescriptor baseline =
      with_training(methods::raco_dp, shortened<RacoOptions, raco_dp, kManySteps>);
  AuditCase audited = baseline_cases(baseline).front();
  audited.request.notion = FairnessNotion::kEqualizedOdds;
  ReleaseTape tape(0);
  tape.probe_at_most(0);
  ASSERT_TRUE(rehearse_baseline(audited, audited.data, {}, tape)->outcome.has_value());
  ASSERT_EQ(tape.sums().size(), 400U);
  const std::size_t cells = tape.sums()[0].segments[1].size;
  ASSERT_EQ(cells, 8U);
  std::vector<std::vector<double>> noise(cells);
  for (const SeenSum& sum : tape.sums()) {
    for (std::size_t cell = 0; cell < cells; ++cell) {
      const std::size_t at = sum.segments[0].size + cell;
      noise[cell].push_back(static_cast<double>(sum.drawn[at] - sum.exact[at]));
    }
  }
  for (std::size_t a = 0; a < cells; ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const double correlation =
          dot(noise[a], noise[b]) / std::sqrt(dot(noise[a], noise[a]) * dot(noise[b], noise[b]));
      EXPECT_LT(std::abs(correlation), 0.3) << a << " and " << b;
    }
  }
}

}  // namespace
}  // namespace dpfermi
