#pragma once

/// DP-SGDA with every number as the paper's convergence theorem prescribes it, on SaddleProblem.

#include <cmath>
#include <cstdint>
#include <vector>

#include "dpfermi/optimize/oracles.h"
#include "privacy/research_ledger.h"
#include "saddle_problem.h"

namespace dpfermi::examples {

/// Records are protected as the theorem has it: one is replaced by another.
inline constexpr auto kTheoremAdjacency = Adjacency::kReplaceRecord;

struct TheoremSetting {
  std::uint32_t n = 0;
  std::size_t d = 0;
  double epsilon = 4;  ///< the theorem asks for epsilon <= 2 ln(1/delta)
  double delta = 1e-5;
  double q = 1;  ///< m = q n; Poisson batches instead of the paper's batches of fixed size
};

struct TheoremPlan {
  std::uint64_t steps;      ///< T
  double theta_rate;        ///< eta_theta
  double w_rate;            ///< eta_w
  double noise_multiplier;  ///< z, for theta and w together
};

/// kappa_w (Delta_Phi (beta_theta + beta_tw kappa_tw) + beta_tw^2 D^2), all of it constant.
struct TheoremTerms {
  using C = SaddleConstants;
  static constexpr double kMu = 1;
  static constexpr double kKappaW = C::kSmoothW / kMu;
  static constexpr double kSmoothPhi = C::kSmoothTheta + C::kSmoothBoth * C::kSmoothBoth / kMu;
  static constexpr double kStart =
      kKappaW *
      (C::kDescent * kSmoothPhi + C::kSmoothBoth * C::kSmoothBoth * C::kDiameter * C::kDiameter);

  explicit TheoremTerms(const TheoremSetting& setting)
      : log_delta(std::log(1 / setting.delta)),
        theta(C::kLipschitzTheta * std::sqrt(static_cast<double>(setting.d))),
        w(C::kSmoothBoth * std::sqrt(kKappaW) / C::kSmoothW * C::kLipschitzW *
          std::sqrt(static_cast<double>(setting.d))) {}

  double log_delta;  ///< ln(1/delta)
  double theta;      ///< L_theta sqrt(d_theta)
  double w;          ///< beta_tw sqrt(kappa_w) / beta_w L_w sqrt(d_w)
};

/// T = sqrt(kStart) epsilon n min(1 / theta, 1 / w) / sqrt(ln(1/delta)). The last factor is not in
/// the theorem's T, but its bound does not follow without it.
///
/// z: the theorem's noise on a mean is sigma_theta^2 = 8 T L_theta^2 ln(1/delta) / (epsilon n)^2,
/// and likewise for w. Two segments of equal weight get m sigma_theta = z sqrt(2) L_theta and
/// m sigma_w = z sqrt(2) L_w: one z serves both.
inline TheoremPlan theorem_plan(const TheoremSetting& setting) {
  const TheoremTerms terms(setting);
  const double steps = std::ceil(std::sqrt(TheoremTerms::kStart / terms.log_delta) *
                                 setting.epsilon * setting.n / std::max(terms.theta, terms.w));
  return {static_cast<std::uint64_t>(steps),
          1 / (16 * TheoremTerms::kKappaW * TheoremTerms::kSmoothPhi),
          1 / SaddleConstants::kSmoothW,
          setting.q * 2 * std::sqrt(steps * terms.log_delta) / setting.epsilon};
}

/// What the theorem bounds E |grad Phi|^2 by, up to its hidden constant; the last term is there for
/// m < n only.
inline double theorem_bound(const TheoremSetting& setting) {
  const TheoremTerms terms(setting);
  const double noise = std::sqrt(TheoremTerms::kStart * terms.log_delta) /
                       (setting.epsilon * setting.n) * (terms.theta + terms.w);
  const double sampling = (terms.theta * terms.theta + terms.w * terms.w) /
                          static_cast<double>(setting.d) / (setting.q * setting.n);
  return setting.q < 1 ? noise + sampling : noise;
}

/// One step's release.
inline Result<PrivacyEvent> theorem_event(const TheoremSetting& setting, const TheoremPlan& plan) {
  return PrivacyEvent::create(kTheoremAdjacency,
                              PoissonGaussianRelease{setting.q, plan.noise_multiplier});
}

/// What a run came to.
struct Stationarity {
  double random_iterate;  ///< E |grad Phi(theta_t)|^2, t uniform in 1..T given the run: what the
                          ///< theorem bounds
  double last_half;       ///< the same over the last half: the noise, without the way from theta_0
};

inline Result<Stationarity> measure(const TheoremSetting& setting, std::uint64_t seed) {
  const TheoremPlan plan = theorem_plan(setting);
  const SaddleData data(setting.n, setting.d, seed);
  SaddleProblem problem(data);

  ResearchLedger ledger;
  DPFERMI_ASSIGN(const PrivacyEvent event, theorem_event(setting, plan));
  DPFERMI_ASSIGN(ReleasePermit permit,
                 ledger.charge({"training steps", event, plan.steps, {}, true}));
  DPFERMI_ASSIGN(NoiseSource source, make_noise_source(seed));
  DPFERMI_ASSIGN(NoiseLane noise, source.open(Purpose::kGradientNoise));
  DPFERMI_ASSIGN(NoiseLane batches, source.open(Purpose::kSecretBatch));
  DPFERMI_ASSIGN(const auto layout, ContributionLayout::create(
                                        problem.segments(),
                                        ContributionLayout::finest_lattice(plan.noise_multiplier)));
  DPFERMI_ASSIGN(Privatizer privatizer,
                 Privatizer::create(layout, kTheoremAdjacency, plan.noise_multiplier,
                                    std::move(permit), std::move(noise)));
  DPFERMI_ASSIGN(const SamplingRate rate, SamplingRate::nearest(setting.q));
  DPFERMI_ASSIGN(PoissonSampler sampler,
                 PoissonSampler::create(setting.n, rate, std::move(batches)));
  PrivateOracle oracle(std::move(sampler), std::move(privatizer));

  const SolverOptions options{.steps = plan.steps,
                              .theta_rate = [&](std::uint64_t) { return plan.theta_rate; },
                              .w_rate = [&](std::uint64_t) { return plan.w_rate; }};
  const double entry = 1 / std::sqrt(static_cast<double>(setting.d));
  SolverState state{.theta = std::vector<double>(setting.d, entry),
                    .w = std::vector<double>(setting.d)};
  Stationarity sums{0, 0};
  DPFERMI_TRY(solve(problem, oracle, {}, options, state, [&](const SolverState& now) {
    const double square = problem.stationarity(now.theta);
    sums.random_iterate += square;
    if (2 * now.step > plan.steps) sums.last_half += square;
    return true;
  }));
  const std::uint64_t counted = plan.steps - plan.steps / 2;
  return Stationarity{sums.random_iterate / static_cast<double>(plan.steps),
                      sums.last_half / static_cast<double>(counted)};
}

}  // namespace dpfermi::examples
