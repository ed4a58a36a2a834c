#include "dpfermi/sketch/proxy_objective.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dpfermi/data/unit_rows.h"
#include "dpfermi/objective/row_gradients.h"
#include "dpfermi/sketch/defaults.h"
#include "sketch/log_partition.h"
#include "sketch/row_blocks.h"

namespace dpfermi {
namespace {

std::vector<std::uint32_t> all_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

/// Cross-entropy of one row's outputs z, given its probabilities p.
double row_loss(std::span<const double> z, std::span<const double> p, std::size_t y) {
  const double own = z.size() > 1 ? z[y] : (y == 1 ? z[0] : 0);
  return log_partition(z, p) - own;
}

/// One-hot decisions, rows x width.
void decide(std::span<const double> outputs, std::size_t width, std::span<double> f) {
  for (std::size_t start = 0; start < outputs.size(); start += width) {
    if (width == 1) {
      f[start] = outputs[start] > 0 ? 1 : 0;
      continue;
    }
    const std::span<const double> own = outputs.subspan(start, width);
    const auto best = static_cast<std::size_t>(std::ranges::max_element(own) - own.begin());
    for (std::size_t j = 0; j < width; ++j) f[start + j] = j == best ? 1 : 0;
  }
}

/// block (k x l) += weight p~_r F_j of one row.
void add_joint(std::span<const double> f, std::size_t classes, double weight,
               std::span<const float> groups, std::span<double> block) {
  for (std::size_t r = 0; r < groups.size(); ++r) {
    const double part = weight * groups[r];
    double* out = block.data() + r * classes;
    if (f.size() == 1) {
      out[1] += part * f[0];
      out[0] += part * (1 - f[0]);
    } else {
      for (std::size_t j = 0; j < f.size(); ++j) out[j] += part * f[j];
    }
  }
}

/// ERMI of one condition among the groups that are known: adds factor d / d P(j, r) to `slopes`.
/// With Q = P / p_K over the known groups K, sum_{j,r} Q(j,r)^2 / (Q(j) q_r) - 1.
double add_ermi(std::span<const double> joint, std::span<const double> p,
                const std::vector<bool>& known, double factor, std::span<double> slopes) {
  const std::size_t k = p.size();
  const std::size_t l = joint.size() / k;
  double total = 0;
  for (std::size_t r = 0; r < k; ++r) total += known[r] ? p[r] : 0;
  if (!(total > 0)) return 0;
  double ermi = -1;
  for (std::size_t j = 0; j < l; ++j) {
    double mean = 0;
    double squares = 0;
    for (std::size_t r = 0; r < k; ++r) {
      if (!known[r]) continue;
      mean += joint[r * l + j];
      squares += joint[r * l + j] * joint[r * l + j] / p[r];
    }
    if (!(mean > 0)) continue;
    ermi += squares / mean;
    for (std::size_t r = 0; r < k; ++r) {
      if (!known[r]) continue;
      slopes[r * l + j] += factor * (2 * joint[r * l + j] / p[r] - squares / mean) / mean;
    }
  }
  return ermi;
}

}  // namespace

struct ProxyObjective::Blocks {
  RowBlocks rows;
  std::vector<double> outputs;  ///< of all rows, of the last forward pass
};

ProxyObjective::ProxyObjective(const Dataset& data, const Network& network,
                               const FairnessSetting& setting, std::vector<float> proxy,
                               std::vector<bool> known)
    : data_(&data),
      network_(network),
      setting_(setting),
      condition_by_label_(setting.condition_by_label()),
      weights_(data.rows()),
      condition_weights_(setting.conditions() + 1),
      known_(std::move(known)),
      blocks_(std::make_unique<Blocks>(
          Blocks{RowBlocks(data.x, network.layers(), all_rows(data.rows())), {}})) {
  if (known_.empty()) known_.assign(setting.conditions() * setting.groups, true);
  const UnitRows units(data);
  for (std::size_t row = 0; row < data.rows(); ++row) {
    weights_[row] = units.weight(data.units[row]) / static_cast<double>(data.unit_count);
    condition_weights_[condition_by_label_[data.y[row]]] += weights_[row];
  }
  condition_weights_.pop_back();
  blocks_->outputs.resize(data.rows() * network.outputs());
  set_proxy(std::move(proxy));
}

ProxyObjective::~ProxyObjective() = default;

void ProxyObjective::set_proxy(std::vector<float> proxy) {
  proxy_ = std::move(proxy);
  const std::size_t k = setting_.groups;
  GroupMarginals marginals;
  marginals.shares = condition_weights_;
  marginals.groups.resize(setting_.conditions() * k);
  marginals.known = known_;
  for (std::size_t row = 0; row < data_->rows(); ++row) {
    const std::size_t c = condition_by_label_[data_->y[row]];
    if (c == setting_.conditions()) continue;
    for (std::size_t r = 0; r < k; ++r) {
      marginals.groups[c * k + r] += weights_[row] * proxy_[row * k + r] / condition_weights_[c];
    }
  }
  penalty_ = std::make_unique<ErmiPenalty>(setting_, std::move(marginals));
}

double ProxyObjective::forward(std::span<const double> theta, Decision decision, double tau,
                               std::span<double> joint, Workers* workers) {
  const std::size_t k = setting_.groups;
  const std::size_t l = setting_.classes;
  const std::size_t width = network_.outputs();
  std::vector<double> sums(1 + joint.size());
  blocks_->rows.sum(workers, sums, [&](RowBlocks::Block& block, std::span<double> part) {
    const std::size_t first = std::size_t{block.rows[0]} * width;
    const std::span<double> out =
        std::span(blocks_->outputs).subspan(first, block.rows.size() * width);
    network_.forward(theta, block.factors, out);
    std::vector<double> p(out.size());
    std::vector<double> f(out.size());
    class_probabilities(out, width, 1, p);
    if (decision == Decision::kHard) {
      decide(out, width, f);
    } else {
      class_probabilities(out, width, tau, f);
    }
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      const std::size_t row = block.rows[i];
      part[0] += weights_[row] * row_loss(out.subspan(i * width, width),
                                          std::span(p).subspan(i * width, width), data_->y[row]);
      const std::size_t c = condition_by_label_[data_->y[row]];
      if (c == setting_.conditions()) continue;
      add_joint(std::span(f).subspan(i * width, width), l, weights_[row] / condition_weights_[c],
                std::span(proxy_).subspan(row * k, k), part.subspan(1 + c * k * l, k * l));
    }
  });
  std::ranges::copy(std::span(sums).subspan(1), joint.begin());
  return sums[0];
}

double ProxyObjective::evaluate(std::span<const double> theta, double lambda, double tau,
                                std::span<double> gradient, Workers* workers) {
  const std::size_t k = setting_.groups;
  const std::size_t l = setting_.classes;
  std::vector<double> joint(setting_.w_size());
  double value = forward(theta, Decision::kSoft, tau, joint, workers);
  // lambda d psi / d P(j, r | c), as a functional of a row's F.
  std::vector<double> slopes(joint.size());
  for (std::size_t c = 0; c < setting_.conditions(); ++c) {
    const double share = condition_weights_[c];
    const double weight = lambda * condition_weight(setting_.notion, share);
    const std::vector<bool> known(known_.begin() + static_cast<std::ptrdiff_t>(c * k),
                                  known_.begin() + static_cast<std::ptrdiff_t>((c + 1) * k));
    value += weight * add_ermi(std::span(joint).subspan(c * k * l, k * l),
                               std::span(shares()).subspan(c * k, k), known, weight / share,
                               std::span(slopes).subspan(c * k * l, k * l));
  }
  std::vector<double> total(theta.size());
  blocks_->rows.sum(workers, total, [&](RowBlocks::Block& block, std::span<double> part) {
    add_gradient(theta, tau, slopes, block.rows, block.factors, part);
  });
  for (std::size_t i = 0; i < theta.size(); ++i) {
    gradient[i] = total[i] + defaults::kRidge * theta[i];
    value += defaults::kRidge * theta[i] * theta[i] / 2;
  }
  return value;
}

void ProxyObjective::add_gradient(std::span<const double> theta, double tau,
                                  std::span<const double> slopes,
                                  std::span<const std::uint32_t> rows, FactorBlock& factors,
                                  std::span<double> sums) const {
  const std::size_t k = setting_.groups;
  const std::size_t l = setting_.classes;
  const std::size_t width = network_.outputs();
  const std::size_t n = rows.size();
  const std::size_t first = rows[0];
  const std::span<const double> outputs =
      std::span(blocks_->outputs).subspan(first * width, n * width);
  const std::span<const double> weights = std::span(weights_).subspan(first, n);
  const std::span<const std::uint16_t> y = std::span(data_->y).subspan(first, n);
  std::vector<double> f(n * width);
  const std::span<double> deltas = factors.deltas(network_.layers().size() - 1);
  class_probabilities(outputs, width, 1, f);
  loss_gradient(f, width, y, weights, deltas);

  std::vector<double> functionals(n * width);
  std::vector<std::uint32_t> which(n);
  for (std::size_t i = 0; i < n; ++i) {
    which[i] = static_cast<std::uint32_t>(i);
    const std::size_t c = condition_by_label_[y[i]];
    if (c == setting_.conditions()) continue;
    for (std::size_t r = 0; r < k; ++r) {
      const double p = proxy_[(first + i) * k + r];
      const double* v = slopes.data() + (c * k + r) * l;
      if (width == 1) {
        functionals[i] += p * (v[1] - v[0]);
      } else {
        for (std::size_t j = 0; j < width; ++j) functionals[i * width + j] += p * v[j];
      }
    }
  }
  class_probabilities(outputs, width, tau, f);
  add_functional_gradient(f, width, tau, 1, functionals, which, weights, deltas);
  network_.backward(theta, factors);
  add_products(factors, 1, sums);
}

double ProxyObjective::violation(std::span<const double> theta, Workers* workers) {
  std::vector<double> joint(setting_.w_size());
  forward(theta, Decision::kHard, 1, joint, workers);
  return penalty_->violation(joint, std::vector<double>(setting_.conditions()));
}

std::vector<double> ProxyObjective::decision_rates(std::span<const double> theta,
                                                   Workers* workers) {
  std::vector<double> rates(setting_.w_size());
  forward(theta, Decision::kHard, 1, rates, workers);
  for (std::size_t i = 0; i < rates.size(); ++i) {
    rates[i] = std::clamp(rates[i] / shares()[i / setting_.classes], 0.0, 1.0);
  }
  return rates;
}

}  // namespace dpfermi
