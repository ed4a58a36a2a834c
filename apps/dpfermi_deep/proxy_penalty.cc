#include "proxy_penalty.h"

#include <algorithm>
#include <cmath>

namespace dpfermi::deep {

ProxyPenalty::ProxyPenalty(std::span<const float> proxies, std::size_t groups, std::size_t classes,
                           std::span<const std::uint16_t> conditions, std::size_t condition_count)
    : proxies_(proxies),
      groups_(groups),
      classes_(classes),
      conditions_(conditions),
      marginals_(condition_count * groups),
      joint_(condition_count * groups * classes),
      mean_(condition_count * classes) {}

void ProxyPenalty::set_marginals(std::span<const std::uint32_t> rows) {
  std::vector<double> counts(marginals_.size() / groups_);
  std::ranges::fill(marginals_, 0.0);
  for (const std::uint32_t row : rows) {
    const std::size_t c = conditions_[row];
    if (c >= counts.size()) continue;
    counts[c] += 1;
    for (std::size_t r = 0; r < groups_; ++r) {
      marginals_[c * groups_ + r] += static_cast<double>(proxies_[row * groups_ + r]);
    }
  }
  for (std::size_t i = 0; i < marginals_.size(); ++i) {
    marginals_[i] /= std::max(counts[i / groups_], 1.0);
  }
}

std::vector<float> ProxyPenalty::functionals(std::span<const std::uint32_t> rows,
                                             double lambda) const {
  std::vector<float> out(rows.size() * classes_);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t c = conditions_[rows[i]];
    if (c * groups_ >= marginals_.size()) continue;
    for (std::size_t r = 0; r < groups_; ++r) {
      const double p = marginals_[c * groups_ + r];
      if (!(p > 0)) continue;
      const double pull = 2 * static_cast<double>(proxies_[rows[i] * groups_ + r]) / std::sqrt(p);
      for (std::size_t j = 0; j < classes_; ++j) {
        const double share = mean_[c * classes_ + j];
        if (!(share > 0)) continue;
        const double w = joint_[(c * groups_ + r) * classes_ + j] / (share * std::sqrt(p));
        out[i * classes_ + j] += static_cast<float>(lambda * w * (pull - w));
      }
    }
  }
  return out;
}

void ProxyPenalty::add(std::span<const std::uint32_t> rows, std::span<const float> f, double rate) {
  for (double& value : joint_) value *= 1 - rate;
  for (double& value : mean_) value *= 1 - rate;
  const double weight = rate / static_cast<double>(std::max<std::size_t>(rows.size(), 1));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t c = conditions_[rows[i]];
    if (c * groups_ >= marginals_.size()) continue;
    for (std::size_t j = 0; j < classes_; ++j) {
      const double part = weight * static_cast<double>(f[i * classes_ + j]);
      mean_[c * classes_ + j] += part;
      for (std::size_t r = 0; r < groups_; ++r) {
        joint_[(c * groups_ + r) * classes_ + j] +=
            part * static_cast<double>(proxies_[rows[i] * groups_ + r]);
      }
    }
  }
}

}  // namespace dpfermi::deep
