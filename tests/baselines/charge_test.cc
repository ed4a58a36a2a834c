// No method reads anything protected before the ledger has agreed.

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

/// Requests for a method under each adjacency that it protects, or that changes what it reads.
std::vector<TrainingRequest> requests_of(Method method) {
  std::vector<TrainingRequest> requests;
  for (const Adjacency adjacency : {Adjacency::kSensitive, Adjacency::kReplaceRecord}) {
    if (method->is_private() && !method->protects_under(adjacency)) continue;
    TrainingRequest request{.method = method, .adjacency = adjacency};
    if (method->takes_lambda()) request.lambda = method->is_free_line() ? 0.5 : 1;
    if (!method->is_baseline()) request.epochs = 2;
    if (!features_are_public(adjacency)) request.declared_norm = 3;
    requests.push_back(request);
    if (method->is_free_line() || !method->takes_lambda() || method->is_baseline()) continue;
    // With nothing to weigh, methods differ in what they read.
    request.lambda = 0;
    requests.push_back(request);
    if (!method->merges_groups) continue;
    request.merge_small = 50;
    requests.push_back(request);
  }
  return requests;
}

// Whatever is registered: planning never reads a group, and training reads one only after a charge.
TEST(MethodCharge, ALedgerThatRefusesStopsEveryMethodBeforeItReads) {
  const Dataset blind = without_groups(small_census());
  for (const Method method : all_methods()) {
    for (TrainingRequest request : requests_of(method)) {
      request.notion = method->known_notions().front();
      auto plan = plan_training(request, blind, 1);
      if (!plan && request.epochs) {  // steps are not for every method
        request.epochs.reset();
        plan = plan_training(request, blind, 1);
      }
      ASSERT_TRUE(plan.has_value()) << method->name << ": " << plan.error().message;
      RefusingLedger ledger;
      const auto result = train(blind, *plan, ledger, seeded_noise(1));
      if (reads_protected(*plan)) {
        ASSERT_FALSE(result.has_value()) << method->name;
        EXPECT_EQ(result.error().kind, ErrorKind::kBudgetRefused)
            << method->name << ": " << result.error().message;
      } else {
        ASSERT_TRUE(result.has_value()) << method->name << ": " << result.error().message;
        EXPECT_TRUE(result->merged.empty()) << method->name;
        EXPECT_TRUE(result->statement.releases.empty()) << method->name;
      }
    }
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
