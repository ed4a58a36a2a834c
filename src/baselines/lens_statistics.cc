#include "baselines/lens_statistics.h"

#include <algorithm>
#include <cmath>

#include "core/vector_math.h"

namespace dpfermi {
namespace {

void smooth(std::span<const double> step, double share, std::span<double> means) {
  for (std::size_t i = 0; i < means.size(); ++i) means[i] += share * (step[i] - means[i]);
}

}  // namespace

LensStatistics::LensStatistics(std::size_t groups, std::size_t parameters)
    : parameters_(parameters),
      sizes_(groups),
      closeness_(groups),
      gradients_(groups * parameters),
      excess_(parameters) {}

void LensStatistics::add(const Released& step, double share) {
  smooth(step.sizes, share, sizes_);
  smooth(step.closeness, share, closeness_);
  smooth(step.gradients, share, gradients_);
  smooth(step.excess, share, excess_);
}

LensTerms LensStatistics::terms(double lambda, double least_share) const {
  const std::size_t k = groups();
  LensTerms terms{std::vector<double>(k), std::vector<double>(k), excess_,
                  std::vector<double>(parameters_)};
  std::vector<double> gradient(parameters_);  // of everybody
  double closeness = 0;
  for (std::size_t i = 0; i < gradients_.size(); ++i) gradient[i % parameters_] += gradients_[i];
  for (const double own : closeness_) closeness += own;
  std::vector<double> difference(parameters_);
  for (std::size_t a = 0; a < k; ++a) {
    const double share = std::max(sizes_[a], least_share);
    for (std::size_t j = 0; j < parameters_; ++j) {
      difference[j] = gradients_[a * parameters_ + j] / share - gradient[j];
    }
    const double bent = std::copysign(lambda, dot(difference, terms.bias));
    const double near = std::copysign(lambda, closeness_[a] / share - closeness);
    for (std::size_t r = 0; r < k; ++r) {
      const double weight = (r == a ? 1 / share : 0) - 1;
      terms.gradient_weights[r] += bent * weight;
      terms.closeness_weights[r] += near * weight;
    }
    for (std::size_t j = 0; j < parameters_; ++j) terms.unevenness[j] += bent * difference[j];
  }
  return terms;
}

}  // namespace dpfermi
