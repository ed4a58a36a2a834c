// How often intervals of repaired models miss.

#include <gtest/gtest.h>

#include <string>

#include "dpfermi/evaluate/metrics.h"
#include "optimize/training.h"
#include "parameter_name.h"
#include "sketch/synthetic.h"

namespace dpfermi {
namespace {

using testing_support::seeded_noise;
using testing_support::synthetic;
using testing_support::SyntheticSpec;

constexpr int kRepetitions = 200;
/// More than 23 misses of 200 have a probability below 1e-4 where each has one of 5 %.
constexpr int kMostMisses = 23;

struct IntervalCase {
  const char* name;
  SyntheticSpec data;
  FairnessNotion notion;
  double epsilon;
};

class RepairIntervals : public ::testing::TestWithParam<IntervalCase> {};

/// Fresh data and noise each time. Rules are chosen by answers that count again in the interval of
/// what is chosen; the last query is fresh.
TEST_P(RepairIntervals, CoverTheViolationOfDecisionsAsTheyAreMade) {
  const IntervalCase& c = GetParam();
  int misses = 0;
  double width = 0;
  for (int i = 0; i < kRepetitions; ++i) {
    SyntheticSpec spec = c.data;
    spec.seed = 5000 + static_cast<std::uint64_t>(i);
    const Dataset data = synthetic(spec);
    TrainingRequest request;
    request.method = Method::kRepair;
    request.notion = c.notion;
    request.epsilon = c.epsilon;
    request.max_violation = 0.05;
    const TrainingPlan plan = plan_training(request, data, 1).value();
    ResearchLedger ledger;
    const TrainingResult result = train(data, plan, ledger, seeded_noise(spec.seed)).value();
    const Metrics metrics =
        rule_metrics(result.rule, result.model, result.theta, data, 1, Draws::kMade).value();
    const double violation = metrics.fairness.value().violation[c.notion];
    misses += violation < result.violation->low || violation > result.violation->high ? 1 : 0;
    width += (result.violation->high - result.violation->low) / kRepetitions;
  }
  RecordProperty("misses", misses);
  RecordProperty("mean_width", std::to_string(width));
  EXPECT_LE(misses, kMostMisses) << c.name;
}

INSTANTIATE_TEST_SUITE_P(
    Notions, RepairIntervals,
    ::testing::Values(IntervalCase{"parity", {.rows = 1500}, FairnessNotion::kDemographicParity, 1},
                      IntervalCase{"odds", {.rows = 3000}, FairnessNotion::kEqualizedOdds, 2},
                      IntervalCase{"parity, 3 groups and classes",
                                   {.rows = 2000, .groups = 3, .classes = 3},
                                   FairnessNotion::kDemographicParity,
                                   3}),
    [](const auto& chosen) { return testing_support::parameter_name(chosen.param.name); });

}  // namespace
}  // namespace dpfermi
