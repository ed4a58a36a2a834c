#include "artifact/merge_sketches.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "artifact/fixtures.h"
#include "sketch/synthetic.h"

namespace dpfermi {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::sketch_of;
using testing_support::synthetic;

/// An encoding of as many numbers as the synthetic rows have.
SharedEncoding encoding_of(const Dataset& data) {
  SharedEncoding encoding{{}, {}, 2, 0.5};
  encoding.schema.target.column = "income";
  encoding.schema.sensitive = {{.column = "sex", .values = {"a", "b"}}};
  std::vector<NumericFeature> numeric;
  for (std::size_t j = 0; j < data.x.columns(); ++j) {
    numeric.push_back({"x" + std::to_string(j), {}, false});
    numeric.back().standardizer.scale = 1;
  }
  encoding.pipeline = Pipeline::create(std::move(numeric), {}).value();
  return encoding;
}

StoredSketch part_of(const Dataset& data, double epsilon, std::uint64_t seed, std::string name) {
  StoredSketch stored;
  stored.encoding = encoding_of(data);
  const SketchFeatures features =
      SketchFeatures::create(data, {.clip_norm = 2, .kappa = 0.5}).value();
  stored.sketch = sketch_of(data, features, FairnessNotion::kDemographicParity, epsilon, seed);
  stored.columns = stored.encoding->pipeline.column_names();
  stored.target = "income";
  stored.classes = {"low", "high"};
  stored.groups = {"a", "b"};
  stored.fingerprint = public_fingerprint(data, stored.columns).value();
  stored.data = std::move(name);
  stored.parts = {{stored.data, data.rows(), stored.sketch.units, stored.fingerprint,
                   *stored.sketch.statement.cost}};
  return stored;
}

Dataset rows_of(std::uint64_t seed) {
  return synthetic({.rows = 300, .seed = seed});
}

TEST(MergeSketches, AddsSumsUnitsAndVariances) {
  const StoredSketch a = part_of(rows_of(1), 1, 3, "a.csv");
  const StoredSketch b = part_of(rows_of(2), 0.5, 4, "b.csv");
  const StoredSketch all = merge_sketches({a, b}, PartPeople::kDisjoint).value();
  for (std::size_t i = 0; i < all.sketch.sums.sums.size(); ++i) {
    EXPECT_EQ(all.sketch.sums.sums[i], a.sketch.sums.sums[i] + b.sketch.sums.sums[i]);
  }
  EXPECT_DOUBLE_EQ(all.sketch.sums.noise, std::hypot(a.sketch.sums.noise, b.sketch.sums.noise));
  EXPECT_EQ(all.sketch.units, 600U);
  ASSERT_EQ(all.parts.size(), 2U);
  EXPECT_EQ(all.parts[1].data, "b.csv");
  const std::string bytes = encode_sketch(all).value();
  EXPECT_EQ(encode_sketch(decode_sketch(bytes, "all").value()).value(), bytes);
  EXPECT_THAT(describe_card(all), HasSubstr("part       b.csv: 300 records, 300 rows"));
}

TEST(MergeSketches, DisjointPeoplePayTheLargestPartAndOthersTheSum) {
  const StoredSketch a = part_of(rows_of(1), 1, 3, "a.csv");
  const StoredSketch b = part_of(rows_of(2), 0.5, 4, "b.csv");
  const PrivacyCost one = *a.sketch.statement.cost;
  const PrivacyCost two = *b.sketch.statement.cost;
  const auto disjoint = merge_sketches({a, b}, PartPeople::kDisjoint).value().sketch.statement;
  EXPECT_EQ(disjoint.cost->epsilon, std::max(one.epsilon, two.epsilon));
  EXPECT_EQ(disjoint.cost->delta, std::max(one.delta, two.delta));
  EXPECT_THAT(describe(disjoint),
              HasSubstr("largest of 2 parts that share no person, as declared"));
  EXPECT_THAT(describe(disjoint), HasSubstr("fairness sketch of b.csv"));
  const auto shared = merge_sketches({a, b}, PartPeople::kOverlapping).value().sketch.statement;
  EXPECT_GT(shared.cost->epsilon, one.epsilon + two.epsilon);
  EXPECT_LT(shared.cost->epsilon, (one.epsilon + two.epsilon) * (1 + 1e-12));
  EXPECT_GT(shared.cost->delta, one.delta + two.delta);
  EXPECT_THAT(describe(shared), HasSubstr("sum over 2 parts that may share people"));
}

TEST(MergeSketches, InStepsOrAtOnceGivesTheSameParts) {
  const StoredSketch a = part_of(rows_of(1), 1, 3, "a.csv");
  const StoredSketch b = part_of(rows_of(2), 1, 4, "b.csv");
  const StoredSketch c = part_of(rows_of(3), 1, 5, "c.csv");
  const StoredSketch once = merge_sketches({a, b, c}, PartPeople::kOverlapping).value();
  const StoredSketch first = merge_sketches({a, b}, PartPeople::kOverlapping).value();
  const StoredSketch steps = merge_sketches({first, c}, PartPeople::kOverlapping).value();
  EXPECT_EQ(steps.parts.size(), 3U);
  EXPECT_EQ(steps.fingerprint, once.fingerprint);
  EXPECT_EQ(steps.sketch.statement.releases.size(), 3U);
  EXPECT_GE(steps.sketch.statement.cost->epsilon, 3 * a.sketch.statement.cost->epsilon);
}

TEST(MergeSketches, PartsThatShareNoPersonKeepTheirNumbersInSteps) {
  const StoredSketch a = part_of(rows_of(1), 1, 3, "a.csv");
  const StoredSketch b = part_of(rows_of(2), 0.5, 4, "b.csv");
  const StoredSketch c = part_of(rows_of(3), 0.25, 5, "c.csv");
  const StoredSketch d = part_of(rows_of(4), 0.25, 6, "d.csv");
  const auto numbers = [](const StoredSketch& merged) {
    std::vector<std::uint64_t> all;
    for (const StatedRelease& release : merged.sketch.statement.releases) {
      all.push_back(release.part);
    }
    return all;
  };
  const StoredSketch apart = merge_sketches({a, b}, PartPeople::kDisjoint).value();
  const StoredSketch shared = merge_sketches({c, d}, PartPeople::kOverlapping).value();
  EXPECT_THAT(numbers(apart), ElementsAre(1, 2));
  EXPECT_THAT(numbers(shared), ElementsAre(0, 0));
  EXPECT_THAT(numbers(merge_sketches({apart, shared}, PartPeople::kDisjoint).value()),
              ElementsAre(1, 2, 3, 3));
  EXPECT_THAT(numbers(merge_sketches({shared, apart}, PartPeople::kDisjoint).value()),
              ElementsAre(1, 1, 2, 3));
  const auto refused = merge_sketches({shared, apart}, PartPeople::kOverlapping);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("merged as parts that share no person"));
}

/// The public side of two tables, one below the other, with a column of persons.
Dataset joined(const Dataset& a, const Dataset& b) {
  Dataset all = a;
  all.x = a.x.shaped(a.rows() + b.rows());
  for (std::size_t i = 0; i < all.rows(); ++i) {
    const HybridMatrix::Row from = i < a.rows() ? a.x.row(i) : b.x.row(i - a.rows());
    std::ranges::copy(from.numbers, all.x.row(i).numbers.begin());
    std::ranges::copy(from.ones, all.x.row(i).ones.begin());
  }
  all.y.insert(all.y.end(), b.y.begin(), b.y.end());
  all.units.resize(all.rows());
  std::iota(all.units.begin(), all.units.end(), 0U);
  all.unit_count = all.rows();
  all.persons = true;
  return all;
}

TEST(MergeSketches, APersonInTwoPartsIsNoticedWhereTheTableTells) {
  const StoredSketch a = part_of(rows_of(1), 1, 3, "a.csv");
  const StoredSketch b = part_of(rows_of(2), 1, 4, "b.csv");
  const StoredSketch disjoint = merge_sketches({a, b}, PartPeople::kDisjoint).value();
  const StoredSketch shared = merge_sketches({a, b}, PartPeople::kOverlapping).value();
  Dataset all = joined(rows_of(1), rows_of(2));
  const auto check = [&](const StoredSketch& merged) {
    return check_same_data(merged, all, merged.columns, merged.classes);
  };
  EXPECT_TRUE(check(disjoint));
  EXPECT_TRUE(check(shared));
  all.units[300] = all.units[7];
  EXPECT_TRUE(check(shared));
  const Status refused = check(disjoint);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("a.csv and b.csv share a person"));
}

TEST(MergeSketches, RefusesWhatDoesNotFit) {
  const StoredSketch a = part_of(rows_of(1), 1, 3, "a.csv");
  const StoredSketch b = part_of(rows_of(2), 1, 4, "b.csv");
  const auto complaint = [&](const StoredSketch& other) {
    const auto merged = merge_sketches({a, other}, PartPeople::kDisjoint);
    return merged ? "accepted" : merged.error().message;
  };
  EXPECT_EQ(complaint(b), "accepted");
  EXPECT_THAT(complaint(a), HasSubstr("sketches of the same rows"));
  EXPECT_THAT(merge_sketches({a}, PartPeople::kDisjoint).error().message,
              HasSubstr("at least two"));
  StoredSketch other = b;
  other.encoding.reset();
  other.parts.clear();
  EXPECT_THAT(complaint(other), HasSubstr("its own encoding"));
  other = b;
  other.encoding->schema.sensitive.front().values = {"b", "a"};
  EXPECT_THAT(complaint(other), HasSubstr("encoded in another way"));
  other = b;
  other.sketch.features.clip_norm = 3;
  EXPECT_THAT(complaint(other), HasSubstr("encoded in another way"));
  other = b;
  other.groups = {"a", "c"};
  EXPECT_THAT(complaint(other), HasSubstr("other groups"));
  other = b;
  other.sketch.statement.id_column = "who";
  EXPECT_THAT(complaint(other), HasSubstr("another unit"));
}

TEST(MergeSketches, APartWithAKnownSeedMakesTheWholeReproducible) {
  StoredSketch a = part_of(rows_of(1), 1, 3, "a.csv");
  StoredSketch b = part_of(rows_of(2), 1, 4, "b.csv");
  a.sketch.statement.noise = Reproducibility::kSecret;
  b.sketch.statement.noise = Reproducibility::kReproducible;
  const StoredSketch all = merge_sketches({a, b}, PartPeople::kDisjoint).value();
  EXPECT_FALSE(is_private(all.sketch.statement));
}

TEST(MergeSketches, TheTableIsThatOfThePartsInTheirOrder) {
  const Dataset one = rows_of(1);
  const StoredSketch a = part_of(one, 1, 3, "a.csv");
  const StoredSketch b = part_of(rows_of(2), 1, 4, "b.csv");
  const StoredSketch all = merge_sketches({a, b}, PartPeople::kDisjoint).value();
  EXPECT_THAT(check_same_data(all, one, all.columns, all.classes).error().message,
              HasSubstr("put the rows of a.csv, b.csv one after the other"));
  EXPECT_TRUE(check_same_data(a, one, all.columns, all.classes));
}

}  // namespace
}  // namespace dpfermi
