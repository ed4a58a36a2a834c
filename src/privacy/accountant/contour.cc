#include "privacy/accountant/contour.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "privacy/accountant/saddle.h"

namespace dpfermi::accountant {
namespace {

using Complex = std::complex<double>;

constexpr int kHalfPoints = 160;       // on the upper half of the line
constexpr double kNegligible = 1e-11;  // of the integrand at the saddle point
constexpr double kAgreement = 1e-7;    // between the rule and its half, relative
constexpr double kTailShare = 1e-9;    // of delta, cut from the loss on the right

/// K(z) on the line c + it at t = a sinh(u), together with the weights of the trapezoid rule in u.
class Line {
 public:
  Line(const NodeCumulants& cumulants, const Saddle& saddle) : c_(saddle.theta) {
    const double curvature = saddle.variance + 1 / (c_ * c_) + 1 / ((c_ + 1) * (c_ + 1));
    const double a = 1 / std::sqrt(curvature);
    const double top = integrand_at(cumulants, 0, 0, saddle.epsilon);
    // Outwards until the integrand has died; the rule abstains where it never does.
    double reach = 1;
    while (reach < 14 &&
           integrand_at(cumulants, a * std::sinh(reach), top, saddle.epsilon) > kNegligible) {
      reach += 0.25;
    }
    converged_ = reach < 14;
    const double step = reach / kHalfPoints;
    for (int i = 0; i <= kHalfPoints && converged_; ++i) {
      const double u = i * step;
      const Complex z(c_, a * std::sinh(u));
      const double weight = step * a * std::cosh(u) / M_PI * (i == 0 ? 0.5 : 1);
      points_.push_back({z, log_moment(cumulants, z) - std::log(z) - std::log(z + 1.0), weight});
    }
  }

  /// The integral with every point, or with every second one, as an error estimate.
  double delta(double epsilon, int stride) const {
    double sum = 0;
    for (std::size_t i = 0; i < points_.size(); i += static_cast<std::size_t>(stride)) {
      const Point& point = points_[i];
      sum += stride * point.weight * std::exp(point.exponent - point.z * epsilon).real();
    }
    return sum;
  }

  bool trusts(double epsilon) const {
    if (!converged_) return false;
    const double fine = delta(epsilon, 1);
    return fine > 0 && std::abs(delta(epsilon, 2) - fine) <= kAgreement * fine;
  }

 private:
  struct Point {
    Complex z;
    Complex exponent;
    double weight;
  };

  /// sum_j T_j ln M_j(z); the branch of the logarithm does not matter for whole T_j.
  static Complex log_moment(const NodeCumulants& cumulants, Complex z) {
    Complex sum = 0;
    for (const NodeCumulants::Part& part : cumulants.parts()) {
      double top = -INFINITY;
      for (const LossNode& node : part.nodes) top = std::max(top, z.real() * node.loss);
      Complex moment = 0;
      for (const LossNode& node : part.nodes) {
        moment +=
            node.weight * std::polar(std::exp(z.real() * node.loss - top), z.imag() * node.loss);
      }
      sum += part.count * (top + std::log(moment));
    }
    return sum;
  }

  double integrand_at(const NodeCumulants& cumulants, double t, double top, double epsilon) const {
    const Complex z(c_, t);
    const double exponent =
        (log_moment(cumulants, z) - std::log(z) - std::log(z + 1.0)).real() - c_ * epsilon;
    return top == 0 && t == 0 ? exponent : std::exp(exponent - top) * std::abs(z) / c_;
  }

  double c_;
  bool converged_ = false;
  std::vector<Point> points_;
};

NodeCumulants cumulants_for(std::span<const Component> components, double delta) {
  double count = 0;
  for (const Component& component : components) count += static_cast<double>(component.count);
  return {components, {.left = 1e-12 / count, .right = kTailShare * delta / count}};
}

/// Large moments are beyond the range of doubles, and a lattice or an atom has no decaying
/// transform: the integral would not converge.
bool suits(std::span<const Component> components) {
  return std::ranges::all_of(components, [](const Component& component) {
    return is_gaussian_mixture(component.pair.kind) && component.pair.sigma > 0.2;
  });
}

}  // namespace

std::optional<double> contour_delta(std::span<const Component> components, double epsilon) {
  if (!suits(components)) return std::nullopt;
  const Saddle guess = saddle_for_epsilon(cumulants_for(components, 1e-15), epsilon);
  const NodeCumulants cumulants = cumulants_for(components, std::exp(guess.log_delta));
  const Line line(cumulants, saddle_for_epsilon(cumulants, epsilon));
  if (!line.trusts(epsilon)) return std::nullopt;
  return line.delta(epsilon, 1);
}

std::optional<double> contour_epsilon(std::span<const Component> components, double delta) {
  if (!suits(components)) return std::nullopt;
  const NodeCumulants cumulants = cumulants_for(components, delta);
  const Saddle saddle = saddle_for_delta(cumulants, delta);
  const Line line(cumulants, saddle);
  if (!line.trusts(saddle.epsilon)) return std::nullopt;
  double low = saddle.epsilon - 1 / (saddle.theta + 1);
  double high = saddle.epsilon + 1 / (saddle.theta + 1);
  if (line.delta(low, 1) < delta || line.delta(high, 1) > delta) return std::nullopt;
  while (high - low > 1e-10 * std::max(1.0, high)) {
    const double middle = (low + high) / 2;
    (line.delta(middle, 1) > delta ? low : high) = middle;
  }
  const double root = (low + high) / 2;
  if (!line.trusts(root)) return std::nullopt;
  return std::max(0.0, root);
}

}  // namespace dpfermi::accountant
