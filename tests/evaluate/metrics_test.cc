#include "dpfermi/evaluate/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>

#include "data/dataset.h"

namespace dpfermi {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct Person {
  std::uint16_t y;
  std::uint16_t s;
  std::vector<float> probabilities;
};

struct Sample {
  Dataset data;
  std::vector<float> probabilities;
};

Sample sample_of(const std::vector<Person>& people, std::size_t classes, std::size_t groups) {
  Sample sample;
  std::vector<std::uint16_t> s;
  for (const Person& person : people) {
    sample.data.y.push_back(person.y);
    s.push_back(person.s);
    sample.probabilities.insert(sample.probabilities.end(), person.probabilities.begin(),
                                person.probabilities.end());
  }
  if (groups > 0) sample.data.s = Protected(std::move(s));
  sample.data.classes = classes;
  sample.data.groups = groups;
  return sample;
}

Metrics metrics_of(const std::vector<Person>& people, std::size_t classes, std::size_t groups,
                   std::size_t favourable) {
  const Sample sample = sample_of(people, classes, groups);
  return exact_metrics(sample.probabilities, sample.data, favourable).value();
}

const std::vector<float> kNo = {0.75F, 0.25F};
const std::vector<float> kYes = {0.25F, 0.75F};

/// Group 0: 4 rows, predicted 1 for 3 of them. Group 1: 4 rows, predicted 1 for 1.
const std::vector<Person> kPeople = {
    {1, 0, kYes}, {1, 0, kYes}, {0, 0, kYes}, {0, 0, kNo},
    {1, 1, kYes}, {1, 1, kNo},  {0, 1, kNo},  {0, 1, kNo},
};

TEST(Metrics, AreWhatAHandCountGives) {
  const Metrics metrics = metrics_of(kPeople, 2, 2, 1);
  EXPECT_EQ(metrics.rows, 8U);
  EXPECT_EQ(metrics.error, 2.0 / 8);
  const FairnessMetrics& fair = *metrics.fairness;
  EXPECT_EQ(fair.violation[FairnessNotion::kDemographicParity], 0.75 - 0.25);
  EXPECT_EQ(fair.violation[FairnessNotion::kEqualizedOdds], 0.5);
  EXPECT_EQ(fair.violation[FairnessNotion::kEqualOpportunity], 1 - 0.5);
  // A prediction of 1 means a probability of .75, otherwise .25: every gap is halved.
  EXPECT_DOUBLE_EQ(fair.soft_violation[FairnessNotion::kDemographicParity], 0.25);
  EXPECT_DOUBLE_EQ(fair.soft_violation[FairnessNotion::kEqualizedOdds], 0.25);
  EXPECT_DOUBLE_EQ(fair.soft_violation[FairnessNotion::kEqualOpportunity], 0.25);
  // P(j,r) = [1/8 3/8; 3/8 1/8], all marginals 1/2: 4 (2/64 + 2*9/64) - 1.
  EXPECT_DOUBLE_EQ(fair.ermi[FairnessNotion::kDemographicParity], 0.25);
  ASSERT_EQ(fair.groups.size(), 2U);
  EXPECT_THAT(fair.groups[0].rate, ElementsAre(0.25, 0.75));
  EXPECT_THAT(fair.groups[0].soft_rate, ElementsAre(0.375, 0.625));
  EXPECT_EQ(fair.groups[0].error, 0.25);
  EXPECT_EQ(fair.groups[0].true_positive_rate, 1);
  EXPECT_EQ(fair.groups[0].false_positive_rate, 0.5);
  EXPECT_EQ(fair.groups[1].true_positive_rate, 0.5);
  EXPECT_EQ(fair.groups[1].false_positive_rate, 0);
}

TEST(Metrics, EqualOpportunityLooksAtTheFavourableClassOnly) {
  // Among y = 1 all are predicted 1; among y = 0 the groups differ.
  const std::vector<Person> people = {{1, 0, kYes}, {1, 1, kYes}, {0, 0, kYes}, {0, 1, kNo}};
  EXPECT_EQ(metrics_of(people, 2, 2, 1).fairness->violation[FairnessNotion::kEqualOpportunity], 0);
  EXPECT_EQ(metrics_of(people, 2, 2, 0).fairness->violation[FairnessNotion::kEqualOpportunity], 1);
  EXPECT_EQ(metrics_of(people, 2, 2, 1).fairness->violation[FairnessNotion::kEqualizedOdds], 1);
  EXPECT_EQ(metrics_of(people, 2, 2, 1).fairness->violation[FairnessNotion::kDemographicParity],
            0.5);
}

TEST(Metrics, TiesGoToTheFirstClass) {
  EXPECT_EQ(predicted_class(std::vector<float>{0.5F, 0.5F}), 0U);
  EXPECT_EQ(predicted_class(std::vector<float>{0.2F, 0.4F, 0.4F}), 1U);
  EXPECT_EQ(predicted_class(std::vector<float>{0.1F, 0.2F, 0.7F}), 2U);
  EXPECT_EQ(metrics_of({{1, 0, {0.5F, 0.5F}}}, 2, 1, 1).error, 1);
}

TEST(Metrics, EmptyCellsTakePartInNoComparison) {
  // Group 2 is empty; group 1 has no row with label 1.
  const std::vector<Person> people = {{1, 0, kYes}, {1, 0, kNo}, {0, 0, kNo}, {0, 1, kNo}};
  const Metrics metrics = metrics_of(people, 2, 3, 1);
  const FairnessMetrics& fair = *metrics.fairness;
  EXPECT_DOUBLE_EQ(fair.violation[FairnessNotion::kDemographicParity], 1.0 / 3);
  EXPECT_EQ(fair.violation[FairnessNotion::kEqualizedOdds], 0);
  EXPECT_EQ(fair.violation[FairnessNotion::kEqualOpportunity], 0);
  EXPECT_EQ(fair.ermi[FairnessNotion::kEqualOpportunity], 0);
  EXPECT_EQ(fair.groups[1].true_positive_rate, std::nullopt);
  EXPECT_EQ(fair.groups[1].false_positive_rate, 0);
  EXPECT_EQ(fair.groups[2].rows, 0U);
  EXPECT_EQ(fair.groups[2].error, std::nullopt);
  EXPECT_THAT(fair.groups[2].rate, IsEmpty());
}

TEST(Metrics, WithoutGroupsOnlyTheErrorIsKnown) {
  const Metrics metrics = metrics_of(kPeople, 2, 0, 1);
  EXPECT_EQ(metrics.error, 0.25);
  EXPECT_FALSE(metrics.fairness);
}

/// Everything again by its definition, in loops over rows: slow and plain.
class Naive {
 public:
  Naive(const std::vector<Person>& people, std::size_t classes, std::size_t groups, bool hard)
      : people_(people), classes_(classes), groups_(groups), hard_(hard) {}

  static constexpr int kAny = -1;

  /// E[weight of class j | s, y], or NaN for an empty group.
  double mean(std::size_t j, int s, int y) const {
    double rows = 0;
    double sum = 0;
    for (const Person& person : people_) {
      if ((s != kAny && person.s != s) || (y != kAny && person.y != y)) continue;
      rows += 1;
      sum += weight(person, j);
    }
    return rows == 0 ? std::nan("") : sum / rows;
  }

  double gap(int y, int only = kAny) const {
    double largest = 0;
    for (std::size_t j = 0; j < classes_; ++j) {
      if (only != kAny && static_cast<int>(j) != only) continue;
      for (int a = 0; a < static_cast<int>(groups_); ++a) {
        for (int b = 0; b < a; ++b) {
          const double difference = std::abs(mean(j, a, y) - mean(j, b, y));
          if (difference > largest) largest = difference;
        }
      }
    }
    return largest;
  }

  double share(int s, int y) const {
    double rows = 0;
    double those = 0;
    for (const Person& person : people_) {
      if (y != kAny && person.y != y) continue;
      rows += 1;
      those += person.s == s ? 1 : 0;
    }
    return rows == 0 ? 0 : those / rows;
  }

  double ermi(int y) const {
    double sum = 0;
    bool any = false;
    for (std::size_t j = 0; j < classes_; ++j) {
      for (int r = 0; r < static_cast<int>(groups_); ++r) {
        const double p_r = share(r, y);
        const double p_j = mean(j, kAny, y);
        if (p_r == 0 || !(p_j > 0)) continue;
        any = true;
        const double joint = mean(j, r, y) * p_r;
        sum += joint * joint / (p_j * p_r);
      }
    }
    return any ? sum - 1 : 0;
  }

 private:
  double weight(const Person& person, std::size_t j) const {
    if (!hard_) return static_cast<double>(person.probabilities[j]);
    const auto best = std::max_element(person.probabilities.begin(), person.probabilities.end());
    return best - person.probabilities.begin() == static_cast<std::ptrdiff_t>(j) ? 1 : 0;
  }

  const std::vector<Person>& people_;
  std::size_t classes_;
  std::size_t groups_;
  bool hard_;
};

std::vector<Person> random_people(std::mt19937& random, std::size_t classes, std::size_t groups) {
  const auto below = [&](std::size_t bound) {
    return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
  };
  std::vector<Person> people(1 + below(60));
  for (Person& person : people) {
    person.y = static_cast<std::uint16_t>(below(classes));
    person.s = static_cast<std::uint16_t>(below(groups));
    // Few levels, so that ties happen.
    float total = 0;
    for (std::size_t j = 0; j < classes; ++j) {
      person.probabilities.push_back(static_cast<float>(1 + below(4)));
      total += person.probabilities.back();
    }
    for (float& p : person.probabilities) p /= total;
  }
  return people;
}

void expect_notions(const PerNotion& violation, const PerNotion& ermi, const Naive& naive,
                    const std::vector<Person>& people, std::size_t classes, int favourable) {
  double odds = 0;
  double odds_ermi = 0;
  for (int c = 0; c < static_cast<int>(classes); ++c) {
    odds = std::max(odds, naive.gap(c));
    const auto those = std::ranges::count_if(people, [&](const Person& p) { return p.y == c; });
    odds_ermi += static_cast<double>(those) / static_cast<double>(people.size()) * naive.ermi(c);
  }
  EXPECT_NEAR(violation[FairnessNotion::kDemographicParity], naive.gap(Naive::kAny), 1e-12);
  EXPECT_NEAR(violation[FairnessNotion::kEqualizedOdds], odds, 1e-12);
  EXPECT_NEAR(violation[FairnessNotion::kEqualOpportunity], naive.gap(favourable, favourable),
              1e-12);
  // Probabilities are rounded to floats and sum to 1 only up to that.
  EXPECT_NEAR(ermi[FairnessNotion::kDemographicParity], naive.ermi(Naive::kAny), 1e-6);
  EXPECT_NEAR(ermi[FairnessNotion::kEqualizedOdds], odds_ermi, 1e-6);
  EXPECT_NEAR(ermi[FairnessNotion::kEqualOpportunity], naive.ermi(favourable), 1e-6);
}

TEST(Metrics, AgreeWithPlainLoopsOnRandomTables) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t classes = 2 + static_cast<std::size_t>(trial % 3);
    const std::size_t groups = 1 + static_cast<std::size_t>(trial % 5);
    const std::size_t favourable = static_cast<std::size_t>(trial) % classes;
    const std::vector<Person> people = random_people(random, classes, groups);
    const Metrics metrics = metrics_of(people, classes, groups, favourable);
    const FairnessMetrics& fair = *metrics.fairness;
    const Naive hard(people, classes, groups, true);
    const Naive soft(people, classes, groups, false);
    const int positive = static_cast<int>(favourable);
    expect_notions(fair.violation, fair.ermi, hard, people, classes, positive);
    expect_notions(fair.soft_violation, fair.soft_ermi, soft, people, classes, positive);
    double errors = 0;
    for (std::size_t r = 0; r < groups; ++r) {
      const auto rows = static_cast<double>(fair.groups[r].rows);
      errors += rows * fair.groups[r].error.value_or(0);
      for (std::size_t j = 0; j < fair.groups[r].rate.size(); ++j) {
        EXPECT_NEAR(fair.groups[r].rate[j], hard.mean(j, static_cast<int>(r), Naive::kAny), 1e-12);
      }
    }
    EXPECT_NEAR(errors / static_cast<double>(people.size()), metrics.error, 1e-12);
  }
}

TEST(Metrics, RefuseWhatDoesNotFit) {
  const Sample good = sample_of(kPeople, 2, 2);
  const auto complaint = [](const Sample& sample, std::size_t favourable = 1) {
    const auto metrics = exact_metrics(sample.probabilities, sample.data, favourable);
    return metrics ? "accepted" : metrics.error().message;
  };
  EXPECT_EQ(complaint(good), "accepted");
  EXPECT_THAT(complaint(good, 2), HasSubstr("do not fit"));
  Sample bad = good;
  bad.probabilities.pop_back();
  EXPECT_THAT(complaint(bad), HasSubstr("15 probabilities do not fit 8 rows"));
  bad = good;
  bad.data.y[3] = 2;
  EXPECT_THAT(complaint(bad), HasSubstr("a label is not"));
  for (const float value : {std::numeric_limits<float>::quiet_NaN(), -0.1F, 1.5F}) {
    bad = good;
    bad.probabilities[5] = value;
    EXPECT_THAT(complaint(bad), HasSubstr("row 2"));
  }
  bad = good;
  bad.data.s = Protected(std::vector<std::uint16_t>{0, 1});
  EXPECT_THAT(complaint(bad), HasSubstr("2 protected values"));
  bad = good;
  bad.data.groups = std::size_t{1} << 40;
  EXPECT_THAT(complaint(bad), HasSubstr("too many"));
  EXPECT_THAT(complaint(sample_of({}, 2, 2)), HasSubstr("no labelled rows"));
}

TEST(Metrics, JsonCarriesTheWarning) {
  using nlohmann::json;
  const std::vector<std::string> names = {"f", "m", "other"};
  const json all = json::parse(to_json(metrics_of(kPeople, 2, 3, 1), names));
  EXPECT_EQ(all["exact_not_private"], true);
  EXPECT_EQ(all["error"], 0.25);
  EXPECT_EQ(all["violation"]["demographic_parity"], 0.5);
  EXPECT_EQ(all["soft_violation"]["equal_opportunity"], 0.25);
  EXPECT_EQ(all["groups"][1]["name"], "m");
  EXPECT_EQ(all["groups"][1]["true_positive_rate"], 0.5);
  EXPECT_TRUE(all["groups"][2]["error"].is_null());
  const json plain = json::parse(to_json(metrics_of(kPeople, 2, 0, 1), {}));
  EXPECT_EQ(plain["exact_not_private"], true);
  EXPECT_FALSE(plain.contains("violation"));
}

// A person of three rows counts as much as a person of one: (1/3 + 1) / 2 of the persons are
// decided wrongly, half of the rows.
TEST(Metrics, CountPersonsWithTheMeanOverTheirRows) {
  Dataset data;
  data.y = {1, 1, 1, 1};
  data.s = Protected(std::vector<std::uint16_t>{0, 0, 0, 1});
  data.units = {0, 0, 0, 1};
  data.unit_count = 2;
  data.classes = 2;
  data.groups = 2;
  const std::vector<float> probabilities = {1, 0, 0, 1, 0, 1, 1, 0};
  const Metrics rows = exact_metrics(probabilities, data, 1).value();
  EXPECT_DOUBLE_EQ(rows.error, 0.5);
  EXPECT_FALSE(rows.persons);
  EXPECT_DOUBLE_EQ(constant_error(data, 0), 1);
  data.persons = true;
  const Metrics persons = exact_metrics(probabilities, data, 1).value();
  EXPECT_EQ(persons.rows, 4U);
  EXPECT_EQ(persons.persons, 2U);
  EXPECT_NEAR(persons.error, (1 / 3.0 + 1) / 2, 1e-12);
  EXPECT_EQ(persons.fairness->groups[0].rows, 3U);
  EXPECT_NEAR(persons.fairness->violation[FairnessNotion::kDemographicParity], 2 / 3.0, 1e-12);
  const std::vector<std::string> names = {"a", "b"};
  EXPECT_EQ(parse_metrics(to_json(persons, names))->metrics.persons, 2U);
}

}  // namespace
}  // namespace dpfermi
