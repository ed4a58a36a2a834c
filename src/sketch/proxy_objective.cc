#include "sketch/proxy_objective.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/unit_rows.h"
#include "objective/row_gradients.h"
#include "sketch/log_partition.h"
#include "sketch/proxy_table.h"
#include "sketch/row_blocks.h"
#include "sketch/sketch_defaults.h"

namespace dpfermi {
namespace {

std::vector<std::uint32_t> all_rows(std::size_t count) {
  std::vector<std::uint32_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

/// The entries of some rows of a table, next to each other.
template <class T>
std::vector<T> gather(const std::vector<T>& table, std::size_t width,
                      std::span<const std::uint32_t> rows) {
  std::vector<T> out;
  out.reserve(rows.size() * width);
  for (const std::size_t row : rows) {
    out.insert(out.end(), table.begin() + static_cast<std::ptrdiff_t>(row * width),
               table.begin() + static_cast<std::ptrdiff_t>((row + 1) * width));
  }
  return out;
}

void scatter(std::span<const double> values, std::size_t width, std::span<const std::uint32_t> rows,
             std::span<double> table) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(values.subspan(i * width, width), table.begin() + rows[i] * width);
  }
}

/// Sums in the order of tasks: the result does not depend on the workers.
void add_in_order(const std::vector<std::vector<double>>& parts, std::span<double> sums) {
  for (const std::vector<double>& part : parts) {
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += part[i];
  }
}

/// Cross-entropy of one row's outputs z, given its probabilities p.
double row_loss(std::span<const double> z, std::span<const double> p, std::size_t y) {
  const double own = z.size() > 1 ? z[y] : (y == 1 ? z[0] : 0);
  return log_partition(z, p) - own;
}

}  // namespace

struct ProxyObjective::Blocks {
  RowBlocks rows;
  std::vector<double> outputs;     ///< of all rows, the latest
  std::vector<FactorBlock> batch;  ///< of the rows of a batch
};

ProxyObjective::ProxyObjective(const Dataset& data, const Network& network,
                               const FairnessSetting& setting, std::vector<float> proxy,
                               std::vector<bool> known)
    : data_(&data),
      network_(network),
      setting_(setting),
      condition_by_label_(setting.condition_by_label()),
      weights_(data.rows()),
      loss_weights_(loss_weights(data)),
      condition_shares_(setting.conditions() + 1),
      class_shares_(setting.classes),
      known_(std::move(known)),
      blocks_(std::make_unique<Blocks>(
          Blocks{RowBlocks(data.x, network.layers(), all_rows(data.rows())), {}, {}})) {
  if (known_.empty()) known_.assign(setting.conditions() * setting.groups, true);
  const UnitRows units(data);
  for (std::size_t row = 0; row < data.rows(); ++row) {
    weights_[row] = units.weight(data.units[row]) / static_cast<double>(data.unit_count);
    condition_shares_[condition_by_label_[data.y[row]]] += weights_[row];
    loss_weights_[row] /= static_cast<double>(data.unit_count);
    class_shares_[data.y[row]] += loss_weights_[row];
  }
  condition_shares_.pop_back();
  for (const double share : condition_shares_) {
    psi_weights_.push_back(condition_weight(setting.notion, share));
  }
  blocks_->outputs.resize(data.rows() * network.outputs());
  set_proxy(std::move(proxy));
}

ProxyObjective::~ProxyObjective() = default;

void ProxyObjective::set_proxy(std::vector<float> proxy) {
  proxy_ = std::move(proxy);
  const std::size_t k = setting_.groups;
  GroupMarginals marginals;
  marginals.shares = condition_shares_;
  marginals.groups.resize(setting_.conditions() * k);
  marginals.known = known_;
  for (std::size_t row = 0; row < data_->rows(); ++row) {
    const std::size_t c = condition_by_label_[data_->y[row]];
    if (c == setting_.conditions()) continue;
    for (std::size_t r = 0; r < k; ++r) {
      marginals.groups[c * k + r] += weights_[row] * proxy_[row * k + r] / condition_shares_[c];
    }
  }
  penalty_ = std::make_unique<ErmiPenalty>(setting_, std::move(marginals));
}

void ProxyObjective::add_decisions(std::span<const std::uint32_t> rows, Decision decision,
                                   double tau, double sign, std::span<double> joint) const {
  const std::size_t k = setting_.groups;
  const std::size_t l = setting_.classes;
  const std::size_t width = network_.outputs();
  const std::vector<double> outputs = gather(blocks_->outputs, width, rows);
  std::vector<double> f(outputs.size());
  if (decision == Decision::kHard) {
    decide(outputs, width, f);
  } else {
    class_probabilities(outputs, width, tau, f);
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = rows[i];
    const std::size_t c = condition_by_label_[data_->y[row]];
    if (c == setting_.conditions()) continue;
    add_joint(std::span(f).subspan(i * width, width), l,
              sign * weights_[row] / condition_shares_[c], std::span(proxy_).subspan(row * k, k),
              joint.subspan(c * k * l, k * l));
  }
}

double ProxyObjective::forward(std::span<const double> theta, Decision decision, double tau,
                               std::span<double> joint, Workers* workers) {
  const std::size_t width = network_.outputs();
  std::vector<double> sums(1 + joint.size());
  blocks_->rows.sum(workers, sums, [&](RowBlocks::Block& block, std::span<double> part) {
    const std::size_t first = std::size_t{block.rows[0]} * width;
    const std::span<double> out =
        std::span(blocks_->outputs).subspan(first, block.rows.size() * width);
    network_.forward(theta, block.factors, out);
    std::vector<double> p(out.size());
    class_probabilities(out, width, 1, p);
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      const std::size_t row = block.rows[i];
      part[0] +=
          loss_weights_[row] * row_loss(out.subspan(i * width, width),
                                        std::span(p).subspan(i * width, width), data_->y[row]);
    }
    add_decisions(block.rows, decision, tau, 1, part.subspan(1));
  });
  std::ranges::copy(std::span(sums).subspan(1), joint.begin());
  return sums[0];
}

double ProxyObjective::penalty(std::span<const double> joint, double lambda,
                               std::span<double> slopes) const {
  const std::size_t k = setting_.groups;
  const std::size_t block = k * setting_.classes;
  double value = 0;
  for (std::size_t c = 0; c < setting_.conditions(); ++c) {
    if (rate_penalty_) {
      value += add_rate_penalty(c, joint, lambda, slopes);
      continue;
    }
    const double weight = lambda * psi_weights_[c];
    const std::vector<bool> known(known_.begin() + static_cast<std::ptrdiff_t>(c * k),
                                  known_.begin() + static_cast<std::ptrdiff_t>((c + 1) * k));
    value +=
        weight * add_ermi(joint.subspan(c * block, block), std::span(shares()).subspan(c * k, k),
                          known, weight / condition_shares_[c], slopes.subspan(c * block, block));
  }
  return value;
}

double ProxyObjective::add_rate_penalty(std::size_t c, std::span<const double> joint, double lambda,
                                        std::span<double> slopes) const {
  const std::size_t k = setting_.groups;
  const std::size_t l = setting_.classes;
  const auto rate = [&](std::size_t cell, std::size_t j) {
    return joint[cell * l + j] / shares()[cell] + rate_penalty_->offsets[cell * l + j];
  };
  double value = 0;
  for (std::size_t j = 0; j < l; ++j) {
    double mean = 0;
    double total = 0;
    for (std::size_t cell = c * k; cell < (c + 1) * k; ++cell) {
      const double a = rate_penalty_->weights[cell * l + j];
      if (!(a > 0)) continue;
      mean += a * rate(cell, j);
      total += a;
    }
    if (total > 0) mean /= total;
    for (std::size_t cell = c * k; cell < (c + 1) * k; ++cell) {
      const double a = lambda * rate_penalty_->weights[cell * l + j];
      if (!(a > 0)) continue;
      const double off = rate(cell, j) - mean;
      value += a * off * off;
      slopes[cell * l + j] += 2 * a * off / (shares()[cell] * condition_shares_[c]);
    }
  }
  return value;
}

double ProxyObjective::evaluate(std::span<const double> theta, double lambda, double tau,
                                std::span<double> gradient, Workers* workers) {
  std::vector<double> joint(setting_.w_size());
  std::vector<double> slopes(joint.size());
  double value = forward(theta, Decision::kSoft, tau, joint, workers);
  value += penalty(joint, lambda, slopes);
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

void ProxyObjective::begin_batches(std::span<const double> theta, double tau, Workers* workers) {
  table_.resize(setting_.w_size());
  forward(theta, Decision::kSoft, tau, table_, workers);
}

void ProxyObjective::batch_gradient(std::span<const double> theta, double lambda, double tau,
                                    std::span<const std::uint32_t> rows, std::span<double> gradient,
                                    Workers* workers) {
  const std::size_t width = network_.outputs();
  const std::size_t tasks = (rows.size() + FactorBlock::kRows - 1) / FactorBlock::kRows;
  const auto rows_of = [&](std::size_t task) {
    const std::size_t first = task * FactorBlock::kRows;
    return rows.subspan(first, std::min(FactorBlock::kRows, rows.size() - first));
  };
  std::vector<FactorBlock>& factors = blocks_->batch;
  while (factors.size() < tasks) factors.emplace_back(network_.layers());
  std::vector<std::vector<double>> moves(tasks, std::vector<double>(table_.size()));
  run_tasks(workers, tasks, [&](std::size_t task, unsigned) {
    const std::span<const std::uint32_t> own = rows_of(task);
    std::vector<double> out(own.size() * width);
    Network::load(data_->x, own, factors[task]);
    network_.forward(theta, factors[task], out);
    add_decisions(own, Decision::kSoft, tau, -1, moves[task]);
    scatter(out, width, own, blocks_->outputs);
    add_decisions(own, Decision::kSoft, tau, 1, moves[task]);
  });
  add_in_order(moves, table_);
  std::vector<double> slopes(table_.size());
  penalty(table_, lambda, slopes);
  std::vector<std::vector<double>> parts(tasks, std::vector<double>(theta.size()));
  run_tasks(workers, tasks, [&](std::size_t task, unsigned) {
    add_gradient(theta, tau, slopes, rows_of(task), factors[task], parts[task]);
  });
  double weight = 0;
  for (const std::uint32_t row : rows) weight += weights_[row];
  std::ranges::fill(gradient, 0.0);
  add_in_order(parts, gradient);
  for (std::size_t i = 0; i < theta.size(); ++i) {
    gradient[i] = gradient[i] / weight + defaults::kRidge * theta[i];
  }
}

void ProxyObjective::add_gradient(std::span<const double> theta, double tau,
                                  std::span<const double> slopes,
                                  std::span<const std::uint32_t> rows, FactorBlock& factors,
                                  std::span<double> sums) const {
  const std::size_t k = setting_.groups;
  const std::size_t l = setting_.classes;
  const std::size_t width = network_.outputs();
  const std::size_t n = rows.size();
  const std::vector<double> outputs = gather(blocks_->outputs, width, rows);
  const std::vector<double> weights = gather(weights_, 1, rows);
  const std::vector<std::uint16_t> y = gather(data_->y, 1, rows);
  std::vector<double> f(n * width);
  const std::span<double> deltas = factors.deltas(network_.layers().size() - 1);
  class_probabilities(outputs, width, 1, f);
  loss_gradient(f, width, y, gather(loss_weights_, 1, rows), deltas);

  std::vector<double> functionals(n * width);
  std::vector<std::uint32_t> which(n);
  for (std::size_t i = 0; i < n; ++i) {
    which[i] = static_cast<std::uint32_t>(i);
    const std::size_t c = condition_by_label_[y[i]];
    if (c == setting_.conditions()) continue;
    for (std::size_t r = 0; r < k; ++r) {
      const double p = proxy_[rows[i] * k + r];
      add_functional(slopes.subspan((c * k + r) * l, l), p,
                     std::span(functionals).subspan(i * width, width));
    }
  }
  class_probabilities(outputs, width, tau, f);
  add_functional_gradient(f, width, tau, 1, functionals, which, weights, deltas);
  network_.backward(theta, factors);
  add_products(factors, 1, sums);
}

double ProxyObjective::violation(std::span<const double> theta, Workers* workers) {
  if (setting_.conditions() == 0) return 0;
  std::vector<double> joint(setting_.w_size());
  forward(theta, Decision::kHard, 1, joint, workers);
  return penalty_->violation(joint, std::vector<double>(setting_.conditions()));
}

ProxyDecisions ProxyObjective::decisions(std::span<const double> theta, double tau,
                                         Workers* workers) {
  const std::size_t width = network_.outputs();
  std::vector<double> soft(setting_.w_size());
  forward(theta, Decision::kSoft, tau, soft, workers);
  std::vector<double> sums(1 + soft.size());
  blocks_->rows.sum(workers, sums, [&](RowBlocks::Block& block, std::span<double> part) {
    add_decisions(block.rows, Decision::kHard, 1, 1, part.subspan(1));
    for (const std::uint32_t row : block.rows) {
      const std::span<const double> own = std::span(blocks_->outputs).subspan(row * width, width);
      const auto best =
          width == 1 ? (own[0] > 0 ? 1 : 0) : std::ranges::max_element(own) - own.begin();
      if (best != data_->y[row]) part[0] += loss_weights_[row];
    }
  });
  ProxyDecisions decisions{sums[0], 0, {sums.begin() + 1, sums.end()}, std::move(soft)};
  if (setting_.conditions() > 0) {
    decisions.violation =
        penalty_->violation(decisions.hard, std::vector<double>(setting_.conditions()));
  }
  for (std::size_t i = 0; i < decisions.soft.size(); ++i) {
    const double share = shares()[i / setting_.classes];
    decisions.hard[i] = share > 0 ? decisions.hard[i] / share : 0;
    decisions.soft[i] = share > 0 ? decisions.soft[i] / share : 0;
  }
  return decisions;
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
