// The checks of T1 and T2 on recordings made up for the purpose: right ones pass, and each defect
// is seen by the check that is there for it. Seeds are fixed; a right recording fails a check here
// with probability 1e-5 at most.
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "audit/noise_checks.h"
#include "audit/sampler_checks.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;

constexpr double kAlarm = 1e-6;

/// The checks that accuse.
std::vector<std::string> accusers(const std::vector<Check>& checks) {
  std::vector<std::string> names;
  for (const Check& check : checks) {
    if (!(check.p_value >= kAlarm)) names.push_back(check.attempt);
  }
  return names;
}

Recording right_noise(std::uint64_t seed, std::size_t steps = 2000, double z = 3) {
  Recording run;
  run.charged = {0.25, z, 2};
  run.lattice = 0x1p40;
  run.segments = {12, 8};
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal(0, run.sigma());
  for (std::size_t step = 0; step < steps; ++step) {
    std::vector<std::int64_t> noise(20);
    for (std::int64_t& value : noise) value = std::llround(normal(engine));
    run.noise.push_back(std::move(noise));
    run.runs.push_back(step);
  }
  return run;
}

Check repetition(std::vector<const Recording*> recordings) {
  return repetition_check(std::span<const Recording* const>(recordings));
}

/// Both checks of recordings that must share nothing.
std::vector<Check> independence_checks(const Recording& first, const Recording& second) {
  return {independence_check(first, second), repetition({&first, &second})};
}

template <class Change>
Recording changed_noise(const Change& change) {
  Recording run = right_noise(3);
  for (std::size_t step = 0; step < run.noise.size(); ++step) change(run.noise, step);
  return run;
}

using Noise = std::vector<std::vector<std::int64_t>>;

TEST(NoiseChecks, RightNoisePasses) {
  EXPECT_THAT(accusers(noise_checks(right_noise(1))), testing::IsEmpty());
  EXPECT_THAT(accusers(independence_checks(right_noise(1), right_noise(2))), testing::IsEmpty());
}

TEST(NoiseChecks, SizeIsSeen) {
  for (const double factor : {0.0, 0.5, 0.95, 1.05}) {
    const Recording run = changed_noise([&](Noise& noise, std::size_t step) {
      for (std::int64_t& value : noise[step]) {
        value = std::llround(factor * static_cast<double>(value));
      }
    });
    EXPECT_THAT(accusers(noise_checks(run)), testing::Contains(HasSubstr("standard deviation")))
        << factor;
  }
}

// The tables' noise alone is too small: theta's is right.
TEST(NoiseChecks, SegmentsAreSeenApart) {
  const Recording run = changed_noise([](Noise& noise, std::size_t step) {
    for (std::size_t i = 12; i < 20; ++i) noise[step][i] = noise[step][i] * 9 / 10;
  });
  EXPECT_THAT(accusers(noise_checks(run)), testing::Contains(HasSubstr("tables")));
}

TEST(NoiseChecks, CorrelationsAreSeen) {
  const Recording steps = changed_noise([](Noise& noise, std::size_t step) {
    if (step % 2 == 0) return;
    for (std::size_t i = 0; i < 20; ++i) {
      noise[step][i] = static_cast<std::int64_t>(0.8 * static_cast<double>(noise[step][i]) +
                                                 0.6 * static_cast<double>(noise[step - 1][i]));
    }
  });
  EXPECT_THAT(accusers(noise_checks(steps)), testing::Contains(HasSubstr("the next")));
  const Recording segments = changed_noise([](Noise& noise, std::size_t step) {
    for (std::size_t i = 0; i < 8; ++i) noise[step][12 + i] = noise[step][i];
  });
  EXPECT_THAT(accusers(noise_checks(segments)), testing::Contains(HasSubstr("of the tables")));
  const Recording entries = changed_noise([](Noise& noise, std::size_t step) {
    for (std::size_t i = 1; i < 20; i += 2) noise[step][i] = -noise[step][i - 1];
  });
  EXPECT_THAT(accusers(noise_checks(entries)), testing::Contains(HasSubstr("neighbouring")));
}

TEST(NoiseChecks, WrongShapeIsSeen) {
  // Uniform noise of the right variance; two values of the right variance.
  std::mt19937_64 engine(4);
  const double reach = std::sqrt(3.0) * right_noise(1).sigma();
  std::uniform_real_distribution<double> uniform(-reach, reach);
  const Recording run = changed_noise([&](Noise& noise, std::size_t step) {
    for (std::int64_t& value : noise[step]) value = std::llround(uniform(engine));
  });
  EXPECT_THAT(accusers(noise_checks(run)), testing::Contains(HasSubstr("distribution")));
  EXPECT_THAT(accusers(noise_checks(run)),
              testing::Not(testing::Contains(HasSubstr("standard deviation of the noise, all"))));
}

TEST(NoiseChecks, CoarseNoiseIsSeen) {
  const Recording run = changed_noise([](Noise& noise, std::size_t step) {
    for (std::int64_t& value : noise[step]) value = value / 16 * 16;
  });
  EXPECT_THAT(accusers(noise_checks(run)), testing::ElementsAre(HasSubstr("last 8 bits")));
}

TEST(NoiseChecks, RepetitionIsSeen) {
  Recording run = right_noise(5);
  run.noise[700] = run.noise[100];
  EXPECT_THAT(accusers(independence_checks(run, right_noise(6))),
              testing::ElementsAre("noise used twice, whatever its sigma"));
  EXPECT_EQ(accusers(independence_checks(run, run)).size(), 2U);
}

// A stream that is taken up again at another entry: pairs that begin at even entries alone would
// not meet.
TEST(NoiseChecks, RepetitionAtAnotherPlaceIsSeen) {
  const std::vector<std::string> twice = {"noise used twice, whatever its sigma"};
  Recording halves = right_noise(5);
  for (std::vector<std::int64_t>& noise : halves.noise) {
    noise.resize(18);
    std::copy_n(noise.begin(), 9, noise.begin() + 9);
  }
  EXPECT_EQ(accusers(independence_checks(halves, right_noise(6))), twice);
  Recording once = right_noise(5);
  std::copy_n(once.noise[100].begin(), 2, once.noise[700].begin() + 17);
  EXPECT_EQ(accusers(independence_checks(once, right_noise(6))), twice);
  Recording run = right_noise(7);
  std::copy_n(once.noise[3].begin() + 18, 2, run.noise[1500].begin() + 5);
  EXPECT_EQ(accusers(independence_checks(once, run)), twice);
}

// Another sigma and another sign do not hide it.
TEST(NoiseChecks, RepetitionInAnotherKindIsSeen) {
  const Recording first = right_noise(5);
  Recording second = right_noise(6, 200, 7.5);
  EXPECT_THAT(accusers({repetition({&first, &second})}), testing::IsEmpty());
  EXPECT_THAT(accusers({kinds_check(first, second)}), testing::IsEmpty());
  Recording once = second;
  for (std::size_t i = 0; i < 2; ++i) {
    once.noise[77][i + 4] = std::llround(-2.5 * static_cast<double>(first.noise[1500][i + 11]));
  }
  EXPECT_EQ(accusers({repetition({&first, &once})}).size(), 1U);
  // Noise that is shared in part comes up nowhere again; it is correlated.
  for (std::size_t step = 0; step < second.noise.size(); ++step) {
    for (std::size_t i = 0; i < 20; ++i) {
      second.noise[step][i] = std::llround(0.8 * static_cast<double>(second.noise[step][i]) +
                                           0.6 * 2.5 * static_cast<double>(first.noise[step][i]));
    }
  }
  EXPECT_THAT(accusers({repetition({&first, &second})}), testing::IsEmpty());
  EXPECT_EQ(accusers({kinds_check(first, second)}).size(), 1U);
}

TEST(NoiseChecks, AnEntryWithoutNoiseIsSeen) {
  const Recording once = changed_noise([](Noise& noise, std::size_t step) {
    if (step == 1234) noise[step][5] = 0;
  });
  EXPECT_THAT(accusers(noise_checks(once)), testing::ElementsAre("entries without noise"));
}

TEST(NoiseChecks, OneEntryWithLessNoiseIsSeen) {
  const Recording run = changed_noise(
      [](Noise& noise, std::size_t step) { noise[step][5] = noise[step][5] * 8 / 10; });
  EXPECT_THAT(accusers(noise_checks(run)), testing::Contains(HasSubstr("each entry")));
}

/// Tables of four counts, one a run, with noise of deviation factor x 6.
CountsRecording counts_noise(double factor, std::uint64_t seed = 8) {
  CountsRecording counts;
  counts.sigma = 6;
  std::mt19937_64 engine(seed);
  std::normal_distribution<double> normal(0, 6 * factor);
  for (std::size_t run = 0; run < 1000; ++run) {
    counts.runs.push_back(run);
    std::vector<std::int64_t>& table = counts.noise.emplace_back();
    for (int i = 0; i < 4; ++i) table.push_back(std::llround(normal(engine)));
  }
  return counts;
}

TEST(NoiseChecks, CountsAreSeen) {
  const CountsRecording right = counts_noise(1);
  EXPECT_THAT(accusers(counts_checks(right)), testing::IsEmpty());
  for (const double factor : {0.0, 0.85, 1.2}) {
    EXPECT_THAT(accusers(counts_checks(counts_noise(factor))),
                testing::Contains("size of the noise of counts, all"))
        << factor;
  }
  CountsRecording one = right;
  for (std::vector<std::int64_t>& table : one.noise) table[2] = table[2] * 3 / 4;
  EXPECT_THAT(accusers(counts_checks(one)),
              testing::Contains("size of the noise of counts, each cell"));
  Recording steps = right_noise(3, 1000);
  EXPECT_THAT(accusers({kinds_check(right, steps)}), testing::IsEmpty());
  for (std::size_t run = 0; run < 1000; ++run) {
    for (std::size_t i = 0; i < 4; ++i) {
      steps.noise[run][i] =
          std::llround(static_cast<double>(right.noise[run][i]) / 6 * steps.sigma());
    }
  }
  EXPECT_EQ(accusers({kinds_check(right, steps)}).size(), 1U);
}

// Noise of another table, of a neighbouring cell and of another kind, however small its share.
TEST(NoiseChecks, SharedNoiseOfCountsIsSeen) {
  const CountsRecording right = counts_noise(1, 8);
  const CountsRecording other = counts_noise(1, 9);
  EXPECT_THAT(accusers({kinds_check(right, other)}), testing::IsEmpty());
  EXPECT_EQ(accusers({kinds_check(right, right)}),
            std::vector<std::string>{"noise of two kinds of releases"});
  CountsRecording twice = right;
  for (std::size_t run = 1; run < 1000; run += 2) twice.noise[run] = twice.noise[run - 1];
  EXPECT_THAT(accusers(counts_checks(twice)),
              testing::ElementsAre("noise of one table of counts and the next"));
  CountsRecording cells = right;
  for (std::vector<std::int64_t>& table : cells.noise) table[3] = (table[3] + table[2]) * 5 / 7;
  EXPECT_THAT(accusers(counts_checks(cells)), testing::ElementsAre("noise of neighbouring counts"));
}

using MemberList = std::vector<std::uint32_t>;

/// `draw` makes the batch of a step.
template <class Draw>
Recording batches(const Draw& draw) {
  Recording run;
  run.units = 100;
  run.charged = {0.2, 1};
  for (std::size_t step = 0; step < 2000; ++step) run.batches.push_back(draw(step));
  return run;
}

MemberList poisson(double q, std::mt19937_64& engine) {
  std::bernoulli_distribution in(q);
  MemberList members;
  for (std::uint32_t unit = 0; unit < 100; ++unit) {
    if (in(engine)) members.push_back(unit);
  }
  return members;
}

/// `size` units from `first` of a shuffled order.
MemberList piece(const MemberList& order, std::size_t first, std::size_t size) {
  MemberList members(order.begin() + static_cast<std::ptrdiff_t>(first),
                     order.begin() + static_cast<std::ptrdiff_t>(first + size));
  std::ranges::sort(members);
  return members;
}

TEST(SamplerChecks, PoissonPasses) {
  std::mt19937_64 engine(1);
  EXPECT_THAT(accusers(sampler_checks(batches([&](std::size_t) { return poisson(0.2, engine); }))),
              testing::IsEmpty());
}

TEST(SamplerChecks, FixedSizesAreSeen) {
  std::mt19937_64 engine(2);
  MemberList order(100);
  std::iota(order.begin(), order.end(), 0U);
  const Recording run = batches([&](std::size_t) {
    std::ranges::shuffle(order, engine);
    return piece(order, 0, 20);
  });
  EXPECT_THAT(accusers(sampler_checks(run)), testing::Contains(HasSubstr("spread")));
}

TEST(SamplerChecks, ShufflesAreSeen) {
  std::mt19937_64 engine(3);
  MemberList order(100);
  std::iota(order.begin(), order.end(), 0U);
  const Recording run = batches([&](std::size_t step) {
    if (step % 5 == 0) std::ranges::shuffle(order, engine);
    return piece(order, step % 5 * 20, 20);
  });
  EXPECT_THAT(accusers(sampler_checks(run)), testing::Contains(HasSubstr("1 apart")));
}

TEST(SamplerChecks, AnotherRateIsSeen) {
  std::mt19937_64 engine(4);
  const Recording run = batches([&](std::size_t) { return poisson(0.21, engine); });
  EXPECT_THAT(accusers(sampler_checks(run)), testing::Contains("units in a batch"));
}

TEST(SamplerChecks, OneFavouredUnitIsSeen) {
  std::mt19937_64 engine(5);
  const Recording run = batches([&](std::size_t step) {
    MemberList members = poisson(0.2, engine);
    const auto at = std::ranges::lower_bound(members, 42U);
    if (step % 5 == 0 && (at == members.end() || *at != 42)) members.insert(at, 42);
    return members;
  });
  EXPECT_THAT(accusers(sampler_checks(run)), testing::ElementsAre("every unit alone"));
}

TEST(SamplerChecks, PublicBatchesMustRevealNothing) {
  std::mt19937_64 engine(6);
  std::vector<BatchPair> apart;
  std::vector<BatchPair> same;
  for (int step = 0; step < 500; ++step) {
    apart.push_back({poisson(0.3, engine), poisson(0.2, engine)});
    same.push_back({apart.back().secret, apart.back().secret});
  }
  EXPECT_THAT(accusers(public_batch_checks(apart, 0.2)), testing::IsEmpty());
  EXPECT_EQ(accusers(public_batch_checks(same, 0.2)).size(), 1U);
}

// Shares add up; red is what falls below, and not a number is red.
TEST(Judge, DividesTheRate) {
  const std::vector<Check> checks = {{.attempt = "a", .p_value = 0.02},
                                     {.attempt = "b", .p_value = 0.6},
                                     {.attempt = "c", .p_value = 0.004},
                                     {.attempt = "d", .p_value = std::nan("")}};
  const std::vector<Finding> findings = judge(Tier::kNoise, {}, checks, 0.04);
  std::vector<bool> red;
  for (const Finding& finding : findings) red.push_back(finding.verdict == Verdict::kRed);
  EXPECT_THAT(red, testing::ElementsAre(false, false, true, true));
  EXPECT_EQ(judge_together(Tier::kNoise, {}, checks, 0.04).size(), 2U);
  const std::vector<Finding> green = judge_together(Tier::kNoise, {}, {checks[0], checks[1]}, 0.01);
  ASSERT_EQ(green.size(), 1U);
  EXPECT_DOUBLE_EQ(*green[0].p_value, 0.04);
}

}  // namespace
}  // namespace dpfermi
