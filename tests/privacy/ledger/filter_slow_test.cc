// How many runs fit a budget of epsilon 3: the table of docs/ledger.md.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>

#include "dpfermi/privacy/accountant/calibrate.h"
#include "dpfermi/privacy/accountant/pld_accountant.h"
#include "parameter_name.h"
#include "privacy/accountant/gdp_accountant.h"
#include "privacy/ledger/composition.h"
#include "privacy/ledger/support.h"

namespace dpfermi {
namespace {

using namespace test;

PrivacyEvent event_of(PrivacyEvent::Node node) {
  return PrivacyEvent::create(Adjacency::kSensitive, std::move(node)).value();
}

PrivacyEvent sketch_release(double epsilon, double delta) {
  return event_of(GaussianRelease{1 / gdp_mu_for(epsilon, delta)});
}

/// Group counts, which take a hundredth of mu^2, and 1,600 steps.
PrivacyEvent dp_fermi_run(double epsilon, double delta) {
  const double counts = std::sqrt(2.0) / (0.1 * gdp_mu_for(epsilon, delta));
  const auto family = [&](double z) -> Result<PrivacyEvent> {
    return event_of(Composition{{event_of(DiscreteGaussianRelease{counts, {1, 1}}),
                                 event_of(PoissonGaussianRelease{0.028, z}).times(1600)}});
  };
  return family(calibrate_noise(family, epsilon, delta)->value).value();
}

std::uint64_t held_by_filter(const PrivacyEvent& run, const BudgetCap& cap) {
  const auto one = ledger::renyi_of_event(run, 1e-24, cap);
  EXPECT_TRUE(one);
  const auto times = [](const Amount& most, const Amount& each) {
    return most.to_double(Rounding::kDown) / each.to_double(Rounding::kUp);
  };
  return static_cast<std::uint64_t>(std::min(times(cap.filter->divergence, one->divergence),
                                             times(cap.filter->failure, one->failure)));
}

/// The most runs whose composition, planned beforehand, is certified to cost at most (3, delta).
std::uint64_t held_at_once(const PrivacyEvent& run, double delta, std::uint64_t least) {
  const auto fits = [&](std::uint64_t count) {
    return certified_epsilon(run.times(count), delta, {.cross_check = false})->upper <= 3;
  };
  EXPECT_TRUE(fits(least)) << "the filter promises more than composition can certify";
  std::uint64_t low = least;
  std::uint64_t high = least + least / 2 + 4;
  EXPECT_FALSE(fits(high));
  while (high - low > 1 + low / 100) {
    const std::uint64_t middle = (low + high) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low;
}

struct Row {
  const char* run;
  double epsilon;
  double delta;
  std::uint64_t sums;
  std::uint64_t filter;
  std::uint64_t at_once;  // to a percent
};

class FilterTable : public ::testing::TestWithParam<Row> {};

TEST_P(FilterTable, HoldsWhatTheDocumentationSays) {
  const Row row = GetParam();
  const BudgetCap budget =
      with_renyi_filter({amount("3"), Amount::from(row.delta, Rounding::kDown).value()}).value();
  const PrivacyEvent run = std::string(row.run) == "sketch" ? sketch_release(row.epsilon, row.delta)
                                                            : dp_fermi_run(row.epsilon, row.delta);
  const std::uint64_t filter = held_by_filter(run, budget);
  const std::uint64_t at_once = held_at_once(run, row.delta, filter);
  std::printf("%s of epsilon %g, delta %g: order %s, sums %llu, filter %llu, at once %llu\n",
              row.run, row.epsilon, row.delta, budget.filter->order.text().c_str(),
              static_cast<unsigned long long>(row.sums), static_cast<unsigned long long>(filter),
              static_cast<unsigned long long>(at_once));
  EXPECT_EQ(filter, row.filter);
  EXPECT_NEAR(static_cast<double>(at_once), static_cast<double>(row.at_once),
              0.02 * static_cast<double>(row.at_once) + 1);
}

INSTANTIATE_TEST_SUITE_P(Budget3, FilterTable,
                         ::testing::Values(Row{"sketch", 0.1, 1e-5, 30, 420, 488},
                                           Row{"sketch", 0.1, 1e-6, 30, 483, 552},
                                           Row{"sketch", 0.1, 1e-9, 30, 604, 667},
                                           Row{"dp-fermi", 0.1, 1e-5, 30, 420, 488},
                                           Row{"dp-fermi", 0.1, 1e-6, 30, 484, 553},
                                           Row{"dp-fermi", 0.1, 1e-9, 30, 604, 667},
                                           Row{"dp-fermi", 0.5, 1e-5, 6, 21, 25},
                                           Row{"dp-fermi", 0.5, 1e-6, 6, 23, 27},
                                           Row{"dp-fermi", 0.5, 1e-9, 6, 27, 30}),
                         [](const auto& chosen) {
                           return testing_support::parameter_name(
                               fmt::format("{}_epsilon_{}_delta_{}", chosen.param.run,
                                           chosen.param.epsilon, chosen.param.delta));
                         });

}  // namespace
}  // namespace dpfermi
