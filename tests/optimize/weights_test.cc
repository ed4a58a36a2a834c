// Public case weights.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "data/unit_rows.h"
#include "optimize/training.h"
#include "sketch/synthetic.h"

namespace dpfermi {
namespace {

using testing::DoubleNear;
using testing::HasSubstr;
using testing::Pointwise;
using testing_support::seeded_noise;
using testing_support::synthetic;

/// Rows of `data`, some of them several times.
Dataset repeated(const Dataset& data, const std::vector<std::uint32_t>& times) {
  Dataset out = data;
  const std::size_t rows = std::accumulate(times.begin(), times.end(), std::size_t{0});
  out.x = data.x.shaped(rows);
  out.y.clear();
  out.units.clear();
  std::vector<std::uint16_t> s;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    for (std::uint32_t copy = 0; copy < times[i]; ++copy) {
      const auto to = out.x.row(out.y.size());
      std::ranges::copy(data.x.row(i).numbers, to.numbers.begin());
      std::ranges::copy(data.x.row(i).ones, to.ones.begin());
      out.units.push_back(static_cast<std::uint32_t>(out.y.size()));
      out.y.push_back(data.y[i]);
      s.push_back(ExactForHolder::read(data.s)[i]);
    }
  }
  out.s = Protected(std::move(s));
  out.unit_count = rows;
  return out;
}

TrainingResult weighted_run(const Dataset& data, Method method) {
  TrainingRequest request;
  request.method = method;
  const TrainingPlan plan = plan_training(request, data, 1).value();
  ResearchLedger ledger;
  return train(data, plan, ledger, seeded_noise(1)).value();
}

TEST(Weights, StandForCopiesOfARowInTheLoss) {
  const Dataset plain = synthetic({.rows = 300, .seed = 3});
  std::vector<std::uint32_t> times;
  Dataset weighted = plain;
  for (std::uint32_t i = 0; i < plain.rows(); ++i) {
    times.push_back(i % 4);
    weighted.weights.push_back(static_cast<float>(i % 4));
  }
  const TrainingResult copies = weighted_run(repeated(plain, times), Method::kErm);
  const TrainingResult weights = weighted_run(weighted, Method::kErm);
  EXPECT_THAT(weights.theta, Pointwise(DoubleNear(1e-3), copies.theta));
  // And they matter.
  double apart = 0;
  const TrainingResult alike = weighted_run(plain, Method::kErm);
  for (std::size_t j = 0; j < alike.theta.size(); ++j) {
    apart = std::max(apart, std::abs(alike.theta[j] - weights.theta[j]));
  }
  EXPECT_GT(apart, 0.02);
}

TEST(Weights, OfOneScaleAreLikeThoseOfAnother) {
  Dataset data = synthetic({.rows = 300, .rows_per_person = 3, .seed = 4});
  const std::vector<double> plain = loss_weights(data);
  EXPECT_NEAR(std::accumulate(plain.begin(), plain.end(), 0.0), 100, 1e-9);
  for (std::size_t i = 0; i < data.rows(); ++i) data.weights.push_back(i % 2 == 0 ? 1e6F : 2e6F);
  const std::vector<double> weights = loss_weights(data);
  EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 100, 1e-9);
  EXPECT_NEAR(weights[1] / weights[0], 2, 1e-9);
}

/// The steps of dp-fermi end elsewhere, and cost the same.
TEST(Weights, ChangeThePublicPartOfAPrivateRunAndNotItsPrice) {
  Dataset data = synthetic({.rows = 400, .seed = 5});
  const TrainingResult plain = weighted_run(data, Method::kDpFermi);
  for (std::size_t i = 0; i < data.rows(); ++i) data.weights.push_back(i % 2 == 0 ? 1e6F : 0);
  const TrainingResult weighted = weighted_run(data, Method::kDpFermi);
  EXPECT_NE(plain.theta, weighted.theta);
  EXPECT_EQ(plain.statement.cost->epsilon, weighted.statement.cost->epsilon);
  EXPECT_EQ(plain.released_shares, weighted.released_shares);
}

/// Class 1 is rare and counts most: the best constant is another one.
TEST(Weights, DecideWhichConstantIsBest) {
  Dataset data = synthetic({.rows = 100, .seed = 6});
  for (std::size_t i = 0; i < data.rows(); ++i) data.y[i] = i % 4 == 0 ? 1 : 0;
  for (const std::uint16_t label : data.y) data.weights.push_back(label == 1 ? 100.0F : 1.0F);
  EXPECT_EQ(commonest_label(data.y, 2), 0);
  EXPECT_EQ(commonest_label(data.y, 2, data.weights), 1);
}

TEST(Weights, AreRefusedWhereNothingTakesThem) {
  Dataset data = synthetic({.rows = 100, .seed = 7});
  data.weights.assign(data.rows(), 1);
  const auto refusal = [&](Method method, Adjacency adjacency = Adjacency::kSensitive) {
    TrainingRequest request;
    request.method = method;
    request.adjacency = adjacency;
    request.declared_norm = 1;
    const auto plan = plan_training(request, data, 1);
    return plan ? "planned" : plan.error().message;
  };
  EXPECT_EQ(refusal(Method::kDpFermi), "planned");
  EXPECT_THAT(refusal(Method::kDpFermiPaper), HasSubstr("takes no weights"));
  EXPECT_THAT(refusal(Method::kDpFermi, Adjacency::kReplaceRecord), HasSubstr("records are not"));
  data.weights.assign(data.rows(), 0);
  EXPECT_THAT(refusal(Method::kErm), HasSubstr("weight 0"));
}

}  // namespace
}  // namespace dpfermi
