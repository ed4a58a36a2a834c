// The proxy of s, and the objective that is computed with it.

#include <gtest/gtest.h>

#include "reference/objective.h"
#include "sketch/max_entropy.h"
#include "sketch/proxy_objective.h"
#include "sketch/proxy_training.h"
#include "sketch/synthetic.h"

namespace dpfermi {
namespace {

using testing_support::expected_group_sums;
using testing_support::one_hot;
using testing_support::sketch_of;
using testing_support::synthetic;
using testing_support::SyntheticSpec;

GroupSums exact_sums(const Dataset& data, const SketchFeatures& features,
                     const FairnessSetting& setting, double noise) {
  GroupSums sums = expected_group_sums(data, setting, vectors_of(features), one_hot(data));
  sums.noise = noise;
  return sums;
}

TEST(MaxEntropy, AgreesWithTheSumsWhereThereIsNoNoise) {
  for (const std::size_t k : {std::size_t{2}, std::size_t{3}}) {
    for (const FeatureKind kind : {FeatureKind::kEncoded, FeatureKind::kFourier}) {
      const Dataset data = synthetic({900, 3, 4, k, 2, 2});
      FeatureMapSpec spec;
      spec.kind = kind;
      spec.extra = 6;
      const SketchFeatures features = SketchFeatures::create(data, spec).value();
      const FairnessSetting setting{FairnessNotion::kEqualizedOdds, k, 2, 1};
      const GroupSums sums = exact_sums(data, features, setting, 1e-4);
      MaxEntropy family(data, features, setting, sums);
      const std::vector<float> proxy = family.fit().value();
      const GroupSums own = expected_group_sums(data, setting, vectors_of(features), proxy);
      for (std::size_t i = 0; i < sums.sums.size(); ++i) {
        EXPECT_NEAR(own.sums[i], sums.sums[i], 0.05);
      }
    }
  }
}

TEST(MaxEntropy, KnowsNothingWhereNoiseHidesEverything) {
  const Dataset data = synthetic({});
  const SketchFeatures features = SketchFeatures::create(data, {}).value();
  const FairnessSetting setting{FairnessNotion::kDemographicParity, 2, 2, 1};
  MaxEntropy family(data, features, setting, exact_sums(data, features, setting, 1e6));
  const std::vector<float> proxy = family.fit().value();
  const auto [low, high] = std::ranges::minmax(proxy);
  // Both groups are about as large, which the counts still say.
  EXPECT_GT(low, 0.4F);
  EXPECT_LT(high, 0.6F);
}

TEST(MaxEntropy, AgreesWithOneMoreStatistic) {
  const Dataset data = synthetic({});
  const SketchFeatures features = SketchFeatures::create(data, {}).value();
  const FairnessSetting setting{FairnessNotion::kDemographicParity, 2, 2, 1};
  MaxEntropy family(data, features, setting, exact_sums(data, features, setting, 1e-3));
  DenseStatistic squares;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    squares.columns.push_back(data.x.at(i, 2) * data.x.at(i, 2));
  }
  const PublicVectors vectors{
      1, 10, [&](std::uint32_t row, std::span<double> out) { out[0] = squares.columns[row]; }};
  squares.sums = expected_group_sums(data, setting, vectors, one_hot(data));
  squares.sums.noise = 1e-3;
  const double wanted = squares.sums.of(0, 1)[0];
  const double before =
      expected_group_sums(data, setting, vectors, family.fit().value()).of(0, 1)[0];
  family.add(squares);
  const double after =
      expected_group_sums(data, setting, vectors, family.fit().value()).of(0, 1)[0];
  EXPECT_GT(std::abs(before - wanted), 0.5);
  EXPECT_NEAR(after, wanted, 0.05);
}

/// What separates groups may be the label alone.
TEST(MaxEntropy, LabelsAddWhatRowsDoNotHold) {
  Dataset data = synthetic({1000});
  std::vector<float> truth;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    data.y[i] = static_cast<std::uint16_t>(i % 2);
    const float second = data.y[i] == 1 ? 0.9F : 0.2F;
    truth.insert(truth.end(), {1 - second, second});
  }
  const FairnessSetting setting{FairnessNotion::kDemographicParity, 2, 2, 1};
  const auto distance = [&](FeatureKind kind) {
    FeatureMapSpec spec;
    spec.kind = kind;
    const SketchFeatures features = SketchFeatures::create(data, spec).value();
    GroupSums sums = expected_group_sums(data, setting, vectors_of(features), truth);
    sums.noise = 1e-3;
    const std::vector<float> proxy = MaxEntropy(data, features, setting, sums).fit().value();
    double sum = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      sum += std::abs(static_cast<double>(proxy[i] - truth[i]));
    }
    return sum / static_cast<double>(truth.size());
  };
  EXPECT_GT(distance(FeatureKind::kEncoded), 0.3);
  EXPECT_LT(distance(FeatureKind::kLabel), 0.05);
}

std::vector<float> proxy_of(const Dataset& data, const SketchFeatures& features,
                            FairnessNotion notion, double epsilon, std::uint64_t seed) {
  const Sketch sketch = sketch_of(data, features, notion, epsilon, seed);
  return MaxEntropy(data, features, sketch.setting, sketch.sums).fit().value();
}

TEST(MaxEntropy, GroupsThatAreNotThereAreNotKnown) {
  const Dataset data = synthetic({2000, 3, 4, 2});
  Dataset empty = synthetic({2000, 3, 4, 2});
  empty.groups = 3;
  const SketchFeatures features = SketchFeatures::create(empty, {}).value();
  const Sketch sketch = sketch_of(empty, features, FairnessNotion::kDemographicParity, 5, 3);
  const std::vector<bool> known =
      known_groups(features, sketch.sums, sketch.setting, sketch.setting);
  EXPECT_EQ(known, (std::vector<bool>{true, true, false}));
}

// Its sums are noise, and its count may be below zero, for which no distribution exists: for every
// seed the proxy gives it next to nothing and the others what they have without it.
TEST(MaxEntropy, AGroupThatIsNotThereLeavesTheOthersAlone) {
  const Dataset data = synthetic({2000, 3, 4, 2});
  Dataset declared = synthetic({2000, 3, 4, 2});
  declared.groups = 3;
  const SketchFeatures features = SketchFeatures::create(data, {}).value();
  const FairnessNotion notion = FairnessNotion::kDemographicParity;
  const std::vector<float> truth = proxy_of(data, features, notion, 20, 1);
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::vector<float> proxy = proxy_of(declared, features, notion, 20, seed);
    double off = 0;
    for (std::size_t row = 0; row < data.rows(); ++row) {
      EXPECT_LT(proxy[row * 3 + 2], 0.02F);
      off += std::abs(double{proxy[row * 3 + 1]} - truth[row * 2 + 1]) /
             static_cast<double>(data.rows());
    }
    EXPECT_LT(off, 0.03) << seed;
  }
}

/// With s itself in the place of the proxy the value is the reference's at its best W.
TEST(ProxyObjective, IsTheObjectiveOfTheReference) {
  for (const FairnessNotion notion :
       {FairnessNotion::kDemographicParity, FairnessNotion::kEqualizedOdds,
        FairnessNotion::kEqualOpportunity}) {
    const Dataset data = synthetic({300, 3, 4, 3, 3});
    const Network network({data.x.columns(), 3, {}});
    ProxyObjective objective(data, network, {notion, 3, 3, 1}, one_hot(data));
    std::vector<double> theta(network.spec().parameter_count());
    for (std::size_t i = 0; i < theta.size(); ++i) {
      theta[i] = 0.3 * std::sin(static_cast<double>(i));
    }
    reference::Problem problem{notion, 3, 3, 1, 1.7, 2};
    reference::Rows rows;
    reference::Vector logits;
    for (std::size_t i = 0; i < data.rows(); ++i) {
      rows.y.push_back(data.y[i]);
      rows.s.push_back(ExactForHolder::read(data.s)[i]);
      for (std::size_t o = 0; o < 3; ++o) {
        double z = theta[data.x.columns() * 3 + o];
        for (std::size_t j = 0; j < data.x.columns(); ++j) {
          z += double{data.x.at(i, j)} * theta[j * 3 + o];
        }
        logits.push_back(z);
      }
    }
    const reference::Vector f = reference::probabilities(problem, logits);
    const reference::Vector marginals = reference::group_marginals(problem, rows);
    const reference::Vector w = reference::best_w(problem, rows, f, marginals);
    const double expected = reference::objective(problem, rows, logits, marginals, w);
    std::vector<double> gradient(theta.size());
    // The ridge of 1e-6 is too small to be seen.
    EXPECT_NEAR(objective.evaluate(theta, 1.7, 2, gradient), expected, 1e-5);
  }
}

struct GradientCase {
  std::size_t classes, groups, rows_per_person;
  FairnessNotion notion;
  std::vector<std::size_t> hidden;
  std::vector<bool> known;
};

TEST(ProxyObjective, GradientIsThatOfTheValue) {
  const GradientCase cases[] = {
      {2, 2, 1, FairnessNotion::kDemographicParity, {}, {}},
      {2, 3, 2, FairnessNotion::kEqualizedOdds, {}, {}},
      {3, 2, 1, FairnessNotion::kEqualOpportunity, {4}, {}},
      {3, 4, 1, FairnessNotion::kDemographicParity, {5, 3}, {true, true, false, true}}};
  for (const GradientCase& c : cases) {
    const Dataset data = synthetic({200, 3, 4, c.groups, c.classes, c.rows_per_person});
    std::vector<float> proxy = one_hot(data);
    for (float& p : proxy) p = 0.7F * p + 0.3F / static_cast<float>(c.groups);
    const Network network({data.x.columns(), c.classes, c.hidden});
    ProxyObjective objective(data, network, {c.notion, c.groups, c.classes, 1}, proxy, c.known);
    std::vector<double> theta(network.spec().parameter_count());
    for (std::size_t i = 0; i < theta.size(); ++i) {
      theta[i] = 0.4 * std::cos(3 * static_cast<double>(i));
    }
    std::vector<double> gradient(theta.size());
    std::vector<double> unused(theta.size());
    objective.evaluate(theta, 2, 3, gradient);
    for (std::size_t i = 0; i < theta.size(); i += 3) {
      std::vector<double> up = theta;
      std::vector<double> down = theta;
      up[i] += 1e-5;
      down[i] -= 1e-5;
      const double slope =
          (objective.evaluate(up, 2, 3, unused) - objective.evaluate(down, 2, 3, unused)) / 2e-5;
      EXPECT_NEAR(gradient[i], slope, 1e-6 * std::max(1.0, std::abs(slope)));
    }
  }
}

TEST(ProxyObjective, ThreadsChangeNothing) {
  const Dataset data = synthetic({20000});
  const Network network({data.x.columns(), 2, {}});
  ProxyObjective objective(data, network, {}, one_hot(data));
  const std::vector<double> theta(network.spec().parameter_count(), 0.2);
  std::vector<double> one(theta.size());
  std::vector<double> three(theta.size());
  Workers workers(3);
  EXPECT_EQ(objective.evaluate(theta, 1, 2, one), objective.evaluate(theta, 1, 2, three, &workers));
  EXPECT_EQ(one, three);
}

TEST(ProxyTraining, ReachesATargetWithTheSmallestLambda) {
  const Dataset data = synthetic({3000});
  const Network network({data.x.columns(), 2, {}});
  ProxyObjective objective(data, network, {}, one_hot(data));
  const std::vector<double> start(network.spec().parameter_count());
  const ProxyFit free = fit_model(objective, start, 0, {}).value();
  const ProxyFit fair = fit_to_target(objective, start, 0.1, {}).value();
  EXPECT_GT(free.violation, 0.2);
  EXPECT_LE(fair.violation, 0.1);
  EXPECT_GT(fair.violation, 0.07);
  EXPECT_GT(fair.lambda, 0);
  EXPECT_EQ(fit_to_target(objective, start, 0.99, {}).value().lambda, 0);
}

TEST(ProxyTraining, MarginsBringRatesCloserTogetherThanTheTarget) {
  const Dataset data = synthetic({3000});
  const Network network({data.x.columns(), 2, {}});
  ProxyObjective objective(data, network, {}, one_hot(data));
  const std::vector<double> start(network.spec().parameter_count());
  ProxyTraining options;
  options.margins.assign(2 * 2, 0.02);
  const ProxyFit fair = fit_to_target(objective, start, 0.1, options).value();
  EXPECT_LE(fair.violation, 0.1);
  EXPECT_NEAR(objective.violation(fair.theta), fair.violation - 0.04, 1e-9);
  EXPECT_GT(objective.violation(fair.theta), 0.03);
}

TEST(ProxyTraining, ASketchIsWorthNearlyAsMuchAsS) {
  const Dataset data = synthetic({8000});
  const SketchFeatures features = SketchFeatures::create(data, {}).value();
  Sketch sketch = sketch_of(data, features, FairnessNotion::kDemographicParity, 1, 5);
  MaxEntropy family(data, features, sketch.setting, std::move(sketch.sums));
  const Network network({data.x.columns(), 2, {}});
  ProxyObjective proxy(data, network, {}, family.fit().value());
  ProxyObjective exact(data, network, {}, one_hot(data));
  const std::vector<double> start(network.spec().parameter_count());
  const ProxyFit fit = fit_to_target(proxy, start, 0.05, {}).value();
  EXPECT_LE(fit.violation, 0.05);
  EXPECT_GT(exact.violation(start), -1);
  // Of the same decisions, with s itself. Two thirds of the gap of 0.24 are gone for certain.
  EXPECT_LE(exact.violation(fit.theta), 0.08);
}

}  // namespace
}  // namespace dpfermi
