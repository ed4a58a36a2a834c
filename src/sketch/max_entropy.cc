#include "sketch/max_entropy.h"

#include <algorithm>
#include <cmath>

#include "core/vector_math.h"
#include "data/unit_rows.h"
#include "sketch/log_partition.h"
#include "sketch/minimise.h"
#include "sketch/phi_entries.h"
#include "sketch/row_blocks.h"
#include "sketch/sketch_defaults.h"

namespace dpfermi {

/// The family of one condition, or of several taken together. Its parameters are rows of width o
/// (k, or 1 for two groups, where group 0 has logit 0): the columns of x, kappa, e, and the further
/// statistics.
class MaxEntropy::Condition {
 public:
  Condition(const MaxEntropy& all, std::vector<std::size_t> parts, std::vector<std::uint32_t> rows)
      : all_(&all),
        parts_(std::move(parts)),
        network_({all.features_->x().columns(), all.setting_.groups, {}}),
        blocks_(all.features_->x(), network_.spec(), std::move(rows)),
        units_(*all.data_) {}

  static constexpr std::size_t kMostSteps = 200;

  /// `centre` is what beta is drawn to; empty: zero.
  Result<Minimum> fit(std::vector<double> centre, Workers* workers, const Watch& watch) {
    prepare();
    centre_ = std::move(centre);
    centre_.resize(target_.size());
    if (beta_.empty()) beta_ = centre_;
    beta_.resize(target_.size());
    const SmoothFunction function = [&](std::span<const double> beta, std::span<double> gradient) {
      return evaluate(beta, gradient, workers);
    };
    const std::optional<Whitening> whitening = whiten(workers, watch);
    MinimiseOptions options{kMostSteps, 1e-7, 1e-9};
    if (whitening) options.whitening = &*whitening;
    if (watch) options.watch = [&](std::span<const double>) { return watch(); };
    return minimise(function, beta_, options);
  }

  const std::vector<double>& beta() const { return beta_; }

  void write(std::span<float> groups, Workers* workers) {
    const std::size_t k = all_->setting_.groups;
    const RowBlocks::Weights weights = weights_of(beta_);
    blocks_.sum(workers, {}, [&](RowBlocks::Block& block, std::span<double>) {
      std::vector<double> p(block.rows.size() * network_.outputs());
      logits(beta_, weights, block, p);
      probabilities(p, p);
      for (std::size_t i = 0; i < block.rows.size(); ++i) {
        float* out = groups.data() + std::size_t{block.rows[i]} * k;
        if (k == 2) {
          out[1] = static_cast<float>(p[i]);
          out[0] = static_cast<float>(1 - p[i]);
        } else {
          for (std::size_t r = 0; r < k; ++r) out[r] = static_cast<float>(p[i * k + r]);
        }
      }
    });
  }

 private:
  std::size_t width() const { return network_.outputs(); }

  /// Of the coordinates of phi, each of which has a row of beta and a gamma.
  std::optional<Whitening> whiten(Workers* workers, const Watch& watch) const {
    const SketchFeatures& features = *all_->features_;
    const std::size_t o = width();
    std::vector<double> ridge(target_.size() / o);
    for (std::size_t j = 0; j < ridge.size(); ++j) ridge[j] = 4 * gamma_[j * o] / weight_;
    const Whitening::Row row = [&](std::size_t i, auto& phi) {
      const std::uint32_t own = blocks_.rows()[i];
      const double t = features.factor(own);
      for_entries(features.x(), own,
                  [&](std::size_t j, double value) { phi.emplace_back(j, t * value); });
      phi.emplace_back(base_rows() - 1, features.spec().kappa);
      for_dense(own, [&](std::size_t start, std::span<const float> e, double factor) {
        for (std::size_t j = 0; j < e.size(); ++j) phi.emplace_back(start / o + j, factor * e[j]);
      });
      return units_.weight(all_->data_->units[own]);
    };
    return Whitening::create(blocks_.rows().size(), row, ridge, workers, watch);
  }

  std::size_t base_rows() const { return all_->features_->x().columns() + 1; }

  /// Appends the sums of coordinate j of `sums`, in the order of the outputs.
  void append(const GroupSums& sums, std::size_t j, double gamma) {
    const std::size_t o = width();
    for (std::size_t r = 0; r < o; ++r) {
      double sum = 0;
      for (const std::size_t c : parts_) sum += sums.of(c, o == 1 ? 1 : r)[j];
      target_.push_back(sum);
      gamma_.push_back(gamma);
    }
  }

  /// With one output beta stands for beta_1 - beta_0 = 2 beta_1: half as much squared, twice.
  double gamma(const GroupSums& sums) const {
    const double full = defaults::kProxyRegularisation *
                        std::sqrt(2.0 * static_cast<double>(parts_.size())) * sums.noise;
    return width() == 1 ? full / 2 : full;
  }

  void prepare() {
    target_.clear();
    gamma_.clear();
    const GroupSums& sums = all_->sums_;
    const std::size_t d = all_->features_->x().columns();
    const double own = gamma(sums);
    for (std::size_t j = 0; j < d; ++j) append(sums, j, own);
    append(sums, sums.size - 1, 0);
    for (std::size_t j = d; j + 1 < sums.size; ++j) append(sums, j, own);
    for (const DenseStatistic& more : all_->more_) {
      for (std::size_t j = 0; j < more.sums.size; ++j) append(more.sums, j, gamma(more.sums));
    }
    weight_ = 0;
    for (const std::uint32_t row : blocks_.rows())
      weight_ += units_.weight(all_->data_->units[row]);
  }

  /// Calls visit(first parameter, entries, factor) for the dense parts of a row's phi.
  template <class Visit>
  void for_dense(std::uint32_t row, const Visit& visit) const {
    const SketchFeatures& features = *all_->features_;
    std::size_t start = base_rows() * width();
    visit(start, features.extra(row), features.factor(row));
    start += features.extra_count() * width();
    for (const DenseStatistic& more : all_->more_) {
      const std::size_t size = more.sums.size;
      visit(start, std::span(more.columns).subspan(row * size, size), 1.0);
      start += size * width();
    }
  }

  RowBlocks::Weights weights_of(std::span<const double> beta) const {
    return blocks_.weights(beta.first(base_rows() * width()));
  }

  void logits(std::span<const double> beta, const RowBlocks::Weights& weights,
              RowBlocks::Block& block, std::span<double> out) const {
    const SketchFeatures& features = *all_->features_;
    const std::size_t o = width();
    const std::size_t base = base_rows() * o;
    blocks_.forward(weights, block, out);
    const std::span<const double> bias = beta.subspan(base - o, o);
    const double kappa = features.spec().kappa;
    const bool dense = beta.size() > base;
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      const double t = features.factor(block.rows[i]);
      const std::span<double> own = out.subspan(i * o, o);
      for (std::size_t r = 0; r < o; ++r) own[r] = t * (own[r] - bias[r]) + kappa * bias[r];
      if (!dense) continue;
      for_dense(block.rows[i], [&](std::size_t start, std::span<const float> e, double factor) {
        for (std::size_t j = 0; j < e.size(); ++j) {
          for (std::size_t r = 0; r < o; ++r) own[r] += factor * e[j] * beta[start + j * o + r];
        }
      });
    }
  }

  void probabilities(std::span<const double> logits, std::span<double> p) const {
    if (width() == 1) {
      sigmoid(logits, 1, p);
    } else {
      softmax(logits, width(), 1, p);
    }
  }

  /// sums: the value, then the gradient from the bias on; that of x is left to the products.
  void add_block(std::span<const double> beta, const RowBlocks::Weights& weights,
                 RowBlocks::Block& block, std::span<double> sums) const {
    const SketchFeatures& features = *all_->features_;
    const std::size_t o = width();
    const std::size_t n = block.rows.size();
    std::vector<double> z(n * o);
    std::vector<double> p(n * o);
    logits(beta, weights, block, z);
    probabilities(z, p);
    const std::size_t base = base_rows() * o;
    const double kappa = features.spec().kappa;
    const std::span<double> deltas = block.factors.deltas(0);
    const std::span<double> bias = sums.subspan(1, o);
    const bool dense = beta.size() > base;
    for (std::size_t i = 0; i < n; ++i) {
      const double t = features.factor(block.rows[i]);
      const double weight = units_.weight(all_->data_->units[block.rows[i]]);
      sums[0] += weight * log_partition(std::span<const double>(z).subspan(i * o, o),
                                        std::span<const double>(p).subspan(i * o, o));
      for (std::size_t r = 0; r < o; ++r) {
        p[i * o + r] *= weight;
        deltas[i * o + r] = t * p[i * o + r];
        bias[r] += kappa * p[i * o + r];
      }
      if (!dense) continue;
      for_dense(block.rows[i], [&](std::size_t start, std::span<const float> e, double factor) {
        double* out = sums.data() + 1 + o + start - base;
        for (std::size_t j = 0; j < e.size(); ++j) {
          for (std::size_t r = 0; r < o; ++r) out[j * o + r] += factor * e[j] * p[i * o + r];
        }
      });
    }
  }

  double evaluate(std::span<const double> beta, std::span<double> gradient, Workers* workers) {
    const std::size_t before_bias = (base_rows() - 1) * width();
    const RowBlocks::Weights weights = weights_of(beta);
    std::vector<double> sums(1 + beta.size() - before_bias);
    std::ranges::fill(gradient, 0.0);
    const auto add = [&](RowBlocks::Block& block, std::span<double> part) {
      add_block(beta, weights, block, part);
    };
    blocks_.sum_products(workers, sums, gradient.first(base_rows() * width()), add,
                         team_of(workers));
    // The network's bias has the input 1; here it is kappa.
    std::ranges::copy(std::span(sums).subspan(1), gradient.subspan(before_bias).begin());
    double value = sums[0];
    for (std::size_t i = 0; i < beta.size(); ++i) {
      const double away = beta[i] - centre_[i];
      value += gamma_[i] * away * away / 2 - target_[i] * beta[i];
      gradient[i] = (gradient[i] - target_[i] + gamma_[i] * away) / weight_;
    }
    return value / weight_;
  }

  const MaxEntropy* all_;
  std::vector<std::size_t> parts_;
  Network network_;
  RowBlocks blocks_;
  UnitRows units_;
  std::vector<double> target_, gamma_, centre_, beta_;
  double weight_ = 1;
};

MaxEntropy::MaxEntropy(const Dataset& data, const SketchFeatures& features,
                       const FairnessSetting& setting, GroupSums sums)
    : data_(&data), features_(&features), setting_(setting), sums_(std::move(sums)) {
  known_ = known_groups(features, sums_, setting, setting);
  settle_shares();
  settle(sums_);
  const std::vector<std::uint32_t> condition = setting.condition_by_label();
  std::vector<std::vector<std::uint32_t>> rows(setting.conditions() + 1);
  for (std::uint32_t row = 0; row < data.rows(); ++row) {
    rows[condition[data.y[row]]].push_back(row);
  }
  rows.pop_back();
  if (rows.size() > 1) {
    std::vector<std::size_t> parts;
    std::vector<std::uint32_t> together;
    for (std::size_t c = 0; c < rows.size(); ++c) {
      parts.push_back(c);
      together.insert(together.end(), rows[c].begin(), rows[c].end());
    }
    pooled_ = std::make_unique<Condition>(*this, std::move(parts), std::move(together));
  }
  for (std::size_t c = 0; c < rows.size(); ++c) {
    conditions_.push_back(
        std::make_unique<Condition>(*this, std::vector<std::size_t>{c}, std::move(rows[c])));
  }
}

MaxEntropy::~MaxEntropy() = default;

void MaxEntropy::settle_shares() {
  const std::size_t k = setting_.groups;
  const double kappa = features_->spec().kappa;
  const double least = std::max(1.0, sums_.noise / kappa);
  shares_.resize(known_.size());
  for (std::size_t c = 0; c < setting_.conditions(); ++c) {
    double everybody = 0;
    double seen = 0;
    for (std::size_t r = 0; r < k; ++r) {
      const double count = sums_.of(c, r).back() / kappa;
      everybody += count;
      seen += known_[c * k + r] ? count : 0;
    }
    for (std::size_t cell = c * k; cell < (c + 1) * k; ++cell) {
      const double count = sums_.of(c, cell - c * k).back() / kappa;
      if (known_[cell]) {
        shares_[cell] = count / seen;
      } else {
        shares_[cell] = std::min(least / std::max(everybody, 1.0), 1 / static_cast<double>(k));
      }
    }
  }
}

void MaxEntropy::settle(GroupSums& sums) const {
  const std::size_t k = setting_.groups;
  for (std::size_t c = 0; c < setting_.conditions(); ++c) {
    double* block = sums.sums.data() + c * k * sums.size;
    for (std::size_t j = 0; j < sums.size; ++j) {
      double total = 0;
      for (std::size_t r = 0; r < k; ++r) total += block[r * sums.size + j];
      double left = 0;
      for (std::size_t r = 0; r < k; ++r) {
        double& own = block[r * sums.size + j];
        if (known_[c * k + r]) continue;
        left += own - shares_[c * k + r] * total;
        own = shares_[c * k + r] * total;
      }
      for (std::size_t r = 0; r < k; ++r) {
        if (known_[c * k + r]) block[r * sums.size + j] += shares_[c * k + r] * left;
      }
    }
  }
}

void MaxEntropy::add(DenseStatistic statistic) {
  settle(statistic.sums);
  more_.push_back(std::move(statistic));
}

std::size_t MaxEntropy::most_steps() const {
  return (conditions_.size() + (pooled_ == nullptr ? 0 : 1)) * Condition::kMostSteps;
}

std::vector<float> MaxEntropy::parameters() const {
  std::vector<float> all;
  for (const std::unique_ptr<Condition>& condition : conditions_) {
    for (const double value : condition->beta()) all.push_back(static_cast<float>(value));
  }
  return all;
}

Result<std::vector<float>> MaxEntropy::fit(Workers* workers, const Watch& watch) {
  const std::size_t k = setting_.groups;
  std::vector<float> groups(data_->rows() * k, 1 / static_cast<float>(k));
  std::vector<double> centre;
  if (pooled_ != nullptr) {
    DPFERMI_ASSIGN(const Minimum minimum, pooled_->fit({}, workers, watch));
    if (minimum.stopped) return groups;
    centre = pooled_->beta();
  }
  for (const std::unique_ptr<Condition>& condition : conditions_) {
    DPFERMI_ASSIGN(const Minimum minimum, condition->fit(centre, workers, watch));
    condition->write(groups, workers);
    if (minimum.stopped) break;
  }
  return groups;
}

std::vector<bool> known_groups(const SketchFeatures& features, const GroupSums& sums,
                               const FairnessSetting& own, const FairnessSetting& wanted) {
  const double kappa = features.spec().kappa;
  const double deviation = sums.noise * std::sqrt(1 - 1 / static_cast<double>(sums.groups)) / kappa;
  std::vector<bool> known;
  for (std::size_t c = 0; c < wanted.conditions(); ++c) {
    const std::vector<std::size_t> parts = own.parts_of(wanted, c);
    const double noise = deviation * std::sqrt(static_cast<double>(parts.size()));
    for (std::size_t r = 0; r < sums.groups; ++r) {
      double count = 0;
      for (const std::size_t part : parts) count += sums.of(part, r).back() / kappa;
      known.push_back(count > defaults::kKnownGroup * noise);
    }
  }
  return known;
}

}  // namespace dpfermi
