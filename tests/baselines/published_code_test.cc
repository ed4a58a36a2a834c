// The objective against a plain-loop version of its definition, and short runs.

#include "baselines/published_code.h"

#include <gmock/gmock.h>

#include <cmath>

#include "baselines/published_problem.h"
#include "dpfermi/evaluate/metrics.h"
#include "model/network.h"
#include "optimize/census_data.h"
#include "privacy/exact_read.h"

namespace dpfermi {
namespace {

using testing_support::census_data;
using testing_support::exact_read;

constexpr std::uint16_t kGroup = 1;
constexpr double kLambda = 0.7;
constexpr double kRadius = 5;
constexpr FairnessNotion kNotions[] = {FairnessNotion::kDemographicParity,
                                       FairnessNotion::kEqualizedOdds};

const Dataset& census() {
  static const Dataset data = census_data({.rows = 1500});
  return data;
}

NoiseSource seeded(std::uint64_t seed) {
  return NoiseSource{ReproducibleSeed::from_number(seed).value()};
}

std::vector<std::uint32_t> first_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

std::vector<double> some_theta(std::size_t size) {
  std::vector<double> theta(size);
  for (std::size_t j = 0; j < size; ++j) theta[j] = 0.3 * std::sin(1.0 + static_cast<double>(j));
  return theta;
}

double probability(const Dataset& data, std::uint32_t row, std::span<const double> theta) {
  double v = theta.back();
  for (std::size_t j = 0; j < data.x.columns(); ++j) v += theta[j] * data.x.at(row, j);
  return 1 / (1 + std::exp(-v));
}

/// Of one condition: share p of the group, mean of F_1, mean of F_1 1[s = group] over `rows`.
struct Means {
  double share = 0, all = 0, group = 0;
};

Means means(const Dataset& data, FairnessNotion notion, std::size_t c,
            std::span<const std::uint32_t> rows, std::span<const double> theta) {
  const auto& s = ExactForHolder::read(data.s);
  const auto meets = [&](std::uint32_t row) {
    return notion == FairnessNotion::kDemographicParity || data.y[row] == c;
  };
  Means sums;
  double everybody = 0;
  for (const std::uint32_t row : first_rows(data.rows())) {
    everybody += meets(row) ? 1 : 0;
    sums.share += meets(row) && s[row] == kGroup ? 1 : 0;
  }
  double here = 0;
  for (const std::uint32_t row : rows) {
    if (!meets(row)) continue;
    const double f = probability(data, row, theta);
    here += 1;
    sums.all += f;
    sums.group += s[row] == kGroup ? f : 0;
  }
  return {sums.share / everybody, sums.all / here, sums.group / here};
}

double psi(const Means& mean, double w) {
  return -w * w * mean.all + 2 * w * mean.group / std::sqrt(mean.share) - 1;
}

double objective(const Dataset& data, FairnessNotion notion, std::span<const std::uint32_t> rows,
                 std::span<const double> theta, std::span<const double> w) {
  double sum = 0;
  for (const std::uint32_t row : rows) {
    const double f = probability(data, row, theta);
    sum -= std::log(data.y[row] == 1 ? f : 1 - f) / static_cast<double>(rows.size());
  }
  for (std::size_t c = 0; c < w.size(); ++c) {
    sum += kLambda * psi(means(data, notion, c, rows, theta), w[c]);
  }
  return sum;
}

Gradients gradients(PublishedProblem& problem, std::span<const std::uint32_t> rows,
                    std::span<const double> theta, std::span<const double> w) {
  Gradients sums{std::vector<double>(problem.theta_size()), std::vector<double>(problem.w_size())};
  problem.begin_step(theta, w);
  problem.add_exact(exact_read(), rows, sums, nullptr);
  return sums;
}

TEST(PublishedProblem, HasTheGradientsOfItsObjective) {
  const std::vector<std::uint32_t> rows = first_rows(300);
  for (const FairnessNotion notion : kNotions) {
    PublishedProblem problem(census(), notion, kGroup, kLambda, kRadius, exact_read());
    std::vector<double> theta = some_theta(problem.theta_size());
    std::vector<double> w(problem.w_size());
    for (std::size_t c = 0; c < w.size(); ++c) w[c] = 0.8 - 1.1 * static_cast<double>(c);
    const Gradients found = gradients(problem, rows, theta, w);
    const auto difference = [&](double& entry) {
      constexpr double kStep = 1e-5;
      const double at = entry;
      entry = at + kStep;
      const double above = objective(census(), notion, rows, theta, w);
      entry = at - kStep;
      const double below = objective(census(), notion, rows, theta, w);
      entry = at;
      return (above - below) / (2 * kStep);
    };
    for (std::size_t j = 0; j < theta.size(); ++j) {
      EXPECT_NEAR(found.theta[j], difference(theta[j]), 1e-8);
    }
    for (std::size_t c = 0; c < w.size(); ++c) EXPECT_NEAR(found.w[c], difference(w[c]), 1e-8);
  }
}

// max_W psi = p a^2 / m - 1: the other group enters through the mean m only.
TEST(PublishedProblem, HasAMaximumThatSeesOneGroup) {
  const std::vector<std::uint32_t> rows = first_rows(census().rows());
  for (const FairnessNotion notion : kNotions) {
    PublishedProblem problem(census(), notion, kGroup, kLambda, kRadius, exact_read());
    const std::vector<double> theta = some_theta(problem.theta_size());
    std::vector<double> w(problem.w_size());
    for (int step = 0; step < 500; ++step) {
      const Gradients ascent = gradients(problem, rows, theta, w);
      for (std::size_t c = 0; c < w.size(); ++c) w[c] += ascent.w[c];
    }
    for (std::size_t c = 0; c < w.size(); ++c) {
      const Means mean = means(census(), notion, c, rows, theta);
      const double a = mean.group / mean.share;
      EXPECT_NEAR(psi(mean, w[c]), mean.share * a * a / mean.all - 1, 1e-12);
      EXPECT_NEAR(w[c], std::sqrt(mean.share) * a / mean.all, 1e-6);
    }
  }
}

TEST(PublishedProblem, KeepsWInItsBall) {
  const PublishedProblem problem(census(), FairnessNotion::kEqualizedOdds, kGroup, kLambda, kRadius,
                                 exact_read());
  std::vector<double> w = {-7, 3};
  problem.project(w);
  EXPECT_THAT(w, ::testing::ElementsAre(-kRadius, 3));
}

Metrics judge(const TrainingResult& result) {
  const Network network({census().x.columns(), 2, {}});
  return exact_metrics(predict(network, result.theta, census().x), census(), 1).value();
}

TEST(PublishedCode, LowersThePositivesOfTheGroupItSees) {
  for (const FairnessNotion notion : kNotions) {
    PublishedOptions options{.notion = notion, .lambda = 0, .epochs = 40, .batch = 100};
    options.theta_rate = options.w_rate = 0.1;
    for (const std::uint16_t group : {std::uint16_t{0}, std::uint16_t{1}}) {
      options.group = group;
      options.lambda = 0;
      const TrainingResult plain =
          published_code(census(), options, exact_read(), seeded(1)).value();
      options.lambda = 3;
      const TrainingResult heavy =
          published_code(census(), options, exact_read(), seeded(1)).value();
      const auto rate = [&](const TrainingResult& result) {
        return judge(result).fairness->groups[group].soft_rate[1];
      };
      EXPECT_LT(rate(heavy), rate(plain) - 0.05);
      EXPECT_LT(judge(plain).error, 0.25);
    }
  }
}

TEST(PublishedCode, FollowsFromItsSeedAndPromisesNothing) {
  const PublishedOptions options{.epochs = 3, .batch = 100};
  const TrainingResult result = published_code(census(), options, exact_read(), seeded(1)).value();
  EXPECT_EQ(result.steps, 45U);
  EXPECT_EQ(published_code(census(), options, exact_read(), seeded(1))->theta, result.theta);
  EXPECT_NE(published_code(census(), options, exact_read(), seeded(2))->theta, result.theta);
  EXPECT_FALSE(is_private(result.statement));
  EXPECT_FALSE(result.statement.cost.has_value());

  PublishedOptions other = options;
  other.group = ExactForHolder::read(census().s)[0];
  EXPECT_EQ(published_code(census(), other, exact_read(), seeded(1))->theta, result.theta);
  other.group = 1 - *other.group;
  EXPECT_NE(published_code(census(), other, exact_read(), seeded(1))->theta, result.theta);
}

TEST(PublishedCode, StopsWhenAsked) {
  TrainingHooks hooks;
  hooks.progress = [](const TrainingProgress& now) { return now.step < 7; };
  EXPECT_EQ(published_code(census(), {}, exact_read(), seeded(1), hooks)->steps, 7U);
}

TEST(PublishedCode, RefusesWhatItCannotDo) {
  const auto refused = [](const PublishedOptions& options) {
    const auto result = published_code(census(), options, exact_read(), seeded(1));
    return !result && result.error().kind == ErrorKind::kUsage;
  };
  EXPECT_TRUE(refused({.notion = FairnessNotion::kEqualOpportunity}));
  EXPECT_TRUE(refused({.lambda = -1}));
  EXPECT_TRUE(refused({.epochs = 0}));
  EXPECT_TRUE(refused({.batch = 0}));
  EXPECT_TRUE(refused({.theta_rate = 0}));
  EXPECT_TRUE(refused({.group = 2}));
  Dataset many = census();
  many.groups = 3;
  EXPECT_FALSE(published_code(many, {}, exact_read(), seeded(1)).has_value());
}

}  // namespace
}  // namespace dpfermi
