#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "baselines/linear_program.h"
#include "parameter_name.h"
#include "repair/repair_solver.h"

namespace dpfermi {
namespace {

using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::ElementsAre;

const FairnessSetting kParity{FairnessNotion::kDemographicParity, 2, 2, 1};

/// D(mu), as it is: at most the cost of any randomised rule that keeps the target.
double repair_dual(const RepairProblem& problem, double target, std::span<const double> mu) {
  const std::size_t l = problem.setting.classes;
  const std::size_t cells = problem.cells();
  const std::vector<double> weights = decision_weights(problem, mu);
  const std::vector<std::uint16_t> decisions = decisions_under(problem, mu);
  double value = expected_cost(problem, decisions);
  for (std::size_t i = 0; i < problem.rows(); ++i) {
    for (std::size_t cell = 0; cell < cells; ++cell) {
      value +=
          problem.weights[i] * weights[cell * l + decisions[i]] * problem.joint[i * cells + cell];
    }
  }
  for (std::size_t i = 0; i < mu.size(); ++i) {
    value += mu[i] * problem.offset(i) - target / 2 * std::abs(mu[i]);
  }
  return value;
}

/// Two classes with 0/1 costs, groups that x gives away: four rows of each.
RepairProblem eight_rows() {
  RepairProblem problem{kParity, {}, {}, std::vector<double>(8, 1.0 / 8), {true, true}, {}};
  for (const double eta : {.9, .8, .3, .2, .6, .4, .2, .1}) {
    problem.costs.insert(problem.costs.end(), {eta, 1 - eta});
  }
  for (int i = 0; i < 8; ++i) {
    problem.joint.push_back(i < 4 ? 1 : 0);
    problem.joint.push_back(i < 4 ? 0 : 1);
  }
  return problem;
}

/// Scores and groups drawn at random; groups differ in what they score.
RepairProblem random_problem(const FairnessSetting& setting, std::size_t rows, std::uint64_t seed) {
  std::mt19937_64 bits(seed);
  std::normal_distribution<double> normal;
  const auto simplex = [&](std::size_t size, double tilt) {
    std::vector<double> p(size);
    double sum = 0;
    for (std::size_t i = 0; i < size; ++i) {
      sum += p[i] = std::exp(normal(bits) + tilt * static_cast<double>(i));
    }
    for (double& each : p) each /= sum;
    return p;
  };
  RepairProblem problem{setting,
                        {},
                        {},
                        std::vector<double>(rows, 1 / static_cast<double>(rows)),
                        std::vector<bool>(setting.conditions() * setting.groups, true),
                        {}};
  const std::vector<std::uint32_t> condition = setting.condition_by_label();
  for (std::size_t i = 0; i < rows; ++i) {
    const double tilt = normal(bits) / 2;
    const std::vector<double> eta = simplex(setting.classes, tilt);
    const std::vector<double> group = simplex(setting.groups, tilt);
    for (const double share : eta) problem.costs.push_back(1 - share);
    std::vector<double> joint(problem.cells());
    for (std::size_t y = 0; y < setting.classes; ++y) {
      if (condition[y] == setting.conditions()) continue;
      for (std::size_t r = 0; r < setting.groups; ++r) {
        joint[condition[y] * setting.groups + r] += eta[y] * group[r];
      }
    }
    problem.joint.insert(problem.joint.end(), joint.begin(), joint.end());
  }
  return problem;
}

/// The linear program itself: shares of decisions for every row, a centre for every rate.
double least_cost(const RepairProblem& problem, double target) {
  const std::size_t l = problem.setting.classes;
  const std::size_t n = problem.rows();
  const std::size_t k = problem.setting.groups;
  const std::size_t m = problem.setting.conditions();
  const double infinity = std::numeric_limits<double>::infinity();
  LinearProgram program;
  for (std::size_t i = 0; i < n * l; ++i) {
    program.cost.push_back(problem.weights[i / l] * problem.costs[i]);
    program.low.push_back(0);
    program.high.push_back(1);
  }
  const std::size_t size = n * l + m * l;
  program.cost.resize(size);
  program.low.resize(size, -infinity);
  program.high.resize(size, infinity);
  for (std::size_t i = 0; i < n; ++i) {
    LinearProgram::Row row{std::vector<double>(size), 1, 1};
    for (std::size_t j = 0; j < l; ++j) row.coefficients[i * l + j] = 1;
    program.rows.push_back(row);
  }
  const std::vector<double> shares = cell_shares(problem);
  for (std::size_t cell = 0; cell < m * k; ++cell) {
    for (std::size_t j = 0; j < l; ++j) {
      if (!problem.known[cell] || !problem.constrained(j)) continue;
      const double offset = problem.offset(cell * l + j);
      LinearProgram::Row row{std::vector<double>(size), -target / 2 - offset, target / 2 - offset};
      for (std::size_t i = 0; i < n; ++i) {
        row.coefficients[i * l + j] =
            problem.weights[i] * problem.joint[i * m * k + cell] / shares[cell];
      }
      row.coefficients[n * l + cell / k * l + j] = -1;
      program.rows.push_back(row);
    }
  }
  const auto point = solve(program);
  EXPECT_TRUE(point.has_value());
  double cost = 0;
  for (std::size_t i = 0; point && i < size; ++i) cost += program.cost[i] * (*point)[i];
  return cost;
}

TEST(Repair, AcceptsTheRowThatCostsLeast) {
  // By hand: 2 of 4 against 1 of 4. Accepting the row with .4 costs .2, refusing that with .8 .6.
  const RepairProblem problem = eight_rows();
  const RepairFit fit = fit_repair(problem, 0.1).value();
  EXPECT_THAT(fit.decisions, ElementsAre(1, 1, 0, 0, 1, 1, 0, 0));
  EXPECT_THAT(fit.cost, DoubleNear(2.1 / 8, 1e-12));
  EXPECT_EQ(fit.violation, 0);
}

TEST(Repair, ReachesTheDualValueThatACoinWouldCost) {
  // By hand: a coin accepts the row with .4 with probability .6, at a cost of .12 over 1.9 / 8.
  const RepairProblem problem = eight_rows();
  const std::vector<double> mu = solve_repair(problem, 0.1).value();
  EXPECT_THAT(repair_dual(problem, 0.1, mu), DoubleNear(2.02 / 8, 1e-3));
  EXPECT_THAT(mu[1] + mu[3], DoubleNear(0, 1e-9));
}

TEST(Repair, LeavesARuleAloneThatIsFairEnough) {
  const RepairFit fit = fit_repair(eight_rows(), 0.25).value();
  EXPECT_THAT(fit.mu, Each(0));
  EXPECT_THAT(fit.decisions, ElementsAre(1, 1, 0, 0, 1, 0, 0, 0));
}

TEST(Repair, LeavesGroupsAloneThatNoiseHides) {
  RepairProblem problem = eight_rows();
  problem.known = {true, false};
  EXPECT_THAT(fit_repair(problem, 0).value().mu, Each(0));
}

TEST(Repair, FollowsCosts) {
  // A missed positive costs five times a false alarm: every row above 1/6 is accepted.
  RepairProblem problem = eight_rows();
  for (std::size_t i = 0; i < problem.costs.size(); i += 2) problem.costs[i] *= 5;
  EXPECT_THAT(decisions_under(problem, std::vector<double>(4)),
              ElementsAre(1, 1, 1, 1, 1, 1, 1, 0));
}

TEST(Repair, CountsWhatAQueryHasMeasured) {
  // The query found the second group's rate .25 higher than the proxy has it: nothing to do.
  RepairProblem problem = eight_rows();
  problem.offsets = {0, 0, -.25, .25};
  const RepairFit fit = fit_repair(problem, 0.1).value();
  EXPECT_THAT(fit.mu, Each(0));
  EXPECT_THAT(fit.violation, DoubleNear(0, 1e-12));
}

TEST(Repair, IsTheSameForAnyNumberOfThreads) {
  const RepairProblem problem = random_problem(kParity, 20'000, 3);
  Workers two(2);
  EXPECT_EQ(fit_repair(problem, 0.02).value().mu, fit_repair(problem, 0.02, &two).value().mu);
}

struct Case {
  FairnessNotion notion;
  std::size_t groups, classes;
  double target;
};

class RepairAgainstProgram : public ::testing::TestWithParam<Case> {};

/// The dual bounds every randomised rule from below; the rule itself differs from an optimum in as
/// many rows as it has multipliers at most, if its violation is that of the optimum.
TEST_P(RepairAgainstProgram, IsOptimal) {
  const Case& param = GetParam();
  RepairProblem problem =
      random_problem({param.notion, param.groups, param.classes, param.classes - 1}, 150, 7);
  problem.offsets.resize(problem.cells() * param.classes);
  problem.offsets[param.classes + 1] = 0.01;
  problem.offsets[param.classes] = -0.01;
  const double least = least_cost(problem, param.target);
  const std::vector<double> mu = solve_repair(problem, param.target).value();
  const double dual = repair_dual(problem, param.target, mu);
  EXPECT_LE(dual, least + 1e-9);
  EXPECT_THAT(dual, DoubleNear(least, 2e-3));
  const RepairFit fit = fit_repair(problem, param.target).value();
  const double coins = static_cast<double>(problem.offsets.size()) / 150;
  EXPECT_LE(fit.cost, least + coins * 0.2);
  EXPECT_LE(fit.violation, param.target + coins * 0.5);
}

INSTANTIATE_TEST_SUITE_P(Notions, RepairAgainstProgram,
                         ::testing::Values(Case{FairnessNotion::kDemographicParity, 2, 2, 0.05},
                                           Case{FairnessNotion::kDemographicParity, 4, 2, 0.02},
                                           Case{FairnessNotion::kDemographicParity, 3, 4, 0.05},
                                           Case{FairnessNotion::kEqualizedOdds, 2, 2, 0.02},
                                           Case{FairnessNotion::kEqualizedOdds, 3, 3, 0.05},
                                           Case{FairnessNotion::kEqualOpportunity, 2, 2, 0.02},
                                           Case{FairnessNotion::kEqualOpportunity, 3, 3, 0.02}),
                         [](const auto& chosen) {
                           return testing_support::parameter_name(fmt::format(
                               "{}_{}_groups_{}_classes", to_string(chosen.param.notion),
                               chosen.param.groups, chosen.param.classes));
                         });

}  // namespace
}  // namespace dpfermi
