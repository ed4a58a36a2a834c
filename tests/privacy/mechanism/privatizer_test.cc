#include "dpfermi/privacy/mechanism/privatizer.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "privacy/mechanism/fixtures.h"
#include "random/key_stream.h"
#include "random/lane.h"
#include "random/rounded_gaussian.h"

namespace dpfermi {
namespace {

using testing_support::event;
using testing_support::flat;
using testing_support::lane;
using testing_support::permit;
using enum Adjacency;
using Rows = std::vector<std::vector<double>>;

ContributionLayout layout() {
  return ContributionLayout::create({{3, 1.0}, {2, 4.0}}, 20).value();
}

void copy_row(const Rows& rows, std::uint32_t unit, std::span<double> out) {
  std::ranges::copy(rows[unit], out.begin());
}

Rows example_rows(std::size_t count) {
  Rows rows(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto x = static_cast<double>(i);
    rows[i] = {std::sin(x), std::cos(3 * x), 0.1 * x, std::sin(2 * x) * 5, 1};
  }
  return rows;
}

Privatizer gaussian(double z, std::uint64_t releases = 1, std::uint64_t seed = 1) {
  return Privatizer::create(layout(), kSensitive, z,
                            permit(event(kSensitive, GaussianRelease{z / 2}), releases), lane(seed))
      .value();
}

/// Everything in `rows`, released once by a fresh mechanism of the given seed.
std::vector<double> released(const Rows& rows, double z, unsigned threads = 1,
                             std::uint64_t seed = 1) {
  Privatizer privatizer = gaussian(z, 1, seed);
  const auto units = static_cast<std::uint32_t>(rows.size());
  Workers workers(threads);
  ClippedSum sum =
      privatizer.sum(Protected(rows), Batch::everyone(units), copy_row, &workers).value();
  return flat(privatizer.release(std::move(sum), &workers).value());
}

TEST(Privatizer, ReleasesTheSumPlusExactlyTheStreamsNoise) {
  const Rows rows{{0.1, -0.2, 0.3, 1.0, 0}, {0.4, 0.1, 0, -0.5, 0.25}};
  const double z = 0.5;
  std::vector<std::int64_t> expected(5);
  KeyStream stream = LaneForTests::stream(lane(1), 0, 0);
  ASSERT_TRUE(
      RoundedGaussian::create(std::ldexp(z, 20)).value().draw(stream, expected).has_value());
  const ContributionLayout shape = layout();
  for (const auto& row : rows) {
    std::vector<std::int64_t> lattice(5);
    shape.quantise(row, lattice);
    for (std::size_t i = 0; i < 5; ++i) expected[i] += lattice[i];
  }
  const std::vector<double> got = released(rows, z);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(got[i], static_cast<double>(expected[i]) * shape.step(i < 3 ? 0 : 1));
  }
}

TEST(Privatizer, ResultsDoNotDependOnThreadsOrOrder) {
  Rows rows = example_rows(1000);
  const std::vector<double> one = released(rows, 1.0);
  EXPECT_EQ(released(rows, 1.0, 2), one);
  EXPECT_EQ(released(rows, 1.0, 4), one);
  EXPECT_EQ(released(rows, 1.0, 37), one);
  std::ranges::reverse(rows);
  std::swap(rows[3], rows[700]);
  EXPECT_EQ(released(rows, 1.0, 3), one);
}

TEST(Privatizer, WideNoiseDoesNotDependOnThreads) {
  const auto wide = ContributionLayout::create({{20000, 1.0}}, 30).value();
  std::vector<std::vector<double>> results;
  for (const unsigned threads : {1U, 2U, 5U}) {
    auto privatizer = Privatizer::create(wide, kSensitive, 3.0,
                                         permit(event(kSensitive, GaussianRelease{1.5})), lane(5))
                          .value();
    ClippedSum sum =
        privatizer
            .sum(Protected(0), Batch::everyone(1), [](int, std::uint32_t, std::span<double>) {})
            .value();
    Workers workers(threads);
    const NoisySum noisy = privatizer.release(std::move(sum), &workers).value();
    results.emplace_back(noisy.segment(0).begin(), noisy.segment(0).end());
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Privatizer, ANotFiniteContributionCountsAsZero) {
  Rows rows = example_rows(50);
  const std::vector<double> zero(5);
  rows[7] = zero;
  const std::vector<double> expected = released(rows, 1.0);
  for (const double bad : {double{NAN}, double{INFINITY}, -double{INFINITY}}) {
    rows[7] = {0.5, bad, 0.5, 0.5, 0.5};
    EXPECT_EQ(released(rows, 1.0), expected);
  }
}

// The paths a mean could take: the denominator is the constant of the batch.
TEST(Privatizer, CarriesTheConstantDenominatorAndTheStamp) {
  Privatizer privatizer = gaussian(2.0);
  Batch batch = Batch::unamplified({4, 2, 9}).value();
  const Protected<Rows> data(example_rows(10));
  const NoisySum noisy =
      privatizer.release(privatizer.sum(data, std::move(batch), copy_row).value()).value();
  EXPECT_EQ(noisy.expected_units(), 3);
  EXPECT_EQ(noisy.reproducibility(), Reproducibility::kReproducible);
  EXPECT_NEAR(noisy.noise_stddev(0), 2.0 * std::sqrt(2.0), 1e-12);
  EXPECT_NEAR(noisy.noise_stddev(1), 8.0 * std::sqrt(2.0), 1e-12);
  EXPECT_EQ(privatizer.total_variation(), 5 * 0x1p-100);
}

TEST(Privatizer, EveryReleaseUsesUpThePermitAndFreshNoise) {
  Privatizer privatizer = gaussian(1.0, 2);
  const Protected<Rows> data(example_rows(4));
  const auto sum = [&] { return privatizer.sum(data, Batch::everyone(4), copy_row).value(); };
  ClippedSum spare = sum();
  const NoisySum first = privatizer.release(sum()).value();
  EXPECT_EQ(privatizer.remaining(), 1U);
  const NoisySum second = privatizer.release(sum()).value();
  for (std::size_t i = 0; i < 3; ++i) EXPECT_NE(first.segment(0)[i], second.segment(0)[i]);
  const auto third = privatizer.release(std::move(spare));
  ASSERT_FALSE(third.has_value());
  EXPECT_EQ(third.error().kind, ErrorKind::kBudgetRefused);

  Privatizer resumed = gaussian(1.0);
  resumed.skip(1);
  ClippedSum again = resumed.sum(data, Batch::everyone(4), copy_row).value();
  EXPECT_EQ(flat(resumed.release(std::move(again)).value()), flat(second));
}

TEST(Privatizer, RefusesAChargeForAnythingElse) {
  const auto create = [](Adjacency adjacency, double z, const PrivacyEvent& charged) {
    return Privatizer::create(layout(), adjacency, z, permit(charged), lane(1));
  };
  const auto replace = Adjacency::kReplaceRecord;
  EXPECT_TRUE(create(kSensitive, 2, event(kSensitive, GaussianRelease{1})).has_value());
  EXPECT_FALSE(create(kSensitive, 2, event(replace, GaussianRelease{1})).has_value());
  EXPECT_FALSE(create(kSensitive, 1.99, event(kSensitive, GaussianRelease{1})).has_value());
  EXPECT_FALSE(create(kSensitive, 2, event(kSensitive, LaplaceRelease{1})).has_value());
  EXPECT_FALSE(
      create(kSensitive, 2, event(kSensitive, PoissonGaussianRelease{0.1, 1})).has_value());
  EXPECT_FALSE(create(kSensitive, 0, event(kSensitive, GaussianRelease{0})).has_value());
  EXPECT_FALSE(create(kSensitive, NAN, event(kSensitive, GaussianRelease{1})).has_value());
}

TEST(Privatizer, RefusesASumThatWasSampledOtherwiseAndKeepsThePermit) {
  auto privatizer =
      Privatizer::create(layout(), kSensitive, 2,
                         permit(event(kSensitive, PoissonGaussianRelease{0.25, 2})), lane(1))
          .value();
  const Protected<Rows> data(example_rows(4));
  const auto refused =
      privatizer.release(privatizer.sum(data, Batch::everyone(4), copy_row).value());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(refused.error().message, testing::HasSubstr("Poisson(q=0.25)"));
  EXPECT_EQ(privatizer.remaining(), 1U);

  Privatizer other = gaussian(2.0);
  const auto narrow = ContributionLayout::create({{5, 1.0}}, 20).value();
  auto stranger = Privatizer::create(narrow, kSensitive, 2.0,
                                     permit(event(kSensitive, GaussianRelease{1.0})), lane(9))
                      .value();
  ClippedSum foreign = stranger.sum(data, Batch::everyone(4), copy_row).value();
  EXPECT_FALSE(other.release(std::move(foreign)).has_value());
  EXPECT_EQ(other.remaining(), 1U);
}

TEST(Privatizer, TouchesNoDataWhenNoReleaseIsLeft) {
  Privatizer privatizer = gaussian(1.0, 0);
  int calls = 0;
  const auto count_calls = [&](int, std::uint32_t, std::span<double>) { ++calls; };
  const auto sum = privatizer.sum(Protected(0), Batch::everyone(4), count_calls);
  ASSERT_FALSE(sum.has_value());
  EXPECT_EQ(sum.error().kind, ErrorKind::kBudgetRefused);
  EXPECT_EQ(calls, 0);
}

// Replays of a fixed seed are free, so its permits must not buy secret noise; nor may a fixed seed
// go through a ledger that speaks of secret noise.
TEST(Privatizer, RefusesNoiseOfAnotherKindThanWasCharged) {
  const PrivacyEvent charged = event(kSensitive, GaussianRelease{1});
  for (const bool fixed_seed : {true, false}) {
    for (const bool secret : {true, false}) {
      const auto made = Privatizer::create(layout(), kSensitive, 2, permit(charged, 1, fixed_seed),
                                           secret ? testing_support::secret_lane() : lane(1));
      EXPECT_EQ(made.has_value(), fixed_seed != secret);
    }
  }
}

TEST(Privatizer, UnderAddRemoveTheDenominatorIsDeclared) {
  const auto add_remove = Adjacency::kAddRemoveRecord;
  const auto released = [&](std::uint32_t units, DeclaredUnits declared) {
    auto privatizer = Privatizer::create(layout(), add_remove, 2,
                                         permit(event(add_remove, GaussianRelease{2})), lane(1))
                          .value();
    const Protected<Rows> data(example_rows(units));
    return privatizer.release(
        privatizer.sum(data, Batch::everyone(units, declared), copy_row).value());
  };
  ASSERT_FALSE(released(49, std::nullopt).has_value());
  EXPECT_EQ(released(49, std::nullopt).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(released(49, 50).value().expected_units(), 50);
  EXPECT_EQ(released(50, 50).value().expected_units(), 50);
  EXPECT_EQ(Batch::unamplified({4, 2}, 3).value().sampling().expected_units, 3);
  EXPECT_TRUE(Batch::unamplified({4, 2}, 3).value().sampling().declared);
}

TEST(Covers, AcceptsTheEventAndItsUpperBoundsOnly) {
  const auto add_remove = Adjacency::kAddRemoveRecord;
  const Sampling poisson{SamplingKind::kPoisson, 0.25, 10};
  EXPECT_TRUE(covers(event(kSensitive, PoissonGaussianRelease{0.25, 3}), kSensitive, poisson, 3));
  EXPECT_TRUE(
      covers(event(kSensitive, RevealedPoissonGaussianRelease{0.25, 1.5}), kSensitive, poisson, 3));
  EXPECT_TRUE(covers(event(kSensitive, GaussianRelease{1.5}), kSensitive, poisson, 3));
  EXPECT_FALSE(covers(event(kSensitive, GaussianRelease{3}), kSensitive, poisson, 3));
  EXPECT_FALSE(covers(event(kSensitive, PoissonGaussianRelease{0.2, 3}), kSensitive, poisson, 3));
  EXPECT_FALSE(covers(event(add_remove, PoissonGaussianRelease{0.25, 3}), kSensitive, poisson, 3));

  // A batch of fixed size moves by 2 even when a unit only appears or vanishes.
  const Sampling fixed{SamplingKind::kUnamplified, 1, 10};
  const Sampling everyone{SamplingKind::kEveryone, 1, 10};
  EXPECT_TRUE(covers(event(add_remove, GaussianRelease{3}), add_remove, everyone, 3));
  EXPECT_FALSE(covers(event(add_remove, GaussianRelease{3}), add_remove, fixed, 3));
  EXPECT_TRUE(covers(event(add_remove, GaussianRelease{1.5}), add_remove, fixed, 3));
  EXPECT_FALSE(covers(event(kSensitive, PoissonGaussianRelease{1, 3}), kSensitive, fixed, 3));

  for (const Sampling& sampling : {poisson, fixed, everyone}) {
    for (const Adjacency adjacency : {kSensitive, Adjacency::kReplaceRecord, add_remove}) {
      EXPECT_TRUE(covers(gaussian_event(adjacency, sampling, 3).value(), adjacency, sampling, 3));
    }
  }
}

TEST(Batch, RefusesAUnitNamedTwice) {
  EXPECT_TRUE(Batch::unamplified({5, 1, 3}).has_value());
  EXPECT_FALSE(Batch::unamplified({5, 1, 5}).has_value());
}

/// The integers of `rows`, quantised one by one: what sum() makes of copy_row.
Status sum_rows(const Rows& rows, std::span<const std::uint32_t> units,
                const ContributionLayout& shape, std::span<std::int64_t> sums) {
  std::vector<std::int64_t> lattice(sums.size());
  for (const std::uint32_t unit : units) {
    shape.quantise(rows[unit], lattice);
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += lattice[i];
  }
  return {};
}

TEST(SumElsewhere, IsReleasedLikeAnyOther) {
  const Rows rows = example_rows(300);
  Privatizer privatizer = gaussian(0.5);
  ClippedSum sum = privatizer.sum_integers(Protected(rows), Batch::everyone(300), sum_rows).value();
  EXPECT_EQ(flat(privatizer.release(std::move(sum)).value()), released(rows, 0.5));
}

TEST(SumElsewhere, IsCutToWhatSoManyUnitsCanAddUpTo) {
  const auto boundless = [](const Rows&, std::span<const std::uint32_t>, const ContributionLayout&,
                            std::span<std::int64_t> sums) -> Status {
    sums[0] = std::numeric_limits<std::int64_t>::max();
    sums[1] = std::numeric_limits<std::int64_t>::min();
    sums[2] = 7;
    return {};
  };
  Privatizer privatizer = gaussian(1e-3);
  ClippedSum sum =
      privatizer.sum_integers(Protected(Rows(3)), Batch::everyone(3), boundless).value();
  const NoisySum noisy = privatizer.release(std::move(sum)).value();
  const ContributionLayout shape = layout();
  const double most = 3 * 0x1p20 * shape.step(0);
  EXPECT_NEAR(noisy.segment(0)[0], most, 0.01 * most);
  EXPECT_NEAR(noisy.segment(0)[1], -most, 0.01 * most);
}

TEST(SumElsewhere, NeedsAPermitAndPassesErrorsOn) {
  bool asked = false;
  const auto summer = [&](const Rows&, std::span<const std::uint32_t>, const ContributionLayout&,
                          std::span<std::int64_t>) -> Status {
    asked = true;
    return failed("the machine is gone; start it again");
  };
  const Protected<Rows> data{Rows(2)};
  Privatizer privatizer = gaussian(0.5);
  const auto wrong = privatizer.sum_integers(data, Batch::everyone(2), summer);
  ASSERT_FALSE(wrong.has_value());
  EXPECT_EQ(wrong.error().message, "the machine is gone; start it again");
  EXPECT_EQ(privatizer.remaining(), 1U);

  ClippedSum sum =
      privatizer
          .sum_integers(data, Batch::everyone(2),
                        [](const Rows&, std::span<const std::uint32_t>, const ContributionLayout&,
                           std::span<std::int64_t>) { return Status(); })
          .value();
  ASSERT_TRUE(privatizer.release(std::move(sum)).has_value());
  asked = false;
  EXPECT_FALSE(privatizer.sum_integers(data, Batch::everyone(2), summer).has_value());
  EXPECT_FALSE(asked);
}

}  // namespace
}  // namespace dpfermi
