#include "baselines/lens_statistics.h"

#include <algorithm>
#include <cmath>

#include "dpfermi/core/vector_math.h"

namespace dpfermi {

LensStatistics::LensStatistics(std::size_t groups, std::size_t parameters, double clip_norm)
    : groups_(groups), parameters_(parameters), clip_norm_(clip_norm), means_(size()) {}

double LensStatistics::bound() {
  return std::sqrt(4.0);  // sizes are within sqrt(2), the two gradients within 1
}

void LensStatistics::add(std::span<const double> sums, double units, double share) {
  for (std::size_t i = 0; i < means_.size(); ++i) {
    means_[i] += share * (sums[i] / units - means_[i]);
  }
}

LensTerms LensStatistics::terms(double lambda, double least_share) const {
  LensTerms terms{std::vector<double>(groups_), std::vector<double>(groups_),
                  std::vector<double>(parameters_), std::vector<double>(parameters_)};
  std::vector<double> gradient(parameters_);  // g: all groups and what clipping cut off
  double closeness = 0;
  for (std::size_t a = 0; a < groups_; ++a) {
    closeness += means_[sizes_at(a) + 1];
    for (std::size_t j = 0; j < parameters_; ++j) {
      gradient[j] += clip_norm_ * means_[gradient_at(a) + j];
    }
  }
  for (std::size_t j = 0; j < parameters_; ++j) {
    terms.bias[j] = clip_norm_ * means_[excess_at() + j];
  }
  std::vector<double> difference(parameters_);
  for (std::size_t a = 0; a < groups_; ++a) {
    const double share = std::max(means_[sizes_at(a)], least_share);
    for (std::size_t j = 0; j < parameters_; ++j) {
      difference[j] = clip_norm_ * means_[gradient_at(a) + j] / share - gradient[j];
    }
    const double bent = std::copysign(lambda, dot(difference, terms.bias));
    const double near = std::copysign(lambda, means_[sizes_at(a) + 1] / share - closeness);
    for (std::size_t r = 0; r < groups_; ++r) {
      const double weight = (r == a ? 1 / share : 0) - 1;
      terms.gradient_weights[r] += bent * weight;
      terms.closeness_weights[r] += near * weight;
    }
    for (std::size_t j = 0; j < parameters_; ++j) terms.unevenness[j] += bent * difference[j];
  }
  return terms;
}

}  // namespace dpfermi
