// Batches whose members are in the open: what they hold, and which charges pay for their sums.
#include <gmock/gmock.h>

#include "dpfermi/privacy/mechanism/privatizer.h"
#include "dpfermi/sample/poisson_sampler.h"
#include "privacy/mechanism/fixtures.h"

namespace dpfermi {
namespace {

using testing::HasSubstr;
using testing_support::event;
using testing_support::lane;
using testing_support::permit;

constexpr double kRate = 0.25;
constexpr double kNoise = 2;
constexpr std::uint32_t kPopulation = 400;

PoissonSampler sampler(std::uint64_t seed = 1) {
  return PoissonSampler::create(kPopulation, SamplingRate::nearest(kRate).value(),
                                lane(seed, Purpose::kSecretBatch))
      .value();
}

TEST(RevealedBatch, HoldsTheMembersOfTheSecretOne) {
  PoissonSampler open = sampler();
  PoissonSampler secret = sampler();
  for (int step = 0; step < 5; ++step) {
    const RevealedBatch revealed = open.next_revealed().value();
    const Batch hidden = secret.next().value();
    EXPECT_EQ(revealed.members, ExactForHolder::read(hidden.members()));
    EXPECT_EQ(revealed.members, ExactForHolder::read(revealed.batch.members()));
    EXPECT_EQ(revealed.batch.sampling().kind, SamplingKind::kRevealedPoisson);
    EXPECT_EQ(revealed.batch.sampling().q, hidden.sampling().q);
    EXPECT_EQ(revealed.batch.sampling().expected_units, kRate * kPopulation);
  }
}

TEST(RevealedBatch, ItsEventIsTheRevealedPair) {
  const Sampling sampling{SamplingKind::kRevealedPoisson, kRate, kRate * kPopulation};
  for (const Adjacency adjacency : {Adjacency::kSensitive, Adjacency::kReplaceRecord}) {
    const PrivacyEvent actual = gaussian_event(adjacency, sampling, kNoise).value();
    const auto& node = std::get<RevealedPoissonGaussianRelease>(actual.node());
    EXPECT_EQ(node.q, kRate);
    EXPECT_EQ(node.sigma_over_distance, kNoise / 2);
  }
  const auto refused = gaussian_event(Adjacency::kAddRemoveRecord, sampling, kNoise);
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("who is in the data"));
}

Result<NoisySum> release_revealed(const PrivacyEvent& charged) {
  DPFERMI_ASSIGN(const auto layout, ContributionLayout::create({{1, 1.0}}));
  DPFERMI_ASSIGN(Privatizer privatizer, Privatizer::create(layout, Adjacency::kSensitive, kNoise,
                                                           permit(charged), lane(1)));
  PoissonSampler drawing = sampler();
  DPFERMI_ASSIGN(RevealedBatch drawn, drawing.next_revealed());
  const auto one = [](int, std::uint32_t, std::span<double> out) { out[0] = 1; };
  DPFERMI_ASSIGN(ClippedSum sum, privatizer.sum(Protected(0), std::move(drawn.batch), one));
  Result<NoisySum> noisy = privatizer.release(std::move(sum));
  EXPECT_EQ(privatizer.remaining(), noisy.has_value() ? 0U : 1U);
  return noisy;
}

TEST(RevealedBatch, IsPaidForByTheRevealedPairOrWithoutSampling) {
  constexpr auto kSensitive = Adjacency::kSensitive;
  EXPECT_TRUE(
      release_revealed(event(kSensitive, RevealedPoissonGaussianRelease{kRate, kNoise / 2})));
  EXPECT_TRUE(release_revealed(event(kSensitive, GaussianRelease{kNoise / 2})));

  const auto amplified = release_revealed(event(kSensitive, PoissonGaussianRelease{kRate, kNoise}));
  ASSERT_FALSE(amplified);
  EXPECT_EQ(amplified.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(amplified.error().message, HasSubstr("charge what is released"));
  EXPECT_FALSE(
      release_revealed(event(kSensitive, RevealedPoissonGaussianRelease{kRate / 2, kNoise / 2})));
  EXPECT_FALSE(release_revealed(event(kSensitive, RevealedPoissonGaussianRelease{kRate, kNoise})));
}

TEST(RevealedBatch, NothingCoversItWhereRecordsComeAndGo) {
  const Sampling sampling{SamplingKind::kRevealedPoisson, kRate, kRate * kPopulation};
  const auto covered = [&](PrivacyEvent::Node node) {
    return covers(event(Adjacency::kAddRemoveRecord, std::move(node)), Adjacency::kAddRemoveRecord,
                  sampling, kNoise);
  };
  EXPECT_FALSE(covered(RevealedPoissonGaussianRelease{kRate, kNoise}));
  EXPECT_FALSE(covered(RevealedPoissonGaussianRelease{kRate, kNoise / 2}));
  EXPECT_FALSE(covered(PoissonGaussianRelease{kRate, kNoise}));
  EXPECT_FALSE(covered(GaussianRelease{kNoise}));
}

}  // namespace
}  // namespace dpfermi
