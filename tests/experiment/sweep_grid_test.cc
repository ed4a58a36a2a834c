// Sweeps as a program asks for them.

#include "dpfermi/experiment/sweep_grid.h"

#include <gmock/gmock.h>

#include "experiment/run_store.h"
#include "workflow/census_file.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;
using testing_support::CensusFolder;

constexpr const char* kGrid = R"({"title": "census", "seed": 1, "splits": 2, "blocks": [
    {"datasets": ["people"], "methods": ["dp-fermi"], "epsilons": [1], "lambdas": [0, 2]}]})";

TEST(SweepGrid, TrainsWhatTheFolderLacks) {
  const CensusFolder folder;
  SweepSettings settings;
  settings.tables["people"] = {folder.table(), folder.options()};
  const auto first = sweep(kGrid, folder / "results", settings);
  ASSERT_TRUE(first) << first.error().message;
  EXPECT_EQ(first->runs, 4U);
  EXPECT_EQ(first->kept, 0U);
  EXPECT_EQ(read_results(folder / "results")->runs.size(), 4U);
  EXPECT_FALSE(sweep(kGrid, folder / "results", settings)) << "a folder with results";
  settings.resume = true;
  EXPECT_EQ(sweep(kGrid, folder / "results", settings)->kept, 4U);
}

TEST(SweepGrid, ChargesEveryRunThatReadsTheGroups) {
  const CensusFolder folder;
  LedgerFile ledger = folder.ledger();
  SweepSettings settings;
  settings.tables["people"] = {folder.table(), folder.options()};
  settings.ledger = &ledger;
  const auto outcome = sweep(kGrid, folder / "results", settings);
  ASSERT_TRUE(outcome) << outcome.error().message;
  const std::vector<BudgetState> budgets = ledger.budgets().value();
  ASSERT_EQ(budgets.size(), 1U);
  EXPECT_EQ(budgets.front().charges, 2U) << "lambda 0 reads nothing protected";
}

TEST(SweepGrid, RefusesAGridThatItCannotRead) {
  EXPECT_THAT(sweep(R"({"block": []})", "results").error().message, HasSubstr("'block'"));
}

}  // namespace
}  // namespace dpfermi
