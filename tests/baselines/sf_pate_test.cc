// Votes, shares of teachers, and both forms of sf-pate.

#include "baselines/sf_pate.h"

#include <gmock/gmock.h>

#include "baselines/baseline_data.h"
#include "baselines/pate_models.h"
#include "dpfermi/evaluate/metrics.h"
#include "model/network.h"
#include "parameter_name.h"

namespace dpfermi {
namespace {

using testing::ElementsAre;
using testing_support::census_data;
using testing_support::probabilities;
using testing_support::run_baseline;
using testing_support::small_census;
using testing_support::waves;

TEST(PateVotes, AreCentredAndCountTheDecision) {
  const std::vector<std::uint32_t> rows{5, 17, 100};
  const Dataset queries = public_part(small_census(), rows);
  const std::vector<double> theta = waves(queries.x.columns() + 1);
  std::vector<double> votes(6);
  write_votes(queries, 2, theta, votes);
  for (std::uint32_t i = 0; i < 3; ++i) {
    const bool positive = probabilities(small_census(), rows[i], theta, 1)[1] > 0.5;
    EXPECT_EQ(votes[2 * i], positive ? -0.5 : 0.5);
    EXPECT_EQ(votes[2 * i + 1], positive ? 0.5 : -0.5);
  }
}

TEST(PateVotes, TheLargestWinsTheFirstOfSeveral) {
  EXPECT_THAT(winners(std::vector<double>{1, 3, 2, 7, 7, 1, -3, -2, -1}, 3), ElementsAre(1, 0, 2));
}

TEST(PateTeachers, ShareOutEveryRowAndKeepPersonsTogether) {
  Dataset data = small_census();
  for (std::uint32_t row = 0; row < data.rows(); ++row) data.units[row] = row / 3;
  data.unit_count = data.rows() / 3;
  std::vector<std::uint32_t> all;
  for (std::uint32_t teacher = 0; teacher < 7; ++teacher) {
    for (const std::uint32_t row : rows_of_teacher(data, teacher, 7)) {
      EXPECT_EQ(data.units[row] % 7, teacher);
      all.push_back(row);
    }
  }
  std::ranges::sort(all);
  ASSERT_EQ(all.size(), data.rows());
  for (std::uint32_t row = 0; row < data.rows(); ++row) EXPECT_EQ(all[row], row);
}

TEST(PateModels, GroupsWithoutRowsAreLeftOut) {
  const Dataset part = public_part(small_census(), std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6});
  std::vector<float> proxy(12);
  for (std::size_t row = 0; row < 6; ++row) proxy[2 * row] = 1;  // group 1 is empty
  const auto theta =
      fit_regression(part, {FairnessNotion::kEqualizedOdds, 2, 2, 1}, std::move(proxy), 1).value();
  for (const double value : theta) EXPECT_TRUE(std::isfinite(value));
}

class SfPate : public testing::TestWithParam<const char*> {};

TEST_P(SfPate, AWeightBuysParityWithinTheBudget) {
  const Dataset data = census_data({.rows = 6000});
  const auto measured = [&](double lambda) {
    BaselineOptions options;
    options.epsilon = 10;
    options.lambda = lambda;
    const TrainingResult result = run_baseline(GetParam(), options, 3, data);
    EXPECT_LE(result.statement.cost->epsilon, 10);
    EXPECT_EQ(result.theta, run_baseline(GetParam(), options, 3, data, 2).theta);
    return exact_metrics(predict(Network(result.model), result.theta, data.x), data, 1).value();
  };
  const Metrics without = measured(0);
  EXPECT_LT(without.error, 0.2);
  EXPECT_LT(measured(20).fairness->violation[FairnessNotion::kDemographicParity],
            0.8 * without.fairness->violation[FairnessNotion::kDemographicParity]);
}

INSTANTIATE_TEST_SUITE_P(Forms, SfPate, testing::Values("sf-pate-t", "sf-pate-s"),
                         testing_support::by_word);

}  // namespace
}  // namespace dpfermi
