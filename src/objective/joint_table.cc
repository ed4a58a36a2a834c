#include "objective/joint_table.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <type_traits>

namespace dpfermi {
namespace {

/// Entry j of a vector over classes, given its coordinates.
double class_entry(const double* coordinates, std::size_t j, std::size_t classes) {
  if (classes > 2) return coordinates[j];
  return (j == 1 ? 1 : -1) * coordinates[0] / std::sqrt(2.0);
}

void blend(std::span<const double> latest, double rate, std::span<double> smoothed) {
  for (std::size_t i = 0; i < latest.size(); ++i) smoothed[i] += rate * (latest[i] - smoothed[i]);
}

}  // namespace

JointTable::JointTable(FairnessSetting setting, const GroupMarginals& marginals,
                       bool public_features)
    : setting_(setting), marginals_(marginals), public_features_(public_features) {
  latest_.resize(setting_.conditions() * setting_.groups * setting_.width());
  smoothed_ = latest_;
  latest_mean_.resize(setting_.conditions() * setting_.width());
  smoothed_mean_ = latest_mean_;
}

double JointTable::bound() const {
  const auto rest = [](std::size_t count) { return 1 - 1 / static_cast<double>(count); };
  const double groups = public_features_ ? rest(setting_.groups) : 1;
  return std::sqrt(groups * rest(setting_.classes)) * (1 + 0x1p-40);
}

void JointTable::write_rows(std::span<const std::uint32_t> conditions,
                            std::span<const std::uint32_t> cells, std::span<const double> f,
                            std::span<const double> weights, std::size_t stride,
                            std::span<double> out) const {
  const std::size_t k = setting_.groups;
  const std::size_t width = setting_.width();
  const double centre = public_features_ ? 1 / static_cast<double>(k) : 0;
  const double scale = setting_.classes == 2 ? std::sqrt(2.0) : 1;
  const double uniform = 1 / static_cast<double>(setting_.classes);
  const bool everybody = setting_.unconditional();
  for (std::size_t e = 0; e < latest_.size(); ++e) {
    const std::size_t j = e % width;
    const auto cell = static_cast<std::uint32_t>(e / width);
    const auto condition = static_cast<std::uint32_t>(cell / k);
    // All by value: what is written must not seem to change the rest.
    const auto write = [=, column = out.data() + e * stride](auto step, auto met) {
      for (std::size_t i = 0; i < cells.size(); ++i) {
        const double direction = (cells[i] == cell ? 1 - centre : -centre) * scale;
        const double value = weights[i] * (direction * (f[i * step + j] - uniform));
        column[i] = met || conditions[i] == condition ? value : 0;
      }
    };
    if (everybody && width == 1) {
      write(std::integral_constant<std::size_t, 1>(), std::true_type());
    } else {
      write(width, std::false_type());
    }
  }
}

void JointTable::add(std::span<const double> sums, double units, std::span<const double> f_sums,
                     std::span<const double> weight_sums, double noise, double rate) {
  const std::size_t k = setting_.groups;
  const std::size_t width = setting_.width();
  const std::size_t l = setting_.classes;
  for (std::size_t c = 0; c < setting_.conditions(); ++c) {
    const double expected = units * marginals_.shares[c];
    for (std::size_t j = 0; j < width; ++j) {
      double mean = 0;
      for (std::size_t r = 0; r < k; ++r) {
        const std::size_t at = (c * k + r) * width + j;
        latest_[at] = expected > 0 ? sums[at] / expected : 0;
        mean += latest_[at] / static_cast<double>(k);
      }
      if (!public_features_) {
        latest_mean_[c * width + j] = mean * static_cast<double>(k);
        continue;
      }
      // The rows of a condition sum to zero by construction; what they do not is noise.
      for (std::size_t r = 0; r < k; ++r) latest_[(c * k + r) * width + j] -= mean;
      // A batch without the condition says nothing new. What is taken then is part of state(): a
      // run that goes on from a checkpoint takes the same.
      double& latest = latest_mean_[c * width + j];
      latest = smoothed_mean_[c * width + j];
      if (weight_sums[c] > 0) {
        const double f = f_sums[c * width + j] / weight_sums[c];
        latest = l == 2 ? std::sqrt(2.0) * (f - 0.5) : f - 1 / static_cast<double>(l);
      }
    }
  }
  noise_variance_ = std::pow(1 - rate, 2) * noise_variance_ + std::pow(rate * noise / units, 2);
  blend(latest_, rate, smoothed_);
  blend(latest_mean_, rate, smoothed_mean_);
}

std::vector<double> JointTable::joint(std::span<const double> centred,
                                      std::span<const double> mean) const {
  const std::size_t k = setting_.groups;
  const std::size_t l = setting_.classes;
  const std::size_t width = setting_.width();
  std::vector<double> table(setting_.w_size());
  for (std::size_t cell = 0; cell < setting_.conditions() * k; ++cell) {
    const std::size_t c = cell / k;
    for (std::size_t j = 0; j < l; ++j) {
      double entry = class_entry(centred.data() + cell * width, j, l) +
                     marginals_.groups[cell] / static_cast<double>(l);
      if (public_features_) {
        entry += class_entry(mean.data() + c * width, j, l) / static_cast<double>(k);
      }
      table[cell * l + j] = entry;
    }
  }
  return table;
}

std::vector<double> JointTable::latest_mean() const {
  const std::size_t l = setting_.classes;
  std::vector<double> mean(setting_.conditions() * l);
  for (std::size_t i = 0; i < mean.size(); ++i) {
    const double* coordinates = latest_mean_.data() + i / l * setting_.width();
    mean[i] = class_entry(coordinates, i % l, l) + 1 / static_cast<double>(l);
  }
  return mean;
}

std::vector<double> JointTable::smoothed_noise() const {
  std::vector<double> noise;
  for (const double share : marginals_.shares) {
    const double entry = share > 0 ? std::sqrt(noise_variance_) / share : 0;
    noise.push_back(setting_.classes == 2 ? entry / std::sqrt(2.0) : entry);
  }
  return noise;
}

std::vector<double> JointTable::state() const {
  std::vector<double> all(smoothed_);
  all.insert(all.end(), smoothed_mean_.begin(), smoothed_mean_.end());
  all.push_back(noise_variance_);
  return all;
}

void JointTable::restore(std::span<const double> state) {
  assert(state.size() == smoothed_.size() + smoothed_mean_.size() + 1);
  std::ranges::copy(state.first(smoothed_.size()), smoothed_.begin());
  std::ranges::copy(state.subspan(smoothed_.size(), smoothed_mean_.size()), smoothed_mean_.begin());
  noise_variance_ = state.back();
}

}  // namespace dpfermi
