// Simultaneous coverage of the intervals of a private evaluation, through the real mechanism.
//
// All intervals of a draw hold together with probability >= 0.95. Of 2000 draws more than 150 miss
// with probability below 3e-7 (binomial); 27 checks, so a false alarm of 1e-5 for the file.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <random>

#include "evaluate/judged_rows.h"
#include "parameter_name.h"

namespace dpfermi {
namespace {

using testing_support::all_hold;
using testing_support::Counts;
using testing_support::Judged;

constexpr int kDraws = 2000;
constexpr int kMostMisses = 150;

struct Case {
  const char* name;
  std::size_t groups;
  std::vector<double> cells;  ///< two classes: (y,j) = 00, 01, 10, 11 for each group
  bool all_large = false;     ///< every group that has rows stands out: intervals must be useful
};

const std::vector<Case> kCases = {
    {"even", 2, {300, 60, 40, 100, 280, 40, 60, 120}, true},
    {"small group", 2, {900, 60, 40, 200, 6, 2, 1, 3}},
    {"empty group", 3, {300, 60, 40, 100, 280, 40, 60, 120, 0, 0, 0, 0}, true},
    {"skewed", 2, {990, 0, 9, 1, 480, 2, 0, 18}, true},
    {"many groups", 6, {90, 6, 4, 20, 60, 2, 1, 3, 30, 5, 5, 30,
                        0,  0, 1, 0,  8,  8, 8, 8, 1,  0, 0, 0}},
};

double mean_width(const PrivateMetrics& metrics) {
  const Interval& gap = metrics.violation[FairnessNotion::kDemographicParity].interval;
  return (gap.high - gap.low) / kDraws;
}

std::string table_and_adjacency(const testing::TestParamInfo<std::tuple<int, Adjacency>>& info) {
  const auto [table, adjacency] = info.param;
  return testing_support::parameter_name(fmt::format("{}_{}", table, to_string(adjacency)));
}

class Coverage : public testing::TestWithParam<std::tuple<int, Adjacency>> {};

TEST_P(Coverage, HoldsForTheseRows) {
  const Case& given = kCases[static_cast<std::size_t>(std::get<0>(GetParam()))];
  const Counts counts{given.groups, 2, given.cells};
  const Judged judged = testing_support::rows_of(counts);
  EvaluationRequest request{std::get<1>(GetParam()), 1, 1e-6, {}};
  const EvaluationPlan plan = plan_evaluation(request, judged.data).value();
  int misses = 0;
  double width = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const PrivateMetrics metrics = private_metrics(
        testing_support::release(plan, judged, 1000 + static_cast<std::uint64_t>(draw)), 1);
    misses += all_hold(metrics, counts, 1, testing_support::of_rows, true) ? 0 : 1;
    width += mean_width(metrics);
  }
  RecordProperty("misses", misses);
  RecordProperty("width", std::to_string(width));
  EXPECT_LE(misses, kMostMisses) << given.name;
  if (given.all_large) {
    EXPECT_LT(width, 0.12) << given.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Tables, Coverage,
                         testing::Combine(testing::Range(0, 5),
                                          testing::Values(Adjacency::kSensitive,
                                                          Adjacency::kReplaceRecord,
                                                          Adjacency::kAddRemoveRecord)),
                         table_and_adjacency);

class PersonCoverage : public testing::TestWithParam<Adjacency> {};

TEST_P(PersonCoverage, HoldsForPersonsWithSeveralRows) {
  const Judged judged =
      testing_support::persons_of({2, 2, {300, 61, 41, 100, 281, 40, 60, 122}}, 5);
  const Counts counts = testing_support::weighted_counts(judged);
  EvaluationRequest request{GetParam(), 1, 1e-6, {}};
  const EvaluationPlan plan = plan_evaluation(request, judged.data).value();
  int misses = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const PrivateMetrics metrics = private_metrics(
        testing_support::release(plan, judged, 1000 + static_cast<std::uint64_t>(draw)), 1);
    misses += all_hold(metrics, counts, 1, testing_support::of_rows, true) ? 0 : 1;
  }
  EXPECT_LE(misses, kMostMisses);
}

INSTANTIATE_TEST_SUITE_P(All, PersonCoverage,
                         testing::Values(Adjacency::kSensitive, Adjacency::kReplaceRecord,
                                         Adjacency::kAddRemoveRecord),
                         testing_support::by_word);

/// A table of n independent records from a population with the shares of `counts`.
Counts draw_table(const Counts& counts, int n, std::mt19937_64& random) {
  std::discrete_distribution<std::size_t> cell(counts.cells.begin(), counts.cells.end());
  Counts drawn{counts.groups, counts.classes, std::vector<double>(counts.cells.size())};
  for (int i = 0; i < n; ++i) ++drawn.cells[cell(random)];
  return drawn;
}

class PopulationCoverage : public testing::TestWithParam<std::tuple<int, Adjacency>> {};

TEST_P(PopulationCoverage, HoldsForThePopulation) {
  const Case& given = kCases[static_cast<std::size_t>(std::get<0>(GetParam()))];
  const Counts population{given.groups, 2, given.cells};
  std::mt19937_64 random(7);
  EvaluationRequest request{std::get<1>(GetParam()), 1, 1e-6, {}};
  const EvaluationPlan plan =
      plan_evaluation(request, testing_support::rows_of(population).data).value();
  int misses = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    const Judged judged = testing_support::rows_of(draw_table(population, 800, random));
    const PrivateMetrics metrics = private_metrics(
        testing_support::release(plan, judged, 1000 + static_cast<std::uint64_t>(draw)), 1);
    misses += all_hold(metrics, population, 1, testing_support::of_population, false) ? 0 : 1;
  }
  RecordProperty("misses", misses);
  EXPECT_LE(misses, kMostMisses) << given.name;
}

INSTANTIATE_TEST_SUITE_P(Tables, PopulationCoverage,
                         testing::Combine(testing::Values(0, 2, 3),
                                          testing::Values(Adjacency::kSensitive,
                                                          Adjacency::kReplaceRecord,
                                                          Adjacency::kAddRemoveRecord)),
                         table_and_adjacency);

}  // namespace
}  // namespace dpfermi
