#include "privacy/accountant/golden.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "privacy/accountant/gdp_accountant.h"
#include "privacy/accountant/rdp_accountant.h"

namespace dpfermi {
namespace {

using golden::Json;

double number(const Json& text) {
  return std::stod(text.get<std::string>());
}

TEST(Golden, EveryRowLiesInsideTightCertifiedBounds) {
  const PldOptions options{.cross_check = false};
  int rows = 0;
  for (const Json& row : golden::load("golden_accounting.json")) {
    if (row.at("group") == "rdp") continue;
    const auto bound = certified_epsilon(golden::event_of(row), row.at("delta"), options);
    ASSERT_TRUE(bound) << row.at("id") << ": " << bound.error().message;
    const double low = row.at("epsilon_lower");
    const double high = row.at("epsilon_upper");
    const double scale = std::max(1.0, high);
    EXPECT_GE(bound->upper, low - 1e-9 * scale) << row.at("id");
    EXPECT_LE(bound->lower, high + 1e-9 * scale) << row.at("id");
    EXPECT_LE(bound->upper - bound->lower, 0.002 * scale) << row.at("id");
    ++rows;
  }
  EXPECT_EQ(rows, 391);
}

TEST(Golden, TwoEnginesAgreeWhereTheSecondConverges) {
  int compared = 0;
  int row_number = 0;
  for (const Json& row : golden::load("golden_accounting.json")) {
    if (row.at("group") == "rdp" || ++row_number % 4 != 0) continue;
    const auto bound = certified_epsilon(golden::event_of(row), row.at("delta"));
    ASSERT_TRUE(bound) << row.at("id") << ": " << bound.error().message;
    if (!bound->second_opinion) continue;
    ++compared;
    const double scale = std::max(1.0, bound->upper);
    EXPECT_GE(*bound->second_opinion, row.at("epsilon_lower").get<double>() - 2e-7 * scale)
        << row.at("id");
    EXPECT_LE(*bound->second_opinion, row.at("epsilon_upper").get<double>() + 2e-7 * scale)
        << row.at("id");
  }
  EXPECT_GE(compared, 30);
}

TEST(Golden, GaussianTablesMatchToFiftyDigits) {
  const Json tables = golden::load("golden_tables.json");
  for (const Json& row : tables.at("gaussian_delta_of_eps")) {
    const double mu = number(row.at("mu"));
    const auto event = golden::make(Adjacency::kSensitive, GaussianRelease{1 / mu});
    const auto bound = certified_delta(event, number(row.at("epsilon")));
    const double delta = number(row.at("delta"));
    ASSERT_TRUE(bound);
    EXPECT_GE(bound->upper, delta * (1 - 1e-14)) << row;
    EXPECT_LE(bound->lower, delta * (1 + 1e-14)) << row;
    if (delta > 1e-15) {
      EXPECT_LE(bound->upper - bound->lower, 1e-8 * delta) << row;
    }
  }
  for (const Json& row : tables.at("gaussian_eps_of_delta")) {
    const double epsilon = gdp_epsilon(number(row.at("mu")), number(row.at("delta")));
    const double exact = number(row.at("epsilon"));
    EXPECT_GE(epsilon, exact * (1 - 1e-15)) << row;
    EXPECT_LE(epsilon, exact + 1e-10 * std::max(1.0, exact)) << row;
  }
  for (const Json& row : tables.at("gaussian_sigma")) {
    const double mu = gdp_mu_for(number(row.at("epsilon")), number(row.at("delta")));
    EXPECT_NEAR(mu / number(row.at("mu")), 1, 1e-10) << row;
    EXPECT_LE(mu, number(row.at("mu")) * (1 + 1e-15)) << row;
  }
}

TEST(Golden, OneAndTwoStepsOfTheMixturePairsMatch) {
  // remove and add are the two directions of one event, and the larger of them is its cost.
  const Json tables = golden::load("golden_tables.json");
  std::map<std::array<std::string, 4>, std::array<double, 2>> exact;
  for (const Json& row : tables.at("mixture_delta_T1_T2")) {
    const bool exchange = row.at("pair") == "replace";
    auto& worst = exact[{exchange ? "replace" : "add-remove", row.at("q"), row.at("sigma"),
                         row.at("epsilon")}];
    worst[0] = std::max(worst[0], number(row.at("delta_T1")));
    worst[1] = std::max(worst[1], number(row.at("delta_T2")));
  }
  for (const auto& [key, deltas] : exact) {
    const auto adjacency =
        key[0] == "replace" ? Adjacency::kReplaceRecord : Adjacency::kAddRemoveRecord;
    const auto step =
        golden::make(adjacency, PoissonGaussianRelease{std::stod(key[1]), std::stod(key[2])});
    for (const int steps : {1, 2}) {
      const auto bound =
          certified_delta(step.times(static_cast<std::uint64_t>(steps)), std::stod(key[3]));
      ASSERT_TRUE(bound) << bound.error().message;
      const double delta = deltas[static_cast<std::size_t>(steps - 1)];
      EXPECT_GE(bound->upper, delta * (1 - 1e-13)) << key[0] << key[1] << ' ' << key[3] << steps;
      EXPECT_LE(bound->lower, delta * (1 + 1e-13)) << key[0] << key[1] << ' ' << key[3] << steps;
      if (delta > 1e-20) {
        EXPECT_LE(bound->upper, 1.1 * delta) << key[0] << key[1] << ' ' << key[3];
      }
    }
  }
}

TEST(Golden, RenyiDivergencesOfEveryOrderMatch) {
  for (const Json& row : golden::load("golden_accounting.json")) {
    if (row.at("group") != "rdp") continue;
    const double q = row.at("q");
    const double sigma = row.at("sigma");
    const auto add_remove =
        golden::make(Adjacency::kAddRemoveRecord, PoissonGaussianRelease{q, sigma});
    const auto replace = golden::make(Adjacency::kReplaceRecord, PoissonGaussianRelease{q, sigma});
    for (std::size_t i = 0; i < row.at("rdp_exact_remove").size(); ++i) {
      const double order = row.at("alphas")[i];
      double expected = row.at("rdp_exact_remove")[i];
      if (row.contains("rdp_exact_add")) {
        expected = std::max(expected, row.at("rdp_exact_add")[i].get<double>());
      }
      EXPECT_NEAR(renyi_divergence(add_remove, order).value() / expected, 1, 1e-8)
          << row.at("id") << " order " << order;
      EXPECT_NEAR(
          renyi_divergence(replace, order).value() / row.at("rdp_exact_replace")[i].get<double>(),
          1, 1e-8)
          << row.at("id") << " order " << order;
    }
  }
}

TEST(Golden, ThePaperTheoremUnderstatesTheJointRelease) {
  const Json tables = golden::load("golden_tables.json");
  for (const Json& row : tables.at("fermi_theorem_check")) {
    // Two blocks with the theorem's noise are one release with sqrt(2) less of it; the references
    // take contributions of half the distance, as the substitution pair does.
    const double z = row.at("z_per_block").get<double>() * 2;
    const auto joint = golden::make(Adjacency::kSensitive,
                                    PoissonGaussianRelease{row.at("q"), z / std::sqrt(2.0)});
    const auto bound =
        certified_epsilon(joint.times(row.at("T")), row.at("delta"), {.cross_check = false});
    const double exact = row.at("joint_amplified_mixture");
    ASSERT_TRUE(bound);
    EXPECT_GE(bound->upper, exact * (1 - 1e-6));
    EXPECT_LE(bound->lower, exact * (1 + 1e-6));
    EXPECT_GT(bound->lower, row.at("claimed").get<double>());
  }
}

}  // namespace
}  // namespace dpfermi
