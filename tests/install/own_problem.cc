// Algorithm 2 on a user-defined problem, by public headers alone: the mean of protected numbers as
// min_theta (1/n) sum_i (theta - z_i)^2 / 2, charged to a ledger on disk.
#include <dpfermi/core/version.h>
#include <dpfermi/core/workers.h>
#include <dpfermi/methods/registry.h>
#include <dpfermi/optimize/oracles.h>
#include <dpfermi/privacy/accountant/calibrate.h>
#include <dpfermi/privacy/accountant/pld_accountant.h>
#include <dpfermi/privacy/accountant/price.h>
#include <dpfermi/privacy/ledger/run_ledger.h>

#include <cmath>
#include <cstdio>

namespace {

using namespace dpfermi;

constexpr auto kAdjacency = Adjacency::kReplaceRecord;
constexpr std::uint64_t kSteps = 100;
constexpr double kRate = 0.5;
constexpr double kDelta = 1e-6;

using Numbers = Protected<std::vector<double>>;

class MeanProblem {
 public:
  explicit MeanProblem(const Numbers& data) : data_(&data) {}

  static std::size_t theta_size() { return 1; }
  static std::size_t w_size() { return 0; }
  void begin_step(std::span<const double> theta, std::span<const double>) { theta_ = theta[0]; }
  void add_public(std::span<const std::uint32_t>, Gradients&, Workers*) const {}
  Result<ClippedSum> clipped_sum(const Privatizer& privatizer, Batch batch,
                                 Workers* workers) const {
    return privatizer.sum(
        *data_, std::move(batch),
        [this](const std::vector<double>& z, std::uint32_t unit, std::span<double> out) {
          out[0] = theta_ - z[unit];
        },
        workers);
  }
  static void add_released(const NoisySum& noisy, Gradients& gradients) {
    gradients.theta[0] += noisy.segment(0)[0] / noisy.expected_units();
  }
  static void project(std::span<double>) {}

 private:
  const Numbers* data_;
  double theta_ = 0;
};
static_assert(MinMaxProblem<MeanProblem>);

Result<double> private_mean(const Numbers& data, std::uint32_t n, const LedgerFile& file) {
  const EventFamily family = [](double z) -> Result<PrivacyEvent> {
    DPFERMI_ASSIGN(const PrivacyEvent step,
                   PrivacyEvent::create(kAdjacency, PoissonGaussianRelease{kRate, z}));
    return step.times(kSteps);
  };
  DPFERMI_ASSIGN(const Calibrated noise, calibrate_noise(family, 1, kDelta));
  DPFERMI_ASSIGN(const PrivacyEvent step,
                 PrivacyEvent::create(kAdjacency, PoissonGaussianRelease{kRate, noise.value}));
  DPFERMI_ASSIGN(const JointPlan plan,
                 priced_plan({"a mean", {{"steps", step, kSteps}}}, kDelta, kSteps * 1e-15));

  DPFERMI_ASSIGN(RunLedger ledger, RunLedger::start(file, {"numbers", kAdjacency, ""}));
  DPFERMI_ASSIGN(const std::uint64_t charge, ledger.plan(plan));
  DPFERMI_ASSIGN(ReleasePermit permit, ledger.claim(charge, 0, 0, kSteps));
  DPFERMI_ASSIGN(NoiseSource source, make_noise_source({}));
  DPFERMI_ASSIGN(NoiseLane noise_lane, source.open(Purpose::kGradientNoise));
  DPFERMI_ASSIGN(NoiseLane batch_lane, source.open(Purpose::kSecretBatch));
  DPFERMI_ASSIGN(ContributionLayout layout, ContributionLayout::create({{1, 1.0, 1.0}}));
  DPFERMI_ASSIGN(Privatizer privatizer,
                 Privatizer::create(std::move(layout), kAdjacency, noise.value, std::move(permit),
                                    std::move(noise_lane)));
  DPFERMI_ASSIGN(const SamplingRate rate, SamplingRate::nearest(kRate));
  DPFERMI_ASSIGN(PoissonSampler sampler, PoissonSampler::create(n, rate, std::move(batch_lane)));

  MeanProblem problem(data);
  PrivateOracle oracle(std::move(sampler), std::move(privatizer));
  const SolverOptions options{.steps = kSteps,
                              .theta_rate = [](std::uint64_t) { return 0.2; },
                              .w_rate = [](std::uint64_t) { return 0.0; },
                              .iterate = IterateRule::kAverage};
  SolverState state{.theta = {0}, .w = {}};
  Workers workers(2);
  DPFERMI_TRY(solve(problem, oracle, {}, options, state, {}, &workers));
  DPFERMI_TRY(ledger.commit());
  return chosen_iterate(state, options)[0];
}

}  // namespace

int main() {
  constexpr std::uint32_t kUnits = 20000;
  std::vector<double> z(kUnits);
  for (std::uint32_t i = 0; i < kUnits; ++i) z[i] = i % 4 == 0 ? 0.8 : 0.2;
  const Numbers data{std::move(z)};
  const auto file = LedgerFile::open_or_create("numbers.db");
  if (!file) return 1;
  const auto mean = private_mean(data, kUnits, *file);
  if (!mean) {
    std::fprintf(stderr, "%s\n", mean.error().message.c_str());
    return 1;
  }
  const auto budgets = file->budgets();
  const bool charged = budgets && budgets->size() == 1 && budgets->front().charges == 1;
  std::printf("dpfermi %s, %zu methods: a mean of %.3f\n", std::string(version()).c_str(),
              all_methods().size(), *mean);
  return charged && std::abs(*mean - 0.35) < 0.02 ? 0 : 1;
}
