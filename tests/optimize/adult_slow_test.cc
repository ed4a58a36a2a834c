// Adult, where its files are available ($DPFERMI_DATA, or shared/data beside the source tree): the
// trade-off at epsilon = 1, and many classes with several protected attributes. Fixed seeds.

#include <gtest/gtest.h>

#include "data/registry.h"
#include "data/split.h"
#include "dpfermi/evaluate/metrics.h"
#include "model/network.h"
#include "optimize/training.h"
#include "preprocess/pipeline.h"
#include "privacy/research_ledger.h"

namespace dpfermi {
namespace {

class Adult : public testing::Test {
 protected:
  void SetUp() override {
    const DatasetDescriptor dataset = find_dataset("adult").value();
    std::vector<std::filesystem::path> folders = data_folders("");
    folders.emplace_back(std::filesystem::path(DPFERMI_SOURCE_DIR) / "../shared/data");
    const auto folder = locate_dataset(dataset, folders);
    if (!folder) GTEST_SKIP() << folder.error().message;
    variant_ = dataset.variant("").value();
    request_ = table_request(variant_, *folder);
  }

  Metrics run(const Table& table, const TrainingRequest& request, std::uint64_t seed) const {
    const Split split = split_rows(split_blocks(table, variant_.split), 0.25, seed).value();
    const Pipeline pipeline = Pipeline::fit(table, split.train).value();
    const EncodedDataset fit = pipeline.apply(table, split.train).value();
    const EncodedDataset test = pipeline.apply(table, split.test).value();
    const TrainingPlan plan = plan_training(request, fit.data, table.labels.positive).value();
    ResearchLedger ledger;
    const TrainingResult result =
        train(fit.data, plan, ledger, NoiseSource{ReproducibleSeed::from_number(seed).value()})
            .value();
    return rule_metrics(result.rule, plan.model, result.theta, test.data, table.labels.positive,
                        Draws::kExpected)
        .value();
  }

  DatasetVariant variant_;
  TableRequest request_;
};

TEST_F(Adult, ReachesTheTradeOffAtEpsilonOne) {
  const Table table = read_table(request_).value();
  struct Bar {
    double lambda, error, gap;
  };
  for (const Bar& bar : {Bar{0.7, 0.163, 0.090}, Bar{1.5, 0.169, 0.060}, Bar{3, 0.177, 0.030}}) {
    double error = 0;
    double gap = 0;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      const Metrics metrics = run(table, {.epsilon = 1, .lambda = bar.lambda}, seed);
      error += metrics.error / 5;
      gap += metrics.fairness->violation[FairnessNotion::kDemographicParity] / 5;
    }
    EXPECT_LE(error, bar.error) << bar.lambda;
    EXPECT_LE(gap, bar.gap) << bar.lambda;
  }
}

// Four bands of education, sex and race together: ten groups, the smallest with 1 % of the rows.
TEST_F(Adult, SeveralAttributesAndClassesBecomeFairer) {
  request_.schema.target = {.column = "education-num", .bins = {8, 10, 12}};
  request_.schema.sensitive = {
      {.column = "sex", .values = {"Male", "Female"}, .other = "Male"},
      {.column = "race",
       .values = {"White", "Black", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other"},
       .other = "White"}};
  request_.schema.drop = {"education", "income"};
  request_.schema.columns.clear();
  const auto table = read_table(request_);
  ASSERT_TRUE(table) << table.error().message;
  ASSERT_EQ(table->labels.classes.size(), 4U);
  ASSERT_EQ(table->domain.size(), 10U);
  const Metrics plain = run(*table, {.method = Method::kErm}, 1);
  const Metrics fair = run(*table, {.epsilon = 3, .lambda = 4}, 1);
  EXPECT_LT(fair.error, plain.error + 0.05);
  EXPECT_LT(fair.fairness->soft_ermi[FairnessNotion::kDemographicParity],
            0.5 * plain.fairness->soft_ermi[FairnessNotion::kDemographicParity]);
  EXPECT_LT(fair.fairness->ermi[FairnessNotion::kDemographicParity],
            plain.fairness->ermi[FairnessNotion::kDemographicParity]);
}

}  // namespace
}  // namespace dpfermi
