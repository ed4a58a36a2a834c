// How often the error bars hold the truth. Every case counts misses of a 95 % interval in 200
// independent repetitions (data, noise); were the coverage 95 % exactly, more than 23 misses would
// have a probability of 7.2e-5. Ten cases: a false alarm of the file has probability 7e-4 at most.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "model/decisions.h"
#include "parameter_name.h"
#include "sketch/max_entropy.h"
#include "sketch/proxy_objective.h"
#include "sketch/residual.h"
#include "sketch/synthetic.h"

namespace dpfermi {
namespace {

using testing_support::one_hot;
using testing_support::seeded_noise;
using testing_support::synthetic;
using testing_support::SyntheticSpec;

constexpr int kRepetitions = 200;
constexpr int kMostMisses = 23;

struct Case {
  FairnessNotion sketch;
  FairnessNotion wanted;
  SyntheticSpec data;
  double epsilon;
  bool query;
};

struct Coverage {
  int misses = 0;
  double width = 0;  ///< mean
};

/// Decisions by x_0 + x_1, which go with the groups; every class gets its share.
std::vector<double> leaning_model(const Network& network) {
  const std::size_t o = network.outputs();
  std::vector<double> theta(network.spec().parameter_count());
  for (std::size_t column = 0; column < 2; ++column) {
    for (std::size_t j = 0; j < o; ++j) theta[column * o + j] = o == 1 ? 1 : static_cast<double>(j);
  }
  if (o > 1) theta[theta.size() - 1] = -1;
  return theta;
}

ViolationInterval one_interval(const Case& c, const Dataset& data, const Network& network,
                               std::span<const double> theta, std::uint64_t seed) {
  // No row is clipped: s given phi then follows the family.
  FeatureMapSpec spec;
  spec.clip_norm = 6;
  const SketchFeatures features = SketchFeatures::create(data, spec).value();
  SketchRequest request;
  request.notion = c.sketch;
  request.epsilon = c.epsilon;
  request.rounds = c.query ? 1 : 0;
  const SketchPlan plan = plan_sketch(request, data, 1, features).value();
  ResearchLedger ledger;
  NoiseSource noise = seeded_noise(seed);
  JointPlan releases = sketch_releases(plan).value();
  releases.fixed_seed = true;
  const std::uint64_t charge = ledger.plan(releases).value();
  const GroupSums sums = release_sketch(data, features, plan, ledger, charge, noise).value();
  if (c.query) {
    ResidualQueries queries =
        ResidualQueries::create(data, residual_queries(plan), ledger, charge, noise).value();
    const GroupSums answer = queries.ask(decisions_of(data.x, network, theta)).value().sums;
    return *violation_interval(plan.setting, queried_rates(plan.setting, answer, features, sums));
  }
  MaxEntropy family(data, features, plan.setting, sums);
  const std::vector<float> proxy = family.fit().value();
  return proxy_violation_interval(data, {c.wanted, data.groups, data.classes, 1},
                                  {&features, plan.setting, &sums, proxy},
                                  decisions_of(data.x, network, theta))
      .value();
}

Coverage coverage(const Case& c) {
  Coverage found;
  for (int i = 0; i < kRepetitions; ++i) {
    SyntheticSpec spec = c.data;
    spec.seed = 1000 + static_cast<std::uint64_t>(i);
    const Dataset data = synthetic(spec);
    const Network network({data.x.columns(), data.classes, {}});
    const std::vector<double> theta = leaning_model(network);
    ProxyObjective exact(data, network, {c.wanted, data.groups, data.classes, 1}, one_hot(data));
    const double truth = exact.violation(theta);
    const ViolationInterval interval = one_interval(c, data, network, theta, spec.seed);
    EXPECT_EQ(interval.by_proxy, !c.query);
    found.misses += truth < interval.low || truth > interval.high ? 1 : 0;
    found.width += (interval.high - interval.low) / kRepetitions;
  }
  return found;
}

std::string interval_name(const testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return testing_support::parameter_name(
      fmt::format("{}_by_sketch_of_{}_{}_rows_{}_groups_{}_classes_epsilon_{}", to_string(c.wanted),
                  to_string(c.sketch), c.data.rows, c.data.groups, c.data.classes, c.epsilon));
}

class IntervalCoverage : public testing::TestWithParam<Case> {};

TEST_P(IntervalCoverage, IsAtLeastTheStatedLevel) {
  const Coverage found = coverage(GetParam());
  RecordProperty("misses", found.misses);
  RecordProperty("width", std::to_string(found.width));
  EXPECT_LE(found.misses, kMostMisses);
  // An interval that holds everything would pass as well.
  EXPECT_LT(found.width, 0.5);
}

constexpr FairnessNotion kParity = FairnessNotion::kDemographicParity;
constexpr FairnessNotion kOdds = FairnessNotion::kEqualizedOdds;
constexpr FairnessNotion kOpportunity = FairnessNotion::kEqualOpportunity;

INSTANTIATE_TEST_SUITE_P(Sketch, IntervalCoverage,
                         testing::Values(Case{kParity, kParity, {1500}, 1, false},
                                         Case{kOdds, kOdds, {3000}, 2, false},
                                         Case{kOdds, kParity, {2000}, 1, false},
                                         Case{kOdds, kOpportunity, {3000}, 2, false},
                                         Case{kParity, kParity, {2000, 3, 4, 3, 3}, 3, false},
                                         Case{kParity, kParity, {3000, 3, 4, 2, 2, 2}, 2, false},
                                         Case{kParity, kParity, {1500}, 0.3, false}),
                         interval_name);
INSTANTIATE_TEST_SUITE_P(Query, IntervalCoverage,
                         testing::Values(Case{kParity, kParity, {1500}, 1, true},
                                         Case{kOdds, kOdds, {3000}, 2, true},
                                         Case{kParity, kParity, {2000, 3, 4, 3, 3}, 3, true}),
                         interval_name);

}  // namespace
}  // namespace dpfermi
