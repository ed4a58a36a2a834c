#include "sketch/violation_bounds.h"

#include <Eigen/Cholesky>
#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <numeric>

#include "sketch/max_entropy.h"
#include "sketch/phi_entries.h"
#include "sketch/sketch_defaults.h"

namespace dpfermi {
namespace {

using GoesOn = std::function<bool()>;

/// What one condition and one group of a sketch say about the sum of u.
class CellRegression {
 public:
  /// `rows` are those of the condition.
  CellRegression(const Dataset& data, const FittedProxy& fitted, std::size_t condition,
                 std::size_t group, std::span<const std::uint32_t> rows, const GoesOn& goes_on)
      : units_(data), data_(&data), fitted_(&fitted), group_(group), rows_(rows) {
    const GroupSums& sums = *fitted.sums;
    const std::span<const double> own = sums.of(condition, group);
    left_.assign(own.begin(), own.end());
    for (const std::uint32_t row : rows_) {
      const double part = weight(row) * p(row);
      for_phi(*fitted.features, row, [&](std::size_t j, double v) { left_[j] -= part * v; });
    }
    complete_ = solve_once(goes_on);
  }

  /// Otherwise it was told to stop, and has no answers.
  bool complete() const { return complete_; }

  struct Answer {
    double sum = 0;       ///< of u over the group
    double variance = 0;  ///< of its error
  };

  Answer operator()(std::span<const double> u) const {
    Eigen::VectorXd explained = Eigen::VectorXd::Zero(gamma_.size());
    for (const std::uint32_t row : rows_) {
      const double part = spread(row) * u[row];
      for_phi(*fitted_->features, row,
              [&](std::size_t j, double v) { explained[index(j)] += part * v; });
    }
    Eigen::VectorXd a = Eigen::VectorXd::Zero(gamma_.size());
    for (int pass = 0; pass < 4; ++pass) {
      a = squares_.solve(explained + gamma_.cwiseProduct(a));
    }
    const double k = static_cast<double>(fitted_->conditions.groups);
    const double noise = fitted_->sums->noise;
    Answer answer;
    for (std::size_t j = 0; j < left_.size(); ++j) answer.sum += left_[j] * a[index(j)];
    answer.variance = (1 - 1 / k) * noise * noise * a.squaredNorm();
    for (const std::uint32_t row : rows_) {
      const double rest = u[row] - dot(row, a);
      answer.sum += weight(row) * p(row) * u[row];
      answer.variance += spread(row) * rest * rest;
    }
    return answer;
  }

 private:
  double weight(std::uint32_t row) const { return units_.weight(data_->units[row]); }
  double p(std::uint32_t row) const {
    return fitted_->proxy[row * fitted_->conditions.groups + group_];
  }
  double spread(std::uint32_t row) const { return weight(row) * p(row) * (1 - p(row)); }
  static Eigen::Index index(std::size_t j) { return static_cast<Eigen::Index>(j); }
  double dot(std::uint32_t row, const Eigen::VectorXd& a) const {
    double sum = 0;
    for_phi(*fitted_->features, row, [&](std::size_t j, double v) { sum += v * a[index(j)]; });
    return sum;
  }

  /// The regression on phi of whatever u: sums of squares and products, held back in all but kappa.
  /// False where it was told to stop.
  bool solve_once(const GoesOn& goes_on) {
    constexpr std::size_t kPiece = std::size_t{1} << 28;  // products between questions
    struct Entry {
      Eigen::Index j;
      double value;
    };
    const Eigen::Index size = index(left_.size());
    const double gamma = defaults::kProxyRegularisation * std::sqrt(2.0) * fitted_->sums->noise;
    gamma_ = Eigen::VectorXd::Constant(size, gamma);
    gamma_[size - 1] = 0;
    Eigen::MatrixXd products = gamma_.asDiagonal();
    std::vector<Entry> phi;
    std::size_t products_made = 0;
    for (const std::uint32_t row : rows_) {
      if (products_made >= kPiece) {
        if (goes_on && !goes_on()) return false;
        products_made = 0;
      }
      const double part = spread(row);
      phi.clear();
      for_phi(*fitted_->features, row, [&](std::size_t j, double v) {
        phi.push_back({index(j), v});
      });
      for (const Entry& column : phi) {
        double* out = products.col(column.j).data();
        for (const Entry& entry : phi) out[entry.j] += part * column.value * entry.value;
      }
      products_made += phi.size() * phi.size();
    }
    squares_.compute(products);
    return true;
  }

  UnitRows units_;
  const Dataset* data_;
  const FittedProxy* fitted_;
  std::size_t group_;
  std::span<const std::uint32_t> rows_;
  std::vector<double> left_;  ///< A_r - sum w p~ phi
  Eigen::VectorXd gamma_;
  Eigen::LDLT<Eigen::MatrixXd> squares_;
  bool complete_ = false;
};

/// Rates of decisions as a fitted proxy has them, with their errors.
class ProxyRates {
 public:
  ProxyRates(const Dataset& data, const FairnessSetting& wanted, const FittedProxy& fitted,
             std::vector<std::uint16_t> decisions, GoesOn goes_on)
      : data_(&data),
        fitted_(&fitted),
        setting_(wanted),
        units_(data),
        decisions_(std::move(decisions)),
        goes_on_(std::move(goes_on)),
        rows_(fitted.conditions.conditions() + 1) {
    const std::vector<std::uint32_t> own = fitted.conditions.condition_by_label();
    for (std::uint32_t row = 0; row < data.rows(); ++row) rows_[own[data.y[row]]].push_back(row);
  }

  /// Nothing where the caller asked to stop.
  std::optional<NoisyRates> all() const {
    NoisyRates noisy{
        {}, known_groups(*fitted_->features, *fitted_->sums, fitted_->conditions, setting_)};
    for (std::size_t c = 0; c < setting_.conditions(); ++c) {
      for (std::size_t r = 0; r < setting_.groups; ++r) {
        const bool known = noisy.known[c * setting_.groups + r];
        if (goes_on_ && !goes_on_()) return std::nullopt;
        if (!add_cell(fitted_->conditions.parts_of(setting_, c), r, known, noisy)) {
          return std::nullopt;
        }
      }
    }
    return noisy;
  }

 private:
  bool add_cell(const std::vector<std::size_t>& parts, std::size_t r, bool known,
                NoisyRates& noisy) const {
    const double kappa = fitted_->features->spec().kappa;
    double count = 0;
    std::vector<double> shares(setting_.classes);
    std::vector<CellRegression> cells;
    for (const std::size_t c : parts) {
      cells.emplace_back(*data_, *fitted_, c, r, rows_[c], goes_on_);
      if (!cells.back().complete()) return false;
      count += fitted_->sums->of(c, r).back() / kappa;
      for (const std::uint32_t row : rows_[c]) {
        shares[decisions_[row]] +=
            units_.weight(data_->units[row]) * fitted_->proxy[row * setting_.groups + r];
      }
    }
    const double mass = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (std::size_t j = setting_.width() == 1 ? 1 : 0; j < setting_.classes; ++j) {
      NoisyRate rate;
      // Rates of a group that is not told from noise enter no comparison, and may not exist.
      if (known && mass > 0) {
        rate = rate_of(cells, j, shares[j] / mass, count);
      }
      noisy.rates.push_back(rate);
    }
    return true;
  }

  /// `first` is the rate without what the proxy left of the sums.
  NoisyRate rate_of(const std::vector<CellRegression>& cells, std::size_t j, double first,
                    double count) const {
    std::vector<double> u(data_->rows());
    for (std::size_t row = 0; row < u.size(); ++row)
      u[row] = (decisions_[row] == j ? 1 : 0) - first;
    double sum = 0;
    double variance = 0;
    for (const CellRegression& cell : cells) {
      const CellRegression::Answer answer = cell(u);
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
  GoesOn goes_on_;
  std::vector<std::vector<std::uint32_t>> rows_;  ///< by condition of the sketch
};

}  // namespace

void for_differences(const FairnessSetting& setting, const NoisyRates& noisy,
                     const std::function<void(std::size_t, std::size_t)>& visit) {
  const std::size_t k = setting.groups;
  const std::size_t width = setting.width();
  for (std::size_t c = 0; c < setting.conditions(); ++c) {
    for (std::size_t j = 0; j < width; ++j) {
      if (width > 1 && !setting.compares(j)) continue;
      for (std::size_t r = 1; r < k; ++r) {
        for (std::size_t other = 0; other < r; ++other) {
          if (!noisy.known[c * k + r] || !noisy.known[c * k + other]) continue;
          visit((c * k + r) * width + j, (c * k + other) * width + j);
        }
      }
    }
  }
}

NoisyRates queried_rates(const FairnessSetting& setting, const GroupSums& decisions,
                         std::span<const double> counts, double count_deviation,
                         std::vector<bool> known) {
  const std::size_t k = setting.groups;
  const double spread = std::sqrt(1 - 1 / static_cast<double>(k));
  const double share = 1 / static_cast<double>(setting.classes);
  const double scale = setting.width() == 1 ? 0.5 : std::sqrt(1 - share);
  NoisyRates noisy{{}, std::move(known)};
  for (std::size_t cell = 0; cell < setting.conditions() * k; ++cell) {
    for (const double sum : decisions.of(cell / k, cell % k)) {
      const double mean = sum / counts[cell];
      const double noise =
          std::hypot(decisions.noise * spread, mean * count_deviation) / counts[cell];
      noisy.rates.push_back({share + scale * mean, scale * noise});
    }
  }
  return noisy;
}

NoisyRates queried_rates(const FairnessSetting& setting, const GroupSums& decisions,
                         const SketchFeatures& features, const GroupSums& sketch) {
  const double kappa = features.spec().kappa;
  const double spread = std::sqrt(1 - 1 / static_cast<double>(setting.groups));
  std::vector<double> counts;
  for (std::size_t cell = 0; cell < setting.conditions() * setting.groups; ++cell) {
    counts.push_back(sketch.of(cell / setting.groups, cell % setting.groups).back() / kappa);
  }
  return queried_rates(setting, decisions, counts, sketch.noise * spread / kappa,
                       known_groups(features, sketch, setting, setting));
}

std::optional<ViolationInterval> violation_interval(const FairnessSetting& setting,
                                                    const NoisyRates& noisy, double confidence) {
  const std::size_t pairs = setting.groups * (setting.groups - 1) / 2;
  const double tail =
      (1 - confidence) / 2 / static_cast<double>(setting.conditions() * pairs * setting.width());
  const double z = boost::math::quantile(boost::math::complement(boost::math::normal(), tail));
  ViolationInterval interval{0, 0, confidence};
  bool compared = false;
  for_differences(setting, noisy, [&](std::size_t first, std::size_t second) {
    compared = true;
    const NoisyRate& a = noisy.rates[first];
    const NoisyRate& b = noisy.rates[second];
    const double gap = std::abs(std::clamp(a.value, 0.0, 1.0) - std::clamp(b.value, 0.0, 1.0));
    const double room = z * (a.deviation + b.deviation);
    interval.low = std::max(interval.low, gap - room);
    interval.high = std::max(interval.high, gap + room);
  });
  if (!compared) return std::nullopt;
  interval.high = std::min(interval.high, 1.0);
  return interval;
}

std::optional<ViolationInterval> proxy_violation_interval(
    const Dataset& data, const FairnessSetting& setting, const FittedProxy& fitted,
    std::vector<std::uint16_t> decisions, const std::function<bool()>& goes_on, double confidence) {
  const auto rates = ProxyRates(data, setting, fitted, std::move(decisions), goes_on).all();
  if (!rates) return std::nullopt;
  std::optional<ViolationInterval> interval = violation_interval(setting, *rates, confidence);
  if (interval) interval->by_proxy = true;
  return interval;
}

}  // namespace dpfermi
