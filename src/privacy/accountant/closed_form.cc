#include "privacy/accountant/closed_form.h"

#include <algorithm>
#include <boost/math/tools/roots.hpp>
#include <cmath>

namespace dpfermi::accountant {
namespace {

/// Probabilities of k inclusions in `count` trials, from the mode outwards until what is left on
/// either side is negligible.
struct BinomialWeights {
  std::size_t first;
  std::vector<double> weights;
  double missing;
};

BinomialWeights binomial_weights(std::uint64_t count, double q, double resolution) {
  const auto n = static_cast<double>(count);
  const double mode = std::floor((n + 1) * q);
  const double odds = q / (1 - q);
  std::vector<double> up{1};
  double left_over = 0;
  for (double k = mode; k < n; ++k) {
    const double ratio = (n - k) / (k + 1) * odds;
    if (ratio < 0.999 && up.back() * ratio / (1 - ratio) < resolution * 1e-13) {
      left_over = up.back() * ratio / (1 - ratio);
      break;
    }
    up.push_back(up.back() * ratio);
  }
  std::vector<double> down;
  double last = 1;
  for (double k = mode; k > 0; --k) {
    const double ratio = k / ((n - k + 1) * odds);
    if (ratio < 0.999 && last * ratio / (1 - ratio) < resolution * 1e-13) {
      left_over += last * ratio / (1 - ratio);
      break;
    }
    last *= ratio;
    down.push_back(last);
  }
  BinomialWeights result{static_cast<std::size_t>(mode) - down.size(), {}, 0};
  result.weights.assign(down.rbegin(), down.rend());
  result.weights.insert(result.weights.end(), up.begin(), up.end());
  double sum = 0;
  for (const double weight : result.weights) sum += weight;
  for (double& weight : result.weights) weight /= sum;
  result.missing = left_over / sum;
  return result;
}

Approximate scaled(Approximate a, double factor) {
  return {a.value * factor, a.error * factor + 8 * kRoundOff * a.value * factor};
}

Approximate remove_delta(const LossPair& pair, double epsilon) {
  // Amplification: the sampled profile is q times the plain one at a shifted epsilon.
  return scaled(gaussian_delta(std::log1p(std::expm1(epsilon) / pair.q), 1 / pair.sigma), pair.q);
}

Approximate add_delta(const LossPair& pair, double epsilon) {
  const double ratio = std::expm1(-epsilon) / pair.q + 1;
  const double front = -std::expm1(epsilon + std::log1p(-pair.q));
  if (ratio <= 0 || front <= 0) return {0, 1e-300};
  Approximate delta = gaussian_delta(-std::log(ratio), 1 / pair.sigma);
  delta.error *= 2 + 2 / ratio;
  const double error = 8 * kRoundOff * delta.value;
  return {delta.value * front, delta.error * front + error};
}

Approximate substitution_delta(const LossPair& pair, double epsilon) {
  const double variance = pair.sigma * pair.sigma;
  const double x = point_of_loss(pair, epsilon);
  const double up = (x - 0.5) / variance;
  const double down = (x + 0.5) / variance;
  const Approximate a = gaussian_delta(up, 1 / pair.sigma);
  const Approximate b = gaussian_delta(down, 1 / pair.sigma);
  const double weight = std::exp(epsilon - down);
  const double value = pair.q * (a.value + weight * b.value);
  const double slack = 4 + 2 / variance;
  return {value, slack * pair.q * (a.error + weight * b.error) +
                     16 * kRoundOff * (1 + down + epsilon) * value};
}

Approximate laplace_delta(double scale, double epsilon) {
  // The sign of a fused epsilon * scale - 1 is exact: no loss exceeds 1 / scale.
  if (std::fma(epsilon, scale, -1.0) >= 0) return {0, 0};
  const double value = std::max(0.0, -std::expm1((epsilon - 1 / scale) / 2));
  return {value, 8 * kRoundOff * (1 + epsilon + 1 / scale)};
}

/// The likely outcome alone has a loss above epsilon.
Approximate pure_delta(double reach, double epsilon) {
  if (epsilon >= reach) return {0, 0};
  const double value = -std::expm1(epsilon - reach) / (1 + std::exp(-reach));
  return {value, 8 * kRoundOff * (1 + epsilon + reach)};
}

/// With P centred at 0 and Q at a, the loss at k is (a^2 / 2 - a k) / sigma^2, whatever the
/// probabilities: those may underflow to 0 long before the sum is over. 1e-50 is the mass beyond
/// the radius.
Approximate lattice_delta(const LossPair& pair, const std::vector<double>& pmf, double epsilon) {
  const auto radius = static_cast<std::int64_t>(pmf.size() / 2);
  const auto shift = static_cast<double>(pair.shift);
  const double variance = pair.sigma * pair.sigma;
  const double z = static_cast<double>(radius) / pair.sigma;
  double sum = 0;
  double error = 1e-50;
  for (std::int64_t k = -radius; k <= radius; ++k) {
    const double loss = shift * (shift / 2 - static_cast<double>(k)) / variance;
    if (loss <= epsilon) break;
    const double p = pmf[static_cast<std::size_t>(k + radius)];
    sum += -p * std::expm1(epsilon - loss);
    error += kRoundOff * p * (32 + 4 * z * z + 8 * (loss + epsilon));
  }
  return {sum, error};
}

}  // namespace

std::optional<ClosedForm> ClosedForm::of(std::span<const Component> components, double resolution) {
  ClosedForm form;
  const auto is_gaussian = [](const Component& c) { return c.pair.kind == PairKind::kGaussian; };
  const auto revealed = std::ranges::find_if(
      components, [](const Component& c) { return c.pair.kind == PairKind::kRevealed; });
  if (revealed != components.end()) {
    if (components.size() > 2) return std::nullopt;
    for (const Component& other : components) {
      if (&other == &*revealed) continue;
      if (!is_gaussian(other)) return std::nullopt;
      form.mu_squared_ = static_cast<double>(other.count) / (other.pair.sigma * other.pair.sigma);
    }
    BinomialWeights weights = binomial_weights(revealed->count, revealed->pair.q, resolution);
    form.pair_ = revealed->pair;
    form.first_ = weights.first;
    form.weights_ = std::move(weights.weights);
    form.missing_ = weights.missing;
    return form;
  }
  if (components.size() != 1 || components[0].count != 1) return std::nullopt;
  form.pair_ = components[0].pair;
  if (form.pair_.kind == PairKind::kDiscreteGaussian) {
    const std::int64_t radius = discrete_gaussian_radius(form.pair_.sigma, 1e-50);
    form.pmf_ = discrete_gaussian_pmf(form.pair_.sigma, radius + form.pair_.shift);
  }
  return form;
}

Approximate ClosedForm::delta(double epsilon) const {
  switch (pair_.kind) {
    case PairKind::kGaussian:
      return gaussian_delta(epsilon, 1 / pair_.sigma);
    case PairKind::kRemove:
      return remove_delta(pair_, epsilon);
    case PairKind::kAdd:
      return add_delta(pair_, epsilon);
    case PairKind::kSubstitution:
      return substitution_delta(pair_, epsilon);
    case PairKind::kLaplace:
      return laplace_delta(pair_.sigma, epsilon);
    case PairKind::kPure:
      return pure_delta(1 / pair_.sigma, epsilon);
    case PairKind::kDiscreteGaussian:
      return lattice_delta(pair_, pmf_, epsilon);
    case PairKind::kRevealed:
      break;
  }
  Approximate sum{0, missing_};
  const double step = 1 / (pair_.sigma * pair_.sigma);
  for (std::size_t i = 0; i < weights_.size(); ++i) {
    const double mu = std::sqrt(mu_squared_ + static_cast<double>(first_ + i) * step);
    const Approximate term = gaussian_delta(epsilon, mu);
    sum.value += weights_[i] * term.value;
    sum.error += weights_[i] * term.error;
  }
  const double terms = static_cast<double>(weights_.size());
  sum.error += 8 * kRoundOff * terms * sum.value;
  return sum;
}

/// An epsilon where delta(epsilon) is already below `delta`.
double ClosedForm::starting_epsilon(double delta) const {
  double epsilon = 1;
  while (this->delta(epsilon).value > delta && epsilon < 1e100) epsilon *= 2;
  return epsilon;
}

ClosedForm::Bracket ClosedForm::epsilon(double delta) const {
  const Approximate at_zero = this->delta(0);
  if (at_zero.value + at_zero.error <= delta) return {0, 0};
  const double high = starting_epsilon(delta);
  double root = 0;
  if (at_zero.value > delta) {
    const auto excess = [&](double epsilon) {
      return std::log(std::max(this->delta(epsilon).value, 1e-305)) - std::log(delta);
    };
    std::uintmax_t iterations = 100;
    const auto bracket = boost::math::tools::toms748_solve(
        excess, 0.0, high, boost::math::tools::eps_tolerance<double>(46), iterations);
    root = (bracket.first + bracket.second) / 2;
  }
  // Step outwards until the error bounds themselves certify either end.
  Bracket result{root, root};
  for (double pad = 1e-14 * (1 + root);; pad *= 4) {
    const Approximate d = this->delta(result.upper);
    if (d.value + d.error <= delta) break;
    // Error bounds that never let go certify nothing.
    result.upper = result.upper > 1e100 ? INFINITY : root + pad;
    if (std::isinf(result.upper)) break;
  }
  for (double pad = 1e-14 * (1 + root); result.lower > 0; pad *= 4) {
    const Approximate d = this->delta(result.lower);
    if (d.value - d.error >= delta) break;
    result.lower = std::max(0.0, root - pad);
  }
  return result;
}

}  // namespace dpfermi::accountant
