#include "baselines/rate_constraints.h"

#include <algorithm>

#include "objective/row_gradients.h"

namespace dpfermi {

RateConstraints::RateConstraints(const FairnessSetting& setting, std::vector<double> sizes)
    : setting_(setting), sizes_(std::move(sizes)), multipliers_(setting.w_size()) {}

double RateConstraints::others(std::size_t c, std::size_t r) const {
  double sum = 0;
  for (std::size_t other = 0; other < setting_.groups; ++other) {
    if (other != r) sum += sizes_[c * setting_.groups + other];
  }
  return sum;
}

std::vector<double> RateConstraints::gaps(std::span<const double> histogram) const {
  const std::size_t k = setting_.groups;
  const std::size_t l = setting_.classes;
  std::vector<double> result(histogram.size());
  for (std::size_t c = 0; c < setting_.conditions(); ++c) {
    for (std::size_t j = 0; j < l; ++j) {
      double all = 0;
      for (std::size_t r = 0; r < k; ++r) all += histogram[(c * k + r) * l + j];
      for (std::size_t r = 0; r < k; ++r) {
        const double own = histogram[(c * k + r) * l + j];
        result[(c * k + r) * l + j] = own / sizes_[c * k + r] - (all - own) / others(c, r);
      }
    }
  }
  return result;
}

void RateConstraints::update(std::span<const double> histogram, double rate, double gamma) {
  const std::vector<double> gap = gaps(histogram);
  for (std::size_t i = 0; i < gap.size(); ++i) {
    const double moved = multipliers_[i] + rate * (std::clamp(gap[i], 0.0, 1.0) - gamma);
    multipliers_[i] = std::max(0.0, moved);
  }
}

std::vector<double> RateConstraints::functionals() const {
  const std::size_t k = setting_.groups;
  const std::size_t l = setting_.classes;
  const std::size_t width = setting_.width();
  std::vector<double> v(l * k * width);
  const std::vector<std::uint32_t> condition = setting_.condition_by_label();
  for (std::size_t y = 0; y < l; ++y) {
    const std::size_t c = condition[y];
    if (c == setting_.conditions()) continue;
    for (std::size_t r = 0; r < k; ++r) {
      std::vector<double> asked(l);
      for (std::size_t j = 0; j < l; ++j) {
        for (std::size_t other = 0; other < k; ++other) {
          const double lambda = multipliers_[(c * k + other) * l + j];
          asked[j] += other == r ? lambda / sizes_[c * k + r] : -lambda / others(c, other);
        }
      }
      add_functional(asked, 1, std::span(v).subspan((y * k + r) * width, width));
    }
  }
  return v;
}

}  // namespace dpfermi
