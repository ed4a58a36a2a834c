// How often the interval of what a run returns misses, and on which side. A run returns what looked
// fair, so that a mistake in how it is measured shows above the interval first.

#include <gtest/gtest.h>

#include <string>

#include "dpfermi/evaluate/metrics.h"
#include "optimize/measured_run.h"
#include "optimize/sketch_release.h"
#include "optimize/training.h"
#include "parameter_name.h"
#include "sketch/synthetic.h"

namespace dpfermi {
namespace {

using testing_support::seeded_noise;
using testing_support::synthetic;
using testing_support::SyntheticSpec;

struct Misses {
  int below = 0;  ///< the interval
  int above = 0;
  double width = 0;  ///< mean

  void count(double violation, const ViolationInterval& interval, int repetitions) {
    below += violation < interval.low ? 1 : 0;
    above += violation > interval.high ? 1 : 0;
    width += (interval.high - interval.low) / repetitions;
  }
};

/// Models whose decisions were made beforehand; the parameter of one is its number. The first is
/// cheap and unfair, the constant is dear, the others cost the same.
class PreparedModels final : public ModelFamily {
 public:
  PreparedModels(const Dataset& data, double unfair, double gap, std::size_t fair) {
    decisions_.push_back(decide_apart(data, unfair));
    decisions_.insert(decisions_.end(), fair, decide_apart(data, gap));
    decisions_.emplace_back(data.rows(), std::uint16_t{1});
  }
  std::vector<std::uint16_t> decide(std::span<const double> number) const override {
    return decisions_[static_cast<std::size_t>(number[0])];
  }
  double cost(std::span<const std::uint16_t> decisions) const override {
    if (std::ranges::equal(decisions, decisions_.front())) return 0.2;
    return std::ranges::equal(decisions, decisions_[1]) ? 0.21 : 0.5;
  }
  std::vector<double> constant(std::size_t) const override {
    return {static_cast<double>(decisions_.size() - 1)};
  }
  void adopt(std::vector<double> members, std::vector<double>,
             TrainingResult& result) const override {
    result.theta = std::move(members);
  }
  std::vector<std::uint16_t> decide(const TrainingResult& result) const override {
    return decide(result.theta);
  }

 private:
  /// Class 1 for .1 of group 0 and for .1 + gap of group 1.
  static std::vector<std::uint16_t> decide_apart(const Dataset& data, double gap) {
    const std::vector<std::uint16_t>& s = ExactForHolder::read(data.s);
    const std::vector<double> rates = {0.1, 0.1 + gap};
    std::vector<double> sizes(2);
    std::vector<double> ones(2);
    std::vector<std::uint16_t> decisions;
    for (const std::uint16_t group : s) {
      ++sizes[group];
      const bool one = ones[group] < rates[group] * sizes[group];
      ones[group] += one ? 1 : 0;
      decisions.push_back(one ? 1 : 0);
    }
    return decisions;
  }

  std::vector<std::vector<std::uint16_t>> decisions_;
};

/// Of six models that all miss the target by a standard deviation the one that looks fairest is
/// returned: among them is, as a rule, one whose answer flatters it. Where each side of the
/// interval is missed with a probability of 2.5 %, more than 46 misses of 1000 have one of 4.3e-5;
/// an interval that counts the flattering answer again has 92.
TEST(MeasuredModels, TheIntervalOfAChosenModelIsNotFlatteredByTheChoice) {
  constexpr int kRepetitions = 1000;
  constexpr int kMostOnASide = 46;
  constexpr std::size_t kFair = 6;
  constexpr double kTarget = 0.06;
  const Dataset data = synthetic({.rows = 4000});
  const SketchFeatures features = SketchFeatures::create(data, {}).value();
  TrainingPlan plan;
  plan.max_violation = kTarget;
  plan.model.classes = 2;
  plan.mixtures = false;
  SketchRequest request;
  request.epsilon = 1;
  request.rounds = kFair + 2;
  const SketchPlan sketch = plan_sketch(request, data, 1, features).value();
  JointPlan releases = sketch_releases(sketch).value();
  releases.fixed_seed = true;
  const double gap = kTarget + 0.02;
  const auto family = std::make_shared<PreparedModels>(data, 0.4, gap, kFair);
  Misses misses;
  int chosen = 0;
  double bias = 0;
  for (int i = 0; i < kRepetitions; ++i) {
    ResearchLedger ledger;
    NoiseSource noise = seeded_noise(static_cast<std::uint64_t>(i));
    const std::uint64_t charge = ledger.plan(releases).value();
    const GroupSums sums = release_sketch(data, features, sketch, ledger, charge, noise).value();
    MeasuredModels measured(
        data, plan, released_counts(sketch.setting, features, sums),
        ResidualQueries::create(data, residual_queries(sketch), ledger, charge, noise).value(),
        family);
    while (measured.remaining() > 1) {
      const auto number = static_cast<double>(kFair + 2 - measured.remaining());
      ASSERT_TRUE(measured.measure({number}, 0));
    }
    TrainingResult result;
    ASSERT_TRUE(measured.return_best(result));
    if (result.theta[0] < 1 || result.theta[0] > kFair) continue;
    ++chosen;
    misses.count(gap, *result.violation, kRepetitions);
    bias += result.target->released - gap;
  }
  RecordProperty("chosen", chosen);
  RecordProperty("below", misses.below);
  RecordProperty("above", misses.above);
  RecordProperty("width", std::to_string(misses.width));
  RecordProperty("bias", std::to_string(bias / chosen));
  EXPECT_GT(chosen, kRepetitions * 9 / 10);
  EXPECT_LE(misses.below, kMostOnASide);
  EXPECT_LE(misses.above, kMostOnASide);
}

struct IntervalCase {
  const char* name;
  Method method;
  SyntheticSpec data;
  FairnessNotion notion;
  double epsilon;
};

class ReturnedIntervals : public ::testing::TestWithParam<IntervalCase> {};

/// Whole runs, fresh data and noise each time. Where each side is missed with a probability of
/// 2.5 %, more than 16 misses of 200 have one of 1.4e-5.
TEST_P(ReturnedIntervals, CoverTheViolationOfDecisionsAsTheyAreMade) {
  constexpr int kRepetitions = 200;
  constexpr int kMostOnASide = 16;
  const IntervalCase& c = GetParam();
  Misses misses;
  for (int i = 0; i < kRepetitions; ++i) {
    SyntheticSpec spec = c.data;
    spec.seed = 5000 + static_cast<std::uint64_t>(i);
    const Dataset data = synthetic(spec);
    TrainingRequest request;
    request.method = c.method;
    request.notion = c.notion;
    request.epsilon = c.epsilon;
    request.max_violation = 0.05;
    const TrainingPlan plan = plan_training(request, data, 1).value();
    ResearchLedger ledger;
    const TrainingResult result = train(data, plan, ledger, seeded_noise(spec.seed)).value();
    const Metrics metrics =
        rule_metrics(result.rule, result.model, result.theta, data, 1, Draws::kMade).value();
    misses.count(metrics.fairness.value().violation[c.notion], *result.violation, kRepetitions);
  }
  RecordProperty("below", misses.below);
  RecordProperty("above", misses.above);
  RecordProperty("width", std::to_string(misses.width));
  EXPECT_LE(misses.below, kMostOnASide) << c.name;
  EXPECT_LE(misses.above, kMostOnASide) << c.name;
}

INSTANTIATE_TEST_SUITE_P(Methods, ReturnedIntervals,
                         ::testing::Values(IntervalCase{"repair, parity",
                                                        Method::kRepair,
                                                        {.rows = 1500},
                                                        FairnessNotion::kDemographicParity,
                                                        1},
                                           IntervalCase{"repair, odds",
                                                        Method::kRepair,
                                                        {.rows = 3000},
                                                        FairnessNotion::kEqualizedOdds,
                                                        2},
                                           IntervalCase{"repair, parity, 3 groups and classes",
                                                        Method::kRepair,
                                                        {.rows = 2000, .groups = 3, .classes = 3},
                                                        FairnessNotion::kDemographicParity,
                                                        3},
                                           IntervalCase{"sketch, parity",
                                                        Method::kSketch,
                                                        {.rows = 1500},
                                                        FairnessNotion::kDemographicParity,
                                                        1},
                                           IntervalCase{"dp_fermi, parity",
                                                        Method::kDpFermi,
                                                        {.rows = 1500},
                                                        FairnessNotion::kDemographicParity,
                                                        1}),
                         [](const auto& chosen) {
                           return testing_support::parameter_name(chosen.param.name);
                         });

}  // namespace
}  // namespace dpfermi
