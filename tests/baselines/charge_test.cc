// No baseline reads anything protected before the ledger has agreed.

#include <gmock/gmock.h>

#include "baselines/baseline_data.h"
#include "optimize/refusing_ledger.h"

namespace dpfermi {
namespace {

using testing_support::RefusingLedger;
using testing_support::seeded_noise;
using testing_support::small_census;
using testing_support::without_groups;

TEST(BaselineCharge, ALedgerThatRefusesStopsEveryBaselineBeforeItReads) {
  const Dataset blind = without_groups(small_census());
  for (const Method method : baselines()) {
    const MethodDescriptor& baseline = method.descriptor();
    BaselineOptions options;
    options.notion = baseline.known_notions().front();
    if (baseline.is_private()) options.adjacency = *baseline.adjacencies.begin();
    RefusingLedger ledger;
    const auto result = train_baseline(baseline, blind, options, ledger, seeded_noise(1));
    ASSERT_FALSE(result.has_value()) << baseline.name;
    EXPECT_EQ(result.error().kind, ErrorKind::kBudgetRefused)
        << baseline.name << ": " << result.error().message;
  }
}

TEST(BaselineCharge, APlanSaysThatABaselineIsChargedAndTrainingByItIsRefusedAlike) {
  const Dataset blind = without_groups(small_census());
  for (const Method method : baselines()) {
    TrainingRequest request{.method = method};
    request.notion = method->known_notions().front();
    if (method->is_private()) request.adjacency = *method->adjacencies.begin();
    const auto plan = plan_training(request, blind, 1);
    ASSERT_TRUE(plan.has_value()) << plan.error().message;
    EXPECT_TRUE(reads_protected(*plan)) << method->name;
    EXPECT_EQ(reads_exactly(*plan), !method->is_private()) << method->name;
    RefusingLedger ledger;
    const auto result = train(blind, *plan, ledger, seeded_noise(1));
    ASSERT_FALSE(result.has_value()) << method->name;
    EXPECT_EQ(result.error().kind, ErrorKind::kBudgetRefused) << method->name;
  }
}

}  // namespace
}  // namespace dpfermi
