#include "sketch/feature_map.h"

#include <gtest/gtest.h>

#include "sketch/synthetic.h"

namespace dpfermi {
namespace {

using testing_support::synthetic;

std::vector<double> phi(const SketchFeatures& features, std::size_t row) {
  std::vector<double> out(features.size());
  features.write(row, out);
  return out;
}

double norm(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

SketchFeatures features_of(const Dataset& data, FeatureKind kind, std::size_t extra = 0) {
  FeatureMapSpec spec;
  spec.kind = kind;
  spec.extra = extra;
  return SketchFeatures::create(data, spec).value();
}

TEST(FeatureMap, IsTheEncodedRowAndAConstant) {
  const Dataset data = synthetic({});
  const SketchFeatures features = features_of(data, FeatureKind::kEncoded);
  ASSERT_EQ(features.size(), data.x.columns() + 1);
  for (std::size_t row = 0; row < 50; ++row) {
    const std::vector<double> out = phi(features, row);
    for (std::size_t j = 0; j < data.x.columns(); ++j) {
      EXPECT_DOUBLE_EQ(out[j], features.factor(row) * data.x.at(row, j));
    }
    EXPECT_EQ(out.back(), features.spec().kappa);
  }
}

TEST(FeatureMap, NoRowIsLongerThanTheBoundAndShortOnesStay) {
  const Dataset data = synthetic({});
  for (const FeatureKind kind : {FeatureKind::kEncoded, FeatureKind::kLabel,
                                 FeatureKind::kInteractions, FeatureKind::kFourier}) {
    const SketchFeatures features = features_of(data, kind, 16);
    std::size_t cut = 0;
    for (std::size_t row = 0; row < data.rows(); ++row) {
      EXPECT_LE(norm(phi(features, row)), features.bound() * (1 + 1e-12));
      cut += features.factor(row) < 1 ? 1 : 0;
    }
    EXPECT_GT(cut, 0U);
    EXPECT_LT(cut, data.rows());
  }
}

TEST(FeatureMap, InteractionsAreProductsOfColumnsThatMeet) {
  const Dataset data = synthetic({200, 2, 3});
  const SketchFeatures features = features_of(data, FeatureKind::kInteractions, 100);
  // Two numbers, and each of them with three levels; levels never meet each other.
  ASSERT_EQ(features.extra_count(), 7U);
  double ratio = 0;
  bool found = false;
  for (std::size_t p = 0; p < features.extra_count() && !found; ++p) {
    ratio = features.extra(0)[p] / (data.x.at(0, 0) * data.x.at(0, 1));
    found = true;
    for (std::size_t row = 0; row < 50; ++row) {
      found = found && std::abs(features.extra(row)[p] -
                                ratio * data.x.at(row, 0) * data.x.at(row, 1)) < 1e-5;
    }
  }
  EXPECT_TRUE(found);
}

TEST(FeatureMap, LabelsAreStandardisedLikeColumns) {
  const Dataset data = synthetic({600, 2, 3, 2, 3});
  const SketchFeatures features = features_of(data, FeatureKind::kLabel);
  ASSERT_EQ(features.extra_count(), 2U);
  for (std::size_t j = 0; j < 2; ++j) {
    double sum = 0;
    double square = 0;
    for (std::size_t row = 0; row < data.rows(); ++row) {
      const double value = features.extra(row)[j];
      EXPECT_EQ(value > 0, data.y[row] == j + 1);
      sum += value;
      square += value * value;
    }
    EXPECT_NEAR(sum, 0, 1e-3);
    EXPECT_NEAR(square, static_cast<double>(data.rows()), 1e-2);
  }
}

TEST(FeatureMap, AnAbsentClassIsZero) {
  Dataset data = synthetic({200, 2, 3});
  data.classes = 3;
  const SketchFeatures features = features_of(data, FeatureKind::kLabel);
  for (std::size_t row = 0; row < data.rows(); ++row) EXPECT_EQ(features.extra(row)[1], 0.0F);
}

TEST(FeatureMap, FourierFeaturesFollowFromTheSeed) {
  const Dataset data = synthetic({});
  FeatureMapSpec spec;
  spec.kind = FeatureKind::kFourier;
  spec.extra = 8;
  const SketchFeatures first = SketchFeatures::create(data, spec).value();
  const SketchFeatures again = SketchFeatures::create(data, spec).value();
  spec.seed = 2;
  const SketchFeatures other = SketchFeatures::create(data, spec).value();
  EXPECT_EQ(phi(first, 5), phi(again, 5));
  EXPECT_NE(phi(first, 5), phi(other, 5));
}

TEST(FeatureMap, AreAModelsHiddenLayerOrItsScoresWithoutOne) {
  const Dataset data = synthetic({});
  FeatureMapSpec spec;
  spec.kind = FeatureKind::kModel;
  FeatureModel model{{data.x.columns(), 2, {5}}, {}, "abc"};
  model.theta.assign(model.spec.parameter_count(), 0.1);
  const SketchFeatures hidden = SketchFeatures::create(data, spec, &model).value();
  EXPECT_EQ(hidden.extra_count(), 5U);
  EXPECT_EQ(hidden.spec().model_digest, "abc");
  model.spec.hidden.clear();
  model.theta.assign(model.spec.parameter_count(), 0.1);
  EXPECT_EQ(SketchFeatures::create(data, spec, &model)->extra_count(), 1U);
  EXPECT_FALSE(SketchFeatures::create(data, spec).has_value());
  model.spec.inputs = 3;
  EXPECT_FALSE(SketchFeatures::create(data, spec, &model).has_value());
}

TEST(FeatureMap, RefusesMoreThanMemoryShouldHold) {
  Dataset data = synthetic({});
  FeatureMapSpec spec;
  spec.kind = FeatureKind::kFourier;
  spec.extra = SketchFeatures::kMostExtra + 1;
  EXPECT_FALSE(SketchFeatures::create(data, spec).has_value());
  const std::size_t wide = SketchFeatures::kMostExtra + 1;
  FeatureModel model{{data.x.columns(), 2, {wide}}, {}, "abc"};
  model.theta.resize(model.spec.parameter_count());
  spec = {};
  spec.kind = FeatureKind::kModel;
  EXPECT_FALSE(SketchFeatures::create(data, spec, &model).has_value());
  spec.kind = FeatureKind::kLabel;
  data.classes = wide + 1;
  EXPECT_FALSE(SketchFeatures::create(data, spec).has_value());
  EXPECT_FALSE(parse_feature_kind("everything").has_value());
  EXPECT_EQ(parse_feature_kind("fourier").value(), FeatureKind::kFourier);
}

}  // namespace
}  // namespace dpfermi
