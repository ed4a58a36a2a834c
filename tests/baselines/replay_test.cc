// T0 of the baselines that promise privacy.

#include "baselines/replay.h"

#include "dpfermi/baselines/ding.h"
#include "dpfermi/baselines/dp_sgd.h"
#include "dpfermi/baselines/fairness_lens.h"
#include "dpfermi/baselines/pf_ld.h"
#include "dpfermi/baselines/raco_dp.h"
#include "dpfermi/baselines/sf_pate.h"
#include "dpfermi/core/vector_math.h"

namespace dpfermi {
namespace {

using testing_support::BaselineRun;
using testing_support::expect_replays;
using testing_support::invented_neighbourhood;
using testing_support::PartOf;
using testing_support::rehearse_run;

/// Four groups, three classes, odds; or two of both and parity.
struct Shape {
  InventedSpec spec;
  FairnessNotion notion = FairnessNotion::kDemographicParity;
};
const Shape kSmall{};
const Shape kWide{{.groups = 4, .classes = 3, .seed = 2}, FairnessNotion::kEqualizedOdds};
const Shape kPersons{{.groups = 3, .most_rows = 4, .seed = 3}, FairnessNotion::kEqualOpportunity};

template <class Options>
Options options_for(const Shape& shape, Adjacency adjacency) {
  Options options;
  options.notion = shape.notion;
  options.adjacency = adjacency;
  options.epsilon = 2;
  options.delta = 1e-5;
  return options;
}

class BaselineReplay : public testing::TestWithParam<Shape> {};

TEST_P(BaselineReplay, PfLd) {
  auto options = options_for<PfLdOptions>(GetParam(), Adjacency::kSensitive);
  options.rounds = 2;
  options.steps = 6;
  const BaselineRun run = [&](const Dataset& data, StepLedger& ledger, NoiseSource noise) {
    return pf_ld(data, options, ledger, std::move(noise));
  };
  expect_replays(run, invented_neighbourhood(options.adjacency, GetParam().spec));
}

TEST_P(BaselineReplay, RacoDp) {
  auto options = options_for<RacoOptions>(GetParam(), Adjacency::kReplaceRecord);
  options.steps = 5;
  options.batch = 12;
  const BaselineRun run = [&](const Dataset& data, StepLedger& ledger, NoiseSource noise) {
    return raco_dp(data, options, ledger, std::move(noise));
  };
  expect_replays(run, invented_neighbourhood(options.adjacency, GetParam().spec));
}

TEST_P(BaselineReplay, DpSgd) {
  auto options = options_for<DpSgdOptions>(GetParam(), Adjacency::kReplaceRecord);
  options.steps = 5;
  options.hidden = {3};
  const BaselineRun run = [&](const Dataset& data, StepLedger& ledger, NoiseSource noise) {
    return dp_sgd(data, options, ledger, std::move(noise));
  };
  expect_replays(run, invented_neighbourhood(options.adjacency, GetParam().spec));
}

TEST_P(BaselineReplay, FairnessLens) {
  auto options = options_for<FairnessLensOptions>(GetParam(), Adjacency::kReplaceRecord);
  options.steps = 5;
  const BaselineRun run = [&](const Dataset& data, StepLedger& ledger, NoiseSource noise) {
    return fairness_lens(data, options, ledger, std::move(noise));
  };
  expect_replays(run, invented_neighbourhood(options.adjacency, GetParam().spec));
}

/// One record changes one teacher, and so one unit of the sum.
TEST_P(BaselineReplay, SfPate) {
  auto options = options_for<SfPateOptions>(GetParam(), Adjacency::kSensitive);
  options.teachers = 5;
  options.queries = 12;
  const PartOf teacher = [&](const Dataset&, std::uint32_t unit) {
    return unit % static_cast<std::uint32_t>(options.teachers);
  };
  for (const PateForm form : {PateForm::kFairTeachers, PateForm::kFairStudent}) {
    options.form = form;
    const BaselineRun run = [&](const Dataset& data, StepLedger& ledger, NoiseSource noise) {
      return sf_pate(data, options, ledger, std::move(noise));
    };
    expect_replays(run, invented_neighbourhood(options.adjacency, GetParam().spec), teacher);
  }
}

// The released program shares one noise tensor along an axis of the odds histogram. Here the noise
// of any two cells is uncorrelated: over 400 steps a correlation beyond 0.3 is six standard
// deviations, and there are 28 pairs.
TEST(RacoDp, EveryCellOfTheHistogramHasNoiseOfItsOwn) {
  auto options = options_for<RacoOptions>(kSmall, Adjacency::kReplaceRecord);
  options.notion = FairnessNotion::kEqualizedOdds;
  options.steps = 400;
  options.batch = 12;
  const BaselineRun run = [&](const Dataset& data, StepLedger& ledger, NoiseSource noise) {
    return raco_dp(data, options, ledger, std::move(noise));
  };
  ReleaseTape tape(0);
  rehearse_run(run, invented_neighbourhood(options.adjacency, kSmall.spec).data, tape);
  ASSERT_EQ(tape.sums().size(), options.steps);
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

class TwoClassReplay : public testing::TestWithParam<Shape> {};

TEST_P(TwoClassReplay, Ding) {
  const auto options = options_for<BaselineOptions>(GetParam(), Adjacency::kReplaceRecord);
  const BaselineRun run = [&](const Dataset& data, StepLedger& ledger, NoiseSource noise) {
    return ding(data, options, ledger, std::move(noise));
  };
  expect_replays(run, invented_neighbourhood(options.adjacency, GetParam().spec));
}

INSTANTIATE_TEST_SUITE_P(Shapes, TwoClassReplay, testing::Values(kSmall, kPersons));
INSTANTIATE_TEST_SUITE_P(Shapes, BaselineReplay, testing::Values(kSmall, kWide, kPersons));

}  // namespace
}  // namespace dpfermi
