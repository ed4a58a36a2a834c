// AUC, balanced error, precision, recall, Brier score, calibration. Golden values:
// scikit-learn 1.2.1 (roc_auc_score, balanced_accuracy_score, precision_score, recall_score,
// brier_score_loss) on the same rows.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "data/dataset.h"
#include "dpfermi/evaluate/metrics.h"

namespace dpfermi {
namespace {

Dataset labelled(std::vector<std::uint16_t> y, std::size_t classes) {
  Dataset data;
  data.y = std::move(y);
  data.classes = classes;
  return data;
}

/// Of two classes, from the probability of the second.
Performance binary_performance(const std::vector<float>& p, const Dataset& data) {
  std::vector<float> probabilities;
  for (const float value : p) probabilities.insert(probabilities.end(), {1 - value, value});
  return exact_metrics(probabilities, data, 1)->performance.value();
}

TEST(Performance, AgreesWithScikitLearnOnTwoClasses) {
  const std::vector<float> p = {0.9F, 0.8F, 0.8F, 0.7F, 0.55F, 0.55F,
                                0.4F, 0.3F, 0.3F, 0.2F, 0.05F, 1.0F};
  const Performance found =
      binary_performance(p, labelled({1, 1, 0, 1, 1, 0, 0, 1, 0, 0, 0, 1}, 2));
  EXPECT_NEAR(*found.auc, 0.8194444444444445, 1e-12);
  EXPECT_NEAR(*found.brier, 0.17229166666666665, 1e-7);  // probabilities are floats
  EXPECT_NEAR(*found.balanced_error, 0.25, 1e-12);
  EXPECT_NEAR(*found.precision, 0.7142857142857143, 1e-12);
  EXPECT_NEAR(*found.recall, 0.8333333333333334, 1e-12);
}

TEST(Performance, AgreesWithScikitLearnOnThreeClasses) {
  const std::vector<float> p = {0.6F, 0.3F,  0.1F,  0.2F,  0.5F, 0.3F,  0.1F,  0.2F,
                                0.7F, 0.4F,  0.35F, 0.25F, 0.3F, 0.3F,  0.4F,  0.15F,
                                0.8F, 0.05F, 0.5F,  0.1F,  0.4F, 0.33F, 0.33F, 0.34F};
  const Performance found =
      exact_metrics(p, labelled({0, 1, 2, 1, 0, 1, 2, 2}, 3), 0)->performance.value();
  EXPECT_NEAR(*found.auc, 0.75, 1e-12);
  EXPECT_NEAR(*found.brier, 0.155175, 1e-7);
  EXPECT_NEAR(*found.balanced_error, 0.38888888888888895, 1e-12);
  EXPECT_NEAR(*found.precision, 1.0 / 3, 1e-12);
  EXPECT_NEAR(*found.recall, 0.5, 1e-12);
}

TEST(Performance, AreaIsTheShareOfPairsInTheRightOrder) {
  std::mt19937_64 random(3);
  std::vector<float> p;
  std::vector<std::uint16_t> y;
  for (int i = 0; i < 300; ++i) {
    p.push_back(static_cast<float>(random() % 20) / 20);  // many ties
    y.push_back(static_cast<std::uint16_t>(random() % 2));
  }
  double pairs = 0;
  double right = 0;
  for (std::size_t a = 0; a < p.size(); ++a) {
    for (std::size_t b = 0; b < p.size(); ++b) {
      if (y[a] != 1 || y[b] != 0) continue;
      pairs += 1;
      right += p[a] > p[b] ? 1 : p[a] == p[b] ? 0.5 : 0;
    }
  }
  EXPECT_NEAR(*binary_performance(p, labelled(y, 2)).auc, right / pairs, 1e-12);
}

TEST(Performance, OfOneLabelHasNoArea) {
  const Performance found = binary_performance({0.2F, 0.3F}, labelled({0, 0}, 2));
  EXPECT_FALSE(found.auc);
  EXPECT_FALSE(found.recall);
  EXPECT_FALSE(found.precision);
  EXPECT_EQ(found.balanced_error, 0);
}

TEST(Performance, BinsCountEveryUnitOnce) {
  const Performance found =
      binary_performance({0.0F, 0.05F, 0.95F, 1.0F, 0.5F}, labelled({0, 1, 1, 1, 0}, 2));
  ASSERT_EQ(found.calibration.size(), Performance::kBins);
  EXPECT_EQ(found.calibration[0].units, 2);
  EXPECT_EQ(found.calibration[0].share, 0.5);
  EXPECT_NEAR(found.calibration[0].mean_probability, 0.025, 1e-7);
  EXPECT_EQ(found.calibration[5].units, 1);
  EXPECT_EQ(found.calibration[9].units, 2);
  EXPECT_EQ(found.calibration[9].share, 1);
  EXPECT_EQ(found.calibration[3].units, 0);
}

TEST(Performance, CountsAPersonOnceHoweverManyRows) {
  Dataset data = labelled({1, 0, 0, 0}, 2);
  data.units = {0, 1, 1, 1};
  data.unit_count = 2;
  data.persons = true;
  // The second person is decided wrongly in one of three rows.
  const Performance found = binary_performance({0.9F, 0.1F, 0.1F, 0.8F}, data);
  EXPECT_NEAR(*found.precision, 1 / (1 + 1.0 / 3), 1e-12);
  EXPECT_NEAR(*found.balanced_error, (0 + 1.0 / 3) / 2, 1e-12);
}

TEST(Performance, OfGroupsIsThatOfTheirRows) {
  Dataset data = labelled({1, 0, 1, 0, 1, 0}, 2);
  data.s = Protected(std::vector<std::uint16_t>{0, 0, 0, 1, 1, 1});
  data.groups = 3;
  const std::vector<float> p = {0.1F, 0.9F, 0.6F, 0.4F, 0.2F, 0.8F,
                                0.3F, 0.7F, 0.5F, 0.5F, 0.9F, 0.1F};
  const FairnessMetrics fairness = exact_metrics(p, data, 1)->fairness.value();
  EXPECT_EQ(*fairness.groups[0].performance->auc, 1);
  EXPECT_EQ(*fairness.groups[1].performance->auc, 0.5);
  EXPECT_FALSE(fairness.groups[2].performance);
}

TEST(Performance, ReadsBackFromJson) {
  Dataset data = labelled({1, 0, 1, 0}, 2);
  data.s = Protected(std::vector<std::uint16_t>{0, 0, 1, 1});
  data.groups = 2;
  const std::vector<float> p = {0.1F, 0.9F, 0.6F, 0.4F, 0.2F, 0.8F, 0.3F, 0.7F};
  const Metrics metrics = exact_metrics(p, data, 1).value();
  const std::vector<std::string> names = {"a", "b"};
  const std::string json = to_json(metrics, names);
  const Metrics read = parse_metrics(json)->metrics;
  EXPECT_EQ(to_json(read, names), json);
  EXPECT_EQ(read.performance->auc, metrics.performance->auc);
  EXPECT_EQ(read.fairness->groups[1].performance->brier,
            metrics.fairness->groups[1].performance->brier);
}

}  // namespace
}  // namespace dpfermi
