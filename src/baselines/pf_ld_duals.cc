#include "baselines/pf_ld_duals.h"

#include <algorithm>
#include <cmath>

namespace dpfermi {

PfLdDuals::PfLdDuals(const FairnessSetting& setting, std::vector<double> shares, std::size_t width,
                     bool accuracy)
    : setting_(setting),
      shares_(std::move(shares)),
      width_(width),
      accuracy_(accuracy),
      counts_(setting.conditions() * setting.groups),
      group_shares_(counts_.size()),
      gaps_(counts_.size() * width),
      multipliers_(gaps_.size()) {}

void PfLdDuals::update(const GroupSums& sums, double rate) {
  ++rounds_;
  const std::size_t k = setting_.groups;
  for (std::size_t c = 0; c < setting_.conditions(); ++c) {
    std::vector<double> totals(width_ + 1);
    for (std::size_t r = 0; r < k; ++r) {
      const std::span<const double> own = sums.of(c, r);
      for (std::size_t j = 0; j <= width_; ++j) totals[j] += own[j];
      counts_[c * k + r] += own[width_];
    }
    for (std::size_t r = 0; r < k; ++r) {
      const double count =
          std::max({counts_[c * k + r] / static_cast<double>(rounds_), sums.noise, 1.0});
      group_shares_[c * k + r] = count / totals[width_];
      for (std::size_t j = 0; j < width_; ++j) {
        const std::size_t at = (c * k + r) * width_ + j;
        gaps_[at] = sums.of(c, r)[j] / count - totals[j] / totals[width_];
        multipliers_[at] += rate * std::min(std::abs(gaps_[at]), kMostGap);
      }
    }
  }
}

std::vector<double> PfLdDuals::functionals() const {
  const std::size_t k = setting_.groups;
  const std::size_t out = setting_.width();
  std::vector<double> v(setting_.classes * k * out);
  const std::vector<std::uint32_t> condition = setting_.condition_by_label();
  for (std::size_t y = 0; y < setting_.classes; ++y) {
    const std::size_t c = condition[y];
    if (c == setting_.conditions()) continue;
    for (std::size_t j = 0; j < width_; ++j) {
      const auto asked = [&](std::size_t r) {
        const std::size_t at = (c * k + r) * width_ + j;
        return std::copysign(multipliers_[at], gaps_[at]);
      };
      double all = 0;
      for (std::size_t r = 0; r < k; ++r) all += asked(r);
      for (std::size_t r = 0; r < k; ++r) {
        const double weight = (asked(r) / group_shares_[c * k + r] - all) / shares_[c];
        double* own = v.data() + (y * k + r) * out;
        if (!accuracy_) {
          own[j] += weight;
        } else if (out == 1) {  // h = 1 - F_y, F kept as F_1
          own[0] += y == 1 ? -weight : weight;
        } else {
          own[y] -= weight;
        }
      }
    }
  }
  return v;
}

}  // namespace dpfermi
