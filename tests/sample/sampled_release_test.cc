// Batches and noise together: what was drawn with a known seed never passes for a secret.
#include <gmock/gmock.h>

#include "dpfermi/privacy/mechanism/privatizer.h"
#include "dpfermi/sample/poisson_sampler.h"
#include "privacy/mechanism/fixtures.h"

namespace dpfermi {
namespace {

using testing_support::event;
using testing_support::lane;
using testing_support::permit;
using testing_support::secret_lane;

constexpr auto kAdjacency = Adjacency::kSensitive;

/// One release over a Poisson batch; the noise and the batch are secret or of a fixed seed.
Result<NoisySum> release_sampled(const PrivacyEvent& charged, bool secret_noise,
                                 bool secret_batch) {
  DPFERMI_ASSIGN(const auto layout, ContributionLayout::create({{1, 1.0}}));
  DPFERMI_ASSIGN(Privatizer privatizer,
                 Privatizer::create(layout, kAdjacency, 2, permit(charged, 1, !secret_noise),
                                    secret_noise ? secret_lane() : lane(1)));
  DPFERMI_ASSIGN(PoissonSampler sampler,
                 PoissonSampler::create(100, SamplingRate::nearest(0.25).value(),
                                        secret_batch ? secret_lane(Purpose::kSecretBatch)
                                                     : lane(1, Purpose::kSecretBatch)));
  DPFERMI_ASSIGN(Batch batch, sampler.next());
  const auto one = [](int, std::uint32_t, std::span<double> out) { out[0] = 1; };
  DPFERMI_ASSIGN(ClippedSum sum, privatizer.sum(Protected(0), std::move(batch), one));
  Result<NoisySum> noisy = privatizer.release(std::move(sum));
  EXPECT_EQ(privatizer.remaining(), noisy.has_value() ? 0U : 1U);
  return noisy;
}

TEST(SampledRelease, RefusesABatchOfAnotherKindThanTheNoise) {
  const PrivacyEvent sampled = event(kAdjacency, PoissonGaussianRelease{0.25, 2});
  const PrivacyEvent unsampled = event(kAdjacency, GaussianRelease{1});
  for (const PrivacyEvent& charged : {sampled, unsampled}) {
    EXPECT_EQ(release_sampled(charged, true, true).value().reproducibility(),
              Reproducibility::kSecret);
    EXPECT_EQ(release_sampled(charged, false, false).value().reproducibility(),
              Reproducibility::kReproducible);
    for (const bool secret_noise : {true, false}) {
      const auto mixed = release_sampled(charged, secret_noise, !secret_noise);
      ASSERT_FALSE(mixed.has_value());
      EXPECT_EQ(mixed.error().kind, ErrorKind::kUsage);
      EXPECT_THAT(mixed.error().message, testing::HasSubstr("draw both with one kind of key"));
    }
  }
}

}  // namespace
}  // namespace dpfermi
