// Every marked line must be refused by the compiler, with an error that matches the mark, and no
// other line may be. control.cc does the same things the permitted way.
#include "baselines/published_code.h"
#include "dpfermi/optimize/oracles.h"
#include "dpfermi/privacy/mechanism/privatizer.h"
#include "dpfermi/random/noise_source.h"
#include "dpfermi/sample/poisson_sampler.h"
#include "optimize/dp_fermi.h"
#include "optimize/group_marginals.h"
#include "optimize/small_groups.h"
#include "privacy/mechanism/counts_privatizer.h"
#include "sketch/group_sums.h"

using namespace dpfermi;

// Protected data has no reader outside the privatisers.
void read_protected(const Protected<int>& secret) {
  (void)secret.value_;                    // must fail: private
  (void)secret.read(ProtectedReadKey());  // must fail: private
  (void)secret.read({});                  // must fail: private
}

void read_batch(const Batch& batch) {
  (void)batch.members().read({});  // must fail: private
}

// Sums before noise are opaque, and cannot be made up.
void read_sums(const ClippedSum& sum, const LatticeSum& lattice) {
  (void)sum.sum_;       // must fail: private
  (void)lattice.sums_;  // must fail: private
}

void forge_clipped_sum(ContributionLayout layout, LatticeSum sum) {
  (void)ClippedSum(layout, Sampling{}, sum, Invented::kRecords);  // must fail: private
}

// Only a privatiser makes noisy sums and counts, and each serves once.
void forge_releases(const PrivacyEvent& event) {
  (void)NoisySum(event, Reproducibility::kSecret, 1.0);      // must fail: private
  (void)NoisyCounts({1, 2}, 1.0, Reproducibility::kSecret);  // must fail: private
}

void copy_releases(const NoisySum& sum, const NoisyCounts& counts) {
  (void)NoisySum(sum);        // must fail: deleted
  (void)NoisyCounts(counts);  // must fail: deleted
}

// A solver that takes noisy sums takes nothing else.
void update(const NoisySum& gradient);
void bypass(const ClippedSum& sum, const std::vector<double>& gradient) {
  update(sum);       // must fail: invalid initialization|no matching
  update(gradient);  // must fail: invalid initialization|no matching
}

// What makes a placed vector is given nothing protected, and does not choose who is in the sum.
using Groups = std::vector<std::uint16_t>;
void place_by_group(Privatizer& privatizer, const Protected<Groups>& s, const PlacedRows& rows,
                    Batch batch) {
  const auto sees = [](const Groups&, std::uint32_t, std::span<double>) {};
  const auto reads = [&](std::uint32_t row, std::span<double> out) {
    out[0] = s.read({})[row];  // must fail: private
  };
  const auto vector = [](std::uint32_t, std::span<double>) {};
  (void)privatizer.sum_placed(s, rows, sees);                      // must fail: no matching
  (void)privatizer.sum_placed(Groups(), rows, vector);             // must fail: no matching
  (void)privatizer.sum_placed(s, std::move(batch), rows, vector);  // must fail: no matching
  (void)reads;
}

// A sum is released once, a batch summed once.
void reuse(Privatizer& privatizer, const ClippedSum& sum, const Batch& batch) {
  (void)privatizer.release(sum);  // must fail: deleted
  (void)Batch(batch);             // must fail: deleted
}

// Only the Poisson sampler can claim Poisson sampling.
void claim_amplification() {
  (void)Batch(Sampling{SamplingKind::kPoisson, 0.01, 10}, {1, 2, 3});  // must fail: private
}

// Permits come from ledgers and are not copied.
void forge_permit(const PrivacyEvent& event, const ReleasePermit& permit) {
  (void)ReleasePermit(event, 1000, Reproducibility::kSecret, nullptr);  // must fail: private
  (void)ReleasePermit(permit);                                          // must fail: deleted
}

// A chosen key is never a secret one, and noise has one owner.
void choose_key(const ReproducibleSeed& seed, const NoiseSource& source, const NoiseLane& lane) {
  (void)SecretKey(KeyMaterial());  // must fail: private
  (void)SecretKey(seed);           // must fail: no matching
  (void)NoiseSource(42);           // must fail: no matching
  (void)NoiseSource(source);       // must fail: deleted
  (void)NoiseLane(lane);           // must fail: deleted
}

// Noise is not read before it is used.
void look_ahead(const NoiseLane& lane) {
  (void)lane.stream(0, 0);  // must fail: private
}

// A permit's noise is not changed afterwards.
void restamp(ReleasePermit& permit) {
  permit.reproducibility_ = Reproducibility::kSecret;  // must fail: private
}

// What is real stays real, and no permit is watched afterwards: an auditor sees synthetic data
// only.
void pass_for_invented(Protected<int>& secret, ReleasePermit& permit, ReleaseTap& tap) {
  secret.invented_ = Invented::kRecords;                                      // must fail: private
  permit.tap_ = &tap;                                                         // must fail: private
  (void)ReleasePermit(permit.event(), 1, Reproducibility::kSecret, nullptr);  // must fail: private
}

// What may read protected data without noise is charged: there is no way around the ledger.
NoiseSource secret_noise();
void train_uncharged(const Dataset& data, const TrainingPlan& plan, const TrainingHooks& hooks) {
  (void)exact_fermi(data, plan, secret_noise(), hooks);  // must fail: StepLedger&
  (void)train(data, plan, secret_noise(), hooks);        // must fail: StepLedger&
}

// The right to read comes from a charge alone, and whoever reads a group exactly shows it.
void read_uncharged(const Dataset& data, const TrainingPlan& plan, const FairnessSetting& setting,
                    const PublicVectors& vectors) {
  const ExactRead read;                            // must fail: private
  const ExactOracle oracle;                        // must fail: no matching
  (void)exact_marginals(data, setting);            // must fail: ExactRead
  (void)exact_merging(data, plan);                 // must fail: ExactRead
  (void)exact_group_sums(data, setting, vectors);  // must fail: ExactRead
  (void)published_code(data, {}, secret_noise());  // must fail: ExactRead
}
