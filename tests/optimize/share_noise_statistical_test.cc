// Released shares of groups: the stated deviation of their noise against many releases.
#include <gtest/gtest.h>

#include <cmath>

#include "optimize/paper_fixtures.h"
#include "optimize/training.h"
#include "privacy/research_ledger.h"
#include "random/lane.h"

namespace dpfermi {
namespace {

using testing_support::biased_rows;
using testing_support::seeded_noise;
using testing_support::to_dataset;

constexpr std::uint64_t kRuns = 1000;

/// Six standard errors of an estimated deviation, a false alarm of about 2e-9 a share, and 2 % for
/// the terms that the first order leaves out.
constexpr double kTolerance = 6 / 44.7 + 0.02;

void check_deviations(const Dataset& data, FairnessNotion notion) {
  TrainingRequest request;
  request.method = Method::kDpFermi;
  request.notion = notion;
  request.lambda = 1;
  TrainingPlan plan = plan_training(request, data, 1).value();
  plan.steps = 1;
  std::vector<double> sum, squares, stated;
  for (std::uint64_t run = 0; run < kRuns; ++run) {
    ResearchLedger ledger;
    const TrainingResult result = train(data, plan, ledger, seeded_noise(1000 + run)).value();
    const std::size_t shares = result.released_shares.size();
    ASSERT_EQ(result.share_deviations.size(), shares);
    sum.resize(shares);
    squares.resize(shares);
    stated.resize(shares);
    for (std::size_t i = 0; i < shares; ++i) {
      sum[i] += result.released_shares[i] / kRuns;
      squares[i] += result.released_shares[i] * result.released_shares[i] / kRuns;
      stated[i] += result.share_deviations[i] / kRuns;
    }
  }
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const double seen = std::sqrt(squares[i] - sum[i] * sum[i]);
    EXPECT_NEAR(stated[i] / seen, 1, kTolerance) << "share " << i << ", " << to_string(notion);
  }
}

TEST(ShareNoise, HasTheStatedDeviationForTwoGroups) {
  check_deviations(to_dataset(biased_rows(3000, 0.3, 5), 2, 2), FairnessNotion::kDemographicParity);
}

TEST(ShareNoise, HasTheStatedDeviationWithinLabels) {
  check_deviations(to_dataset(biased_rows(3000, 0.3, 5), 2, 2), FairnessNotion::kEqualizedOdds);
}

}  // namespace
}  // namespace dpfermi
