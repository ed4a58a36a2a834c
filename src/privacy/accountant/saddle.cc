#include "privacy/accountant/saddle.h"

#include <algorithm>
#include <cmath>

namespace dpfermi::accountant {
namespace {

constexpr double kLeastTheta = 1e-4;
constexpr double kLargestTheta = 1e7;
constexpr int kBisections = 34;  // leaves a relative uncertainty of 1e-9 in theta

/// The theta at which `above` turns from true to false, by bisection of ln theta.
template <class Predicate>
double last_theta(const Predicate& above) {
  double low = std::log(kLeastTheta);
  double high = std::log(kLargestTheta);
  for (int i = 0; i < kBisections; ++i) {
    const double middle = (low + high) / 2;
    (above(std::exp(middle)) ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

}  // namespace

NodeCumulants::NodeCumulants(std::span<const Component> components, TailMass tail) {
  for (const Component& component : components) {
    parts_.push_back({loss_nodes(component.pair, tail), static_cast<double>(component.count)});
  }
}

Cumulants NodeCumulants::at(double theta) const {
  Cumulants sum{0, 0, 0};
  for (const Part& part : parts_) {
    double top = -INFINITY;
    for (const LossNode& node : part.nodes) top = std::max(top, theta * node.loss);
    double m0 = 0;
    double m1 = 0;
    double m2 = 0;
    for (const LossNode& node : part.nodes) {
      const double weight = node.weight * std::exp(theta * node.loss - top);
      m0 += weight;
      m1 += weight * node.loss;
      m2 += weight * node.loss * node.loss;
    }
    const double mean = m1 / m0;
    sum.value += part.count * (top + std::log(m0));
    sum.first += part.count * mean;
    sum.second += part.count * std::max(0.0, m2 / m0 - mean * mean);
  }
  return sum;
}

Saddle saddle_at(const NodeCumulants& cumulants, double theta) {
  const Cumulants k = cumulants.at(theta);
  const double epsilon = k.first - 1 / theta - 1 / (theta + 1);
  const double curvature = k.second + 1 / (theta * theta) + 1 / ((theta + 1) * (theta + 1));
  const double log_delta = k.value - theta * epsilon - std::log(theta) - std::log1p(theta) -
                           0.5 * std::log(2 * M_PI * curvature);
  return {theta, epsilon, log_delta, k.second};
}

Saddle saddle_for_delta(const NodeCumulants& cumulants, double delta) {
  const double target = std::log(delta);
  return saddle_at(cumulants, last_theta([&](double theta) {
                     return saddle_at(cumulants, theta).log_delta > target;
                   }));
}

Saddle saddle_for_epsilon(const NodeCumulants& cumulants, double epsilon) {
  return saddle_at(cumulants, last_theta([&](double theta) {
                     return saddle_at(cumulants, theta).epsilon < epsilon;
                   }));
}

}  // namespace dpfermi::accountant
