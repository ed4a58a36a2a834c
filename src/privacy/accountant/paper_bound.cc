#include "privacy/accountant/paper_bound.h"

#include <fmt/format.h>

#include <cmath>

namespace dpfermi {
namespace {

/// sigma^2 = factor * T ln(1/delta) / (epsilon n)^2 for either part of the update.
struct Factors {
  double theta;
  double w;
};

Result<Factors> factors_of(const PaperSetting& s) {
  const bool positive = s.records > 0 && s.batch > 0 && s.batch <= s.records && s.rho > 0 &&
                        s.rho <= 1 && s.lipschitz > 0 && s.diameter > 0 && s.labels >= 2;
  if (!positive) {
    return usage_error(
        "the paper's theorem needs 0 < m <= n, 0 < rho <= 1, L > 0, D > 0 and l >= 2; check them");
  }
  const double ld = s.lipschitz * s.diameter;
  switch (s.adjacency) {
    case Adjacency::kSensitive:
      return Factors{16 * ld * ld / s.rho, 16 / s.rho};
    case Adjacency::kReplaceRecord: {
      const double quadratic = s.diameter * ld * s.labels;
      return Factors{64 * ld * ld / s.rho + 32 * quadratic * quadratic,
                     32 * (1 / s.rho + s.diameter * s.diameter)};
    }
    case Adjacency::kAddRemoveRecord:
      break;
  }
  return usage_error(
      "the paper's theorem does not cover add-remove-record; use sensitive or replace-record");
}

Status check_assumptions(const PaperSetting& s, double epsilon, double delta) {
  if (!(delta > 0 && delta < 1) || !(epsilon > 0)) {
    return usage_error("the paper's theorem needs epsilon > 0 and 0 < delta < 1");
  }
  if (epsilon > 2 * std::log(1 / delta)) {
    return usage_error(fmt::format(
        "the paper's theorem needs epsilon <= 2 ln(1/delta) = {:.4g}; ask for a smaller epsilon",
        2 * std::log(1 / delta)));
  }
  const double least = std::pow(s.records * std::sqrt(epsilon) / (2 * s.batch), 2);
  if (static_cast<double>(s.steps) < least) {
    return usage_error(fmt::format(
        "the paper's theorem needs T >= (n sqrt(epsilon) / 2m)^2 = {:.6g}; take more steps",
        least));
  }
  return {};
}

}  // namespace

Result<PaperNoise> paper_noise(const PaperSetting& setting, double epsilon, double delta) {
  DPFERMI_ASSIGN(const Factors factors, factors_of(setting));
  DPFERMI_TRY(check_assumptions(setting, epsilon, delta));
  const double common = static_cast<double>(setting.steps) * std::log(1 / delta);
  const double unit = std::sqrt(common) / (epsilon * setting.records);
  return PaperNoise{unit * std::sqrt(factors.theta), unit * std::sqrt(factors.w)};
}

PaperClaim paper_claim(double q, double steps, double sigma_over_distance, double delta) {
  const double epsilon = q * std::sqrt(2 * steps * std::log(1 / delta)) / sigma_over_distance;
  const double least = q > 0 ? epsilon / (4 * q * q) : 0;
  return {epsilon, epsilon <= 2 * std::log(1 / delta) && steps >= least};
}

}  // namespace dpfermi
