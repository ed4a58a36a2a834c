// The authors' released objective on their files and split, where those are available
// ($DPFERMI_DATA, or shared/data beside the source tree): it lands on the means that they
// published.

#include <gtest/gtest.h>

#include "data/registry.h"
#include "experiment/sweep.h"
#include "experiment/trade_off.h"
#include "parameter_name.h"
#include "privacy/research_ledger.h"

namespace dpfermi {
namespace {

constexpr double kErrorTolerance = 0.001;
constexpr double kViolationTolerance = 0.003;
constexpr std::uint32_t kRuns = 3;

class Published : public testing::TestWithParam<const char*> {};

TEST_P(Published, MeansAreReached) {
  const DatasetDescriptor dataset = find_dataset(GetParam()).value();
  std::vector<std::filesystem::path> folders = data_folders("");
  folders.emplace_back(std::filesystem::path(DPFERMI_SOURCE_DIR) / "../shared/data");
  const auto folder = locate_dataset(dataset, folders);
  if (!folder) GTEST_SKIP() << folder.error().message;
  const DatasetVariant variant = dataset.variant("as-published").value();
  const SourceTable source{read_table(table_request(variant, *folder)).value(), {}};
  const SplitData data = encode_split(source, Protocol::kAsPublished, 0, 0).value();
  int compared = 0;
  for (const PublishedPoint& point : published_points()) {
    if (point.dataset != GetParam() || point.notion != FairnessNotion::kDemographicParity ||
        point.method != "dp-fermi" || point.epsilon) {
      continue;
    }
    double error = 0;
    double violation = 0;
    for (std::uint32_t run = 0; run < kRuns; ++run) {
      const RunSpec spec{.dataset = GetParam(),
                         .protocol = Protocol::kAsPublished,
                         .method = "published-code",
                         .lambda = point.lambda,
                         .split = run + 1,
                         .seed = run};
      ResearchLedger ledger;
      const RunRecord record = run_experiment(spec, data, ledger).value();
      error += record.test.error / kRuns;
      violation += violation_of(record.test, spec.notion) / kRuns;
    }
    EXPECT_NEAR(error, point.error, kErrorTolerance) << "lambda " << *point.lambda;
    EXPECT_NEAR(violation, point.violation, kViolationTolerance) << "lambda " << *point.lambda;
    ++compared;
  }
  EXPECT_GE(compared, 5);
}

INSTANTIATE_TEST_SUITE_P(DataSets, Published, testing::Values("adult", "credit-card"),
                         testing_support::by_word);

}  // namespace
}  // namespace dpfermi
