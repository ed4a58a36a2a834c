// The tables behind Poisson gaps: their numbers, and what happens on a tie.
#include "sample/gap_table.h"

#include <gmock/gmock.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <boost/multiprecision/cpp_int.hpp>
#include <cmath>
#include <limits>

#include "random/lane.h"
#include "sample/reference_sampler.h"

namespace dpfermi {
namespace {

using Real = boost::multiprecision::number<boost::multiprecision::cpp_bin_float<200>>;
using Fraction = PartTable::Fraction;

constexpr std::uint32_t kAllOnes = std::numeric_limits<std::uint32_t>::max();

KeyStream stream(std::uint64_t seed) {
  NoiseSource source{ReproducibleSeed::from_number(seed).value()};
  const NoiseLane lane = source.open(Purpose::kSecretBatch).value();
  return LaneForTests::stream(lane, 0, 0);
}

Real real(const Fraction& fraction) {
  Real value = fraction.first;
  for (const std::uint64_t word : fraction.rest) value = value * Real(0x1p64) + Real(word);
  return ldexp(value, -224);
}

/// By logarithms in 200 digits, where the table multiplies integers.
Real distribution(const Real& log_ratio, std::size_t value) {
  return -expm1(log_ratio * Real(value + 1));
}

void expect_steps(const PartTable& part, const Real& log_ratio, const Real& total) {
  for (std::size_t v = 0; v < part.steps().size(); v += 1 + part.steps().size() / 100) {
    const Real error = distribution(log_ratio, v) / total - real(part.steps()[v]);
    EXPECT_GE(error, -ldexp(Real(1), -290)) << v;
    EXPECT_LT(error, ldexp(Real(1.001), -224)) << v;
  }
}

class GapRates : public testing::TestWithParam<std::uint64_t> {};
INSTANTIATE_TEST_SUITE_P(Thresholds, GapRates,
                         testing::Values(1, 2, 12345, std::uint64_t{1} << 39,
                                         static_cast<std::uint64_t>(0x1p64 * 1e-4),
                                         static_cast<std::uint64_t>(0x1p64 * 0.013),
                                         std::uint64_t{1} << 60, std::uint64_t{1} << 63));

TEST_P(GapRates, StepsAreTheDistributionFunctionsTo224Bits) {
  const GapTable gaps(GetParam());
  const Real log_survival = log1p(-ldexp(Real(GetParam()), -64));
  const Real low_values = ldexp(Real(1), gaps.low_bits());
  expect_steps(gaps.high(), log_survival * low_values, Real(1));
  expect_steps(gaps.low(), log_survival, -expm1(log_survival * low_values));
  EXPECT_EQ(gaps.low().steps().size() + 1, std::size_t{1} << gaps.low_bits());
}

// At every step, beside it, and anywhere; afterwards both have drawn equally many words.
TEST_P(GapRates, DrawEqualsTheReference) {
  const GapTable gaps(GetParam());
  KeyStream firsts = stream(7);
  for (const PartTable* part : {&gaps.high(), &gaps.low()}) {
    KeyStream fast = stream(8);
    KeyStream plain = stream(8);
    std::vector<std::uint32_t> inputs{0, 1, kAllOnes - 1, kAllOnes};
    for (std::size_t v = 0; v < part->steps().size(); v += 1 + part->steps().size() / 100) {
      const std::uint32_t first = part->steps()[v].first;
      inputs.insert(inputs.end(), {first - 1, first, first + 1});
      inputs.push_back(static_cast<std::uint32_t>(firsts.next()));
    }
    for (const std::uint32_t first : inputs) {
      EXPECT_EQ(part->draw(first, fast), reference::draw(*part, first, plain)) << first;
    }
    EXPECT_EQ(fast.next(), plain.next());
  }
}

// The uniform number is 5, then three words; a step is reached when it is not above that.
TEST(PartTable, TiesAreDecidedByThreeMoreWords) {
  KeyStream words = stream(9);
  const Fraction uniform{5, {words.next(), words.next(), words.next()}};
  Fraction above = uniform;
  ++above.rest[2];
  Fraction below = uniform;
  --below.rest[0];
  const auto draw = [](std::vector<Fraction> steps, std::uint32_t first) {
    KeyStream fresh = stream(9);
    return PartTable(std::move(steps)).draw(first, fresh);
  };
  EXPECT_EQ(draw({uniform}, 5), 1U);
  EXPECT_EQ(draw({above}, 5), 0U);
  EXPECT_EQ(draw({below, uniform, above, above}, 5), 2U);
  EXPECT_EQ(draw({below, uniform, above, above}, 4), 0U);
  EXPECT_EQ(draw({below, uniform, above, above}, 6), 4U);
  Fraction last = above;
  last.first = kAllOnes;
  EXPECT_EQ(draw({uniform, last}, kAllOnes), 1U);
  EXPECT_EQ(draw({uniform, last}, kAllOnes - 1), 1U);
  EXPECT_EQ(draw({}, kAllOnes), 0U);
}

}  // namespace
}  // namespace dpfermi
