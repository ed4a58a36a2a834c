#include "sketch/proxy_objective.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "data/unit_rows.h"
#include "objective/row_gradients.h"
#include "sketch/log_partition.h"
#include "sketch/phi_entries.h"
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
  std::vector<double> plain;       ///< class probabilities of those
  std::vector<double> sharp;       ///< the same of tau outputs; empty: nothing has asked for them
  std::vector<FactorBlock> batch;  ///< of the rows of a batch
  bool asked_for_whitening = false;
  std::optional<Whitening> whitening;

  /// The part of one of the tables above that belongs to a block.
  static std::span<double> of(std::vector<double>& table, const RowBlocks::Block& block,
                              std::size_t width) {
    if (table.empty()) return {};
    return std::span(table).subspan(block.rows[0] * width, block.rows.size() * width);
  }
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
      blocks_(std::make_unique<Blocks>(Blocks{
          RowBlocks(data.x, network.spec(), all_rows(data.rows())), {}, {}, {}, {}, false, {}})) {
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
  blocks_->plain = blocks_->outputs;
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

void ProxyObjective::add_decisions(std::span<const std::uint32_t> rows, std::span<const double> f,
                                   double sign, std::span<double> joint) const {
  const std::size_t k = setting_.groups;
  const std::size_t l = setting_.classes;
  const std::size_t width = network_.outputs();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t row = rows[i];
    const std::size_t c = condition_by_label_[data_->y[row]];
    if (c == setting_.conditions()) continue;
    add_joint(f.subspan(i * width, width), l, sign * weights_[row] / condition_shares_[c],
              std::span(proxy_).subspan(row * k, k), joint.subspan(c * k * l, k * l));
  }
}

double ProxyObjective::forward(const RowBlocks::Weights& weights, Decision decision, double tau,
                               std::span<double> joint, Workers* workers, Team& team) {
  const std::size_t width = network_.outputs();
  std::vector<double> sums(1 + joint.size());
  if (!joint.empty()) blocks_->sharp.resize(blocks_->outputs.size());
  const auto add_block = [&](RowBlocks::Block& block, std::span<double> part) {
    const std::span<double> out = Blocks::of(blocks_->outputs, block, width);
    const std::span<double> f = Blocks::of(blocks_->plain, block, width);
    blocks_->rows.forward(weights, block, out);
    class_probabilities(out, width, 1, f);
    part[0] += losses(block.rows, out, f);
    if (joint.empty()) return;
    const std::span<double> sharp = Blocks::of(blocks_->sharp, block, width);
    if (decision == Decision::kHard) {
      decide(out, width, sharp);
    } else {
      class_probabilities(out, width, tau, sharp);
    }
    add_decisions(block.rows, sharp, 1, part.subspan(1));
  };
  blocks_->rows.sum(workers, sums, add_block, team);
  std::ranges::copy(std::span(sums).subspan(1), joint.begin());
  return sums[0];
}

double ProxyObjective::losses(std::span<const std::uint32_t> rows, std::span<const double> outputs,
                              std::span<const double> f) const {
  const std::size_t width = network_.outputs();
  double sum = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    sum += loss_weights_[rows[i]] * row_loss(outputs.subspan(i * width, width),
                                             f.subspan(i * width, width), data_->y[rows[i]]);
  }
  return sum;
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

const Whitening* ProxyObjective::whitening(Workers* workers, const std::function<bool()>& goes_on) {
  if (!network_.spec().hidden.empty()) return nullptr;
  if (!std::exchange(blocks_->asked_for_whitening, true)) {
    const std::size_t d = data_->x.columns();
    // The loss has a quarter of this curvature, or less.
    const std::vector<double> ridge(d + 1, 4 * defaults::kRidge);
    const Whitening::Row row = [&](std::size_t i, auto& phi) {
      for_entries(data_->x, i, [&](std::size_t j, double value) { phi.emplace_back(j, value); });
      phi.emplace_back(d, 1.0);
      return loss_weights_[i];
    };
    blocks_->whitening = Whitening::create(data_->rows(), row, ridge, workers, goes_on);
  }
  return blocks_->whitening ? &*blocks_->whitening : nullptr;
}

double ProxyObjective::evaluate(std::span<const double> theta, double lambda, double tau,
                                std::span<double> gradient, Workers* workers) {
  // Without a penalty nothing needs the joint table.
  std::vector<double> joint(lambda > 0 ? setting_.w_size() : 0);
  std::vector<double> slopes(joint.size());
  const RowBlocks::Weights weights = blocks_->rows.weights(theta);
  double value = forward(weights, Decision::kSoft, tau, joint, workers, team_of(workers));
  if (!joint.empty()) value += penalty(joint, lambda, slopes);
  const std::size_t width = network_.outputs();
  const auto set_block = [&](RowBlocks::Block& block, std::span<double>) {
    set_deltas(block.rows, Blocks::of(blocks_->plain, block, width),
               Blocks::of(blocks_->sharp, block, width), tau, slopes, block.factors);
    blocks_->rows.backward(weights, block);
  };
  std::ranges::fill(gradient, 0.0);
  blocks_->rows.sum_products(workers, {}, gradient, set_block, team_of(workers));
  for (std::size_t i = 0; i < theta.size(); ++i) {
    gradient[i] += defaults::kRidge * theta[i];
    value += defaults::kRidge * theta[i] * theta[i] / 2;
  }
  return value;
}

void ProxyObjective::begin_batches(std::span<const double> theta, double tau, Workers* workers) {
  table_.resize(setting_.w_size());
  // Batches are of any rows: every process needs the outputs of all.
  forward(blocks_->rows.weights(theta), Decision::kSoft, tau, table_, workers, Team::alone());
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
    std::vector<double> f(out.size());
    Network::load(data_->x, own, factors[task]);
    network_.forward(theta, factors[task], out);
    add_decisions(own, gather(blocks_->sharp, width, own), -1, moves[task]);
    class_probabilities(out, width, tau, f);
    add_decisions(own, f, 1, moves[task]);
    scatter(f, width, own, blocks_->sharp);
    class_probabilities(out, width, 1, f);
    scatter(f, width, own, blocks_->plain);
  });
  add_in_order(moves, table_);
  std::vector<double> slopes(table_.size());
  penalty(table_, lambda, slopes);
  std::vector<std::vector<double>> parts(tasks, std::vector<double>(theta.size()));
  run_tasks(workers, tasks, [&](std::size_t task, unsigned) {
    const std::span<const std::uint32_t> own = rows_of(task);
    set_deltas(own, gather(blocks_->plain, width, own), gather(blocks_->sharp, width, own), tau,
               slopes, factors[task]);
    network_.backward(theta, factors[task]);
    add_products(factors[task], 1, parts[task]);
  });
  double weight = 0;
  for (const std::uint32_t row : rows) weight += weights_[row];
  std::ranges::fill(gradient, 0.0);
  add_in_order(parts, gradient);
  for (std::size_t i = 0; i < theta.size(); ++i) {
    gradient[i] = gradient[i] / weight + defaults::kRidge * theta[i];
  }
}

void ProxyObjective::set_deltas(std::span<const std::uint32_t> rows, std::span<const double> plain,
                                std::span<const double> sharp, double tau,
                                std::span<const double> slopes, FactorBlock& factors) const {
  const std::size_t k = setting_.groups;
  const std::size_t l = setting_.classes;
  const std::size_t width = network_.outputs();
  const std::size_t n = rows.size();
  const std::vector<std::uint16_t> y = gather(data_->y, 1, rows);
  const std::span<double> deltas = factors.deltas(network_.layers().size() - 1);
  loss_gradient(plain, width, y, gather(loss_weights_, 1, rows), deltas);
  if (slopes.empty()) return;

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
  add_functional_gradient(sharp, width, tau, 1, functionals, which, gather(weights_, 1, rows),
                          deltas);
}

double ProxyObjective::violation(std::span<const double> theta, Workers* workers) {
  if (setting_.conditions() == 0) return 0;
  std::vector<double> joint(setting_.w_size());
  forward(blocks_->rows.weights(theta), Decision::kHard, 1, joint, workers, team_of(workers));
  return penalty_->violation(joint, std::vector<double>(setting_.conditions()));
}

ProxyDecisions ProxyObjective::decisions(std::span<const double> theta, double tau,
                                         Workers* workers) {
  const std::size_t width = network_.outputs();
  std::vector<double> soft(setting_.w_size());
  forward(blocks_->rows.weights(theta), Decision::kSoft, tau, soft, workers, team_of(workers));
  std::vector<double> sums(1 + soft.size());
  const auto add_block = [&](RowBlocks::Block& block, std::span<double> part) {
    std::vector<double> hard(block.rows.size() * width);
    decide(Blocks::of(blocks_->outputs, block, width), width, hard);
    add_decisions(block.rows, hard, 1, part.subspan(1));
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      const std::size_t row = block.rows[i];
      if (!(class_probability(std::span(hard).subspan(i * width, width), data_->y[row]) > 0)) {
        part[0] += loss_weights_[row];
      }
    }
  };
  blocks_->rows.sum(workers, sums, add_block, team_of(workers));
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
  forward(blocks_->rows.weights(theta), Decision::kHard, 1, rates, workers, team_of(workers));
  for (std::size_t i = 0; i < rates.size(); ++i) {
    rates[i] = std::clamp(rates[i] / shares()[i / setting_.classes], 0.0, 1.0);
  }
  return rates;
}

}  // namespace dpfermi
