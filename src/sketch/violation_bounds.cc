#include "sketch/violation_bounds.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>

#include "model/decisions.h"
#include "sketch/max_entropy.h"
#include "sketch/minimise.h"
#include "sketch/phi_entries.h"
#include "sketch/sketch_defaults.h"

namespace dpfermi {
namespace {

/// A rate P(yhat = j | r, c) and the standard deviation of its error.
struct NoisyRate {
  double value = 0;
  double deviation = 0;
};

/// m x k x width, of which `known` says which are there (m x k).
struct NoisyRates {
  std::vector<NoisyRate> rates;
  std::vector<bool> known;
};

/// Rates are kept for every class, or for the second of two.
ViolationInterval widest_difference(const FairnessSetting& setting, const NoisyRates& noisy,
                                    double confidence) {
  const std::size_t k = setting.groups;
  const std::size_t width = setting.width();
  const std::size_t pairs = k * (k - 1) / 2;
  const double tail =
      (1 - confidence) / 2 / static_cast<double>(setting.conditions() * pairs * width);
  const double z = boost::math::quantile(boost::math::complement(boost::math::normal(), tail));
  ViolationInterval interval{0, 0, confidence};
  for (std::size_t c = 0; c < setting.conditions(); ++c) {
    for (std::size_t j = 0; j < width; ++j) {
      const bool counts = width == 1 || setting.compares(j);
      for (std::size_t r = 1; counts && r < k; ++r) {
        for (std::size_t other = 0; other < r; ++other) {
          if (!noisy.known[c * k + r] || !noisy.known[c * k + other]) continue;
          const NoisyRate& a = noisy.rates[(c * k + r) * width + j];
          const NoisyRate& b = noisy.rates[(c * k + other) * width + j];
          const double gap =
              std::abs(std::clamp(a.value, 0.0, 1.0) - std::clamp(b.value, 0.0, 1.0));
          const double room = z * (a.deviation + b.deviation);
          interval.low = std::max(interval.low, gap - room);
          interval.high = std::max(interval.high, gap + room);
        }
      }
    }
  }
  interval.high = std::min(interval.high, 1.0);
  return interval;
}

/// What one condition and one group of a sketch say about the sum of u.
class CellRegression {
 public:
  /// `rows` are those of the condition.
  CellRegression(const Dataset& data, const FittedProxy& fitted, std::size_t condition,
                 std::size_t group, std::span<const std::uint32_t> rows)
      : units_(data), data_(&data), fitted_(&fitted), group_(group), rows_(rows) {
    const GroupSums& sums = *fitted.sums;
    const std::span<const double> own = sums.of(condition, group);
    left_.assign(own.begin(), own.end());
    for (const std::uint32_t row : rows_) {
      const double part = weight(row) * p(row);
      for_phi(*fitted.features, row, [&](std::size_t j, double v) { left_[j] -= part * v; });
    }
  }

  struct Answer {
    double sum = 0;       ///< of u over the group
    double variance = 0;  ///< of its error
  };

  Result<Answer> operator()(std::span<const double> u) const {
    std::vector<double> a(left_.size());
    for (int pass = 0; pass < 4; ++pass) {
      const std::vector<double> centre = a;
      const SmoothFunction function = [&](std::span<const double> at, std::span<double> gradient) {
        return squares(u, at, centre, gradient);
      };
      DPFERMI_TRY(minimise(function, a, {200, 1e-7, 1e-9}));
    }
    const double k = static_cast<double>(fitted_->conditions.groups);
    const double noise = fitted_->sums->noise;
    Answer answer;
    for (std::size_t j = 0; j < a.size(); ++j) {
      answer.sum += left_[j] * a[j];
      answer.variance += (1 - 1 / k) * noise * noise * a[j] * a[j];
    }
    for (const std::uint32_t row : rows_) {
      const double rest = u[row] - dot(row, a);
      answer.sum += weight(row) * p(row) * u[row];
      answer.variance += weight(row) * p(row) * (1 - p(row)) * rest * rest;
    }
    return answer;
  }

 private:
  double weight(std::uint32_t row) const { return units_.weight(data_->units[row]); }
  double p(std::uint32_t row) const {
    return fitted_->proxy[row * fitted_->conditions.groups + group_];
  }
  double dot(std::uint32_t row, std::span<const double> a) const {
    double sum = 0;
    for_phi(*fitted_->features, row, [&](std::size_t j, double v) { sum += v * a[j]; });
    return sum;
  }

  /// The regression of u on phi, drawn to `centre` in all but kappa; per unit of weight.
  double squares(std::span<const double> u, std::span<const double> a,
                 std::span<const double> centre, std::span<double> gradient) const {
    const double gamma = defaults::kProxyRegularisation * std::sqrt(2.0) * fitted_->sums->noise;
    const double n = static_cast<double>(rows_.size());
    std::ranges::fill(gradient, 0.0);
    double value = 0;
    for (const std::uint32_t row : rows_) {
      const double w = weight(row) * p(row) * (1 - p(row));
      const double rest = u[row] - dot(row, a);
      value += w * rest * rest / 2;
      const double slope = w * rest / n;
      for_phi(*fitted_->features, row, [&](std::size_t j, double v) { gradient[j] -= slope * v; });
    }
    for (std::size_t j = 0; j + 1 < a.size(); ++j) {
      const double away = a[j] - centre[j];
      value += gamma * away * away / 2;
      gradient[j] += gamma * away / n;
    }
    return value / n;
  }

  UnitRows units_;
  const Dataset* data_;
  const FittedProxy* fitted_;
  std::size_t group_;
  std::span<const std::uint32_t> rows_;
  std::vector<double> left_;  ///< A_r - sum w p~ phi
};

/// Rates of decisions as a fitted proxy has them, with their errors.
class ProxyRates {
 public:
  ProxyRates(const Dataset& data, const FairnessSetting& wanted, const FittedProxy& fitted,
             std::vector<std::uint16_t> decisions)
      : data_(&data),
        fitted_(&fitted),
        setting_(wanted),
        units_(data),
        decisions_(std::move(decisions)),
        rows_(fitted.conditions.conditions() + 1) {
    const std::vector<std::uint32_t> own = fitted.conditions.condition_by_label();
    for (std::uint32_t row = 0; row < data.rows(); ++row) rows_[own[data.y[row]]].push_back(row);
  }

  Result<NoisyRates> all() const {
    NoisyRates noisy;
    for (std::size_t c = 0; c < setting_.conditions(); ++c) {
      for (std::size_t r = 0; r < setting_.groups; ++r) {
        DPFERMI_TRY(add_cell(parts_of(c), r, noisy));
      }
    }
    return noisy;
  }

 private:
  /// The conditions of the sketch that make up one of the notion.
  std::vector<std::size_t> parts_of(std::size_t condition) const {
    const std::vector<std::uint32_t> own = fitted_->conditions.condition_by_label();
    const std::vector<std::uint32_t> asked = setting_.condition_by_label();
    std::vector<std::size_t> parts;
    for (std::size_t y = 0; y < own.size(); ++y) {
      if (asked[y] != condition) continue;
      if (std::ranges::find(parts, own[y]) == parts.end()) parts.push_back(own[y]);
    }
    return parts;
  }

  Status add_cell(const std::vector<std::size_t>& parts, std::size_t r, NoisyRates& noisy) const {
    const double k = static_cast<double>(setting_.groups);
    const double kappa = fitted_->features->spec().kappa;
    double count = 0;
    std::vector<double> shares(setting_.classes);
    std::vector<CellRegression> cells;
    for (const std::size_t c : parts) {
      cells.emplace_back(*data_, *fitted_, c, r, rows_[c]);
      count += fitted_->sums->of(c, r).back() / kappa;
      for (const std::uint32_t row : rows_[c]) {
        shares[decisions_[row]] +=
            units_.weight(data_->units[row]) * fitted_->proxy[row * setting_.groups + r];
      }
    }
    const double noise =
        fitted_->sums->noise / kappa * std::sqrt((1 - 1 / k) * static_cast<double>(parts.size()));
    noisy.known.push_back(count > defaults::kKnownGroup * noise);
    const double mass = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (std::size_t j = setting_.width() == 1 ? 1 : 0; j < setting_.classes; ++j) {
      NoisyRate rate;
      // Rates of a group that is not told from noise enter no comparison, and may not exist.
      if (noisy.known.back() && mass > 0) {
        DPFERMI_ASSIGN(rate, rate_of(cells, j, shares[j] / mass, count));
      }
      noisy.rates.push_back(rate);
    }
    return {};
  }

  /// `first` is the rate without what the proxy left of the sums.
  Result<NoisyRate> rate_of(const std::vector<CellRegression>& cells, std::size_t j, double first,
                            double count) const {
    std::vector<double> u(data_->rows());
    for (std::size_t row = 0; row < u.size(); ++row)
      u[row] = (decisions_[row] == j ? 1 : 0) - first;
    double sum = 0;
    double variance = 0;
    for (const CellRegression& cell : cells) {
      DPFERMI_ASSIGN(const CellRegression::Answer answer, cell(u));
      sum += answer.sum;
      variance += answer.variance;
    }
    return NoisyRate{first + sum / count, std::sqrt(variance) / count};
  }

  const Dataset* data_;
  const FittedProxy* fitted_;
  FairnessSetting setting_;
  UnitRows units_;
  std::vector<std::uint16_t> decisions_;
  std::vector<std::vector<std::uint32_t>> rows_;  ///< by condition of the sketch
};

}  // namespace

ViolationInterval violation_interval(const FairnessSetting& setting, const GroupSums& decisions,
                                     const SketchFeatures& features, const GroupSums& sketch,
                                     double confidence) {
  const std::size_t k = setting.groups;
  const std::size_t width = setting.width();
  const double spread = std::sqrt(1 - 1 / static_cast<double>(k));
  const double kappa = features.spec().kappa;
  const double share = 1 / static_cast<double>(setting.classes);
  const double scale = width == 1 ? 0.5 : std::sqrt(1 - share);
  NoisyRates noisy{{}, known_groups(features, sketch)};
  for (std::size_t cell = 0; cell < setting.conditions() * k; ++cell) {
    const double count = sketch.of(cell / k, cell % k).back() / kappa;
    for (const double sum : decisions.of(cell / k, cell % k)) {
      const double mean = sum / count;
      const double noise =
          std::hypot(decisions.noise * spread, mean * sketch.noise * spread / kappa) / count;
      noisy.rates.push_back({share + scale * mean, scale * noise});
    }
  }
  return widest_difference(setting, noisy, confidence);
}

Result<ViolationInterval> proxy_violation_interval(
    const Dataset& data, const FairnessSetting& setting, const FittedProxy& fitted,
    const Network& network, std::span<const double> theta, double confidence) {
  const ProxyRates rates(data, setting, fitted, decisions_of(data.x, network, theta));
  DPFERMI_ASSIGN(const NoisyRates noisy, rates.all());
  ViolationInterval interval = widest_difference(setting, noisy, confidence);
  interval.by_proxy = true;
  return interval;
}

}  // namespace dpfermi
