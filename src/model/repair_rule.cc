#include "model/repair_rule.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/vector_math.h"

namespace dpfermi {
namespace {

/// p~ of one row at a time, in every condition.
class ProxyOfRows {
 public:
  ProxyOfRows(const RepairRule& rule, const HybridMatrix& x)
      : rule_(&rule),
        x_(&x),
        conditions_(rule.beta.size() / ((x.columns() + 1) * rule.width())),
        logits_(rule.width()),
        // The last one is that of labels without a condition.
        p_((conditions_ + 1) * rule.groups, 1 / static_cast<double>(rule.groups)) {}

  void load(std::size_t i) {
    for (std::size_t c = 0; c < conditions_; ++c) load(x_->row(i), c);
  }

  double operator()(std::size_t label, std::size_t group) const {
    return p_[rule_->condition_by_label[label] * rule_->groups + group];
  }

 private:
  void load(const HybridMatrix::Row& row, std::size_t condition) {
    const std::size_t o = rule_->width();
    const std::size_t d = x_->columns();
    const float* beta = rule_->beta.data() + condition * (d + 1) * o;
    double square = 0;
    std::ranges::fill(logits_, 0.0);
    const auto add = [&](std::size_t column, double value) {
      square += value * value;
      for (std::size_t r = 0; r < o; ++r) logits_[r] += value * beta[column * o + r];
    };
    for (std::size_t j = 0; j < row.numbers.size(); ++j) add(j, row.numbers[j]);
    for (const std::uint16_t column : row.ones) {
      if (column < d) add(column, 1);
    }
    const double t = std::min(1.0, rule_->clip_norm / std::sqrt(square));
    for (std::size_t r = 0; r < o; ++r) {
      logits_[r] = t * logits_[r] + rule_->kappa * beta[d * o + r];
    }
    const std::span<double> out = std::span(p_).subspan(condition * rule_->groups, rule_->groups);
    if (o == 1) {
      sigmoid(logits_, 1, out.subspan(1));
      out[0] = 1 - out[1];
    } else {
      softmax(logits_, o, 1, out);
    }
  }

  const RepairRule* rule_;
  const HybridMatrix* x_;
  std::size_t conditions_;
  std::vector<double> logits_;
  std::vector<double> p_;  ///< (conditions + 1) x k
};

}  // namespace

Status check_repair(const RepairRule& rule, const ModelSpec& model, std::size_t groups,
                    std::size_t members) {
  const std::size_t l = model.classes;
  const std::size_t block = (model.inputs + 1) * rule.width();
  const bool shaped = groups >= 2 && rule.groups == groups && rule.classes() == l &&
                      !rule.beta.empty() && rule.beta.size() % block == 0 &&
                      rule.costs.size() == members * l * groups * l;
  const auto most = static_cast<std::uint32_t>(rule.beta.size() / block);
  const bool finite =
      rule.clip_norm > 0 && std::isfinite(rule.clip_norm) && std::isfinite(rule.kappa) &&
      std::ranges::all_of(rule.beta, [](float value) { return std::isfinite(value); }) &&
      std::ranges::all_of(rule.costs, [](double value) { return std::isfinite(value); });
  if (shaped && finite &&
      std::ranges::all_of(rule.condition_by_label, [&](auto c) { return c <= most; })) {
    return {};
  }
  return failed("the repair does not fit groups, classes and inputs; repair again");
}

std::vector<double> joint_guess(const RepairRule& rule, const HybridMatrix& x,
                                std::span<const float> scores) {
  const std::size_t l = rule.classes();
  assert(scores.size() == x.rows() * l);
  ProxyOfRows proxy(rule, x);
  std::vector<double> joint(x.rows() * l * rule.groups);
  double* out = joint.data();
  for (std::size_t i = 0; i < x.rows(); ++i) {
    proxy.load(i);
    for (std::size_t y = 0; y < l; ++y) {
      for (std::size_t r = 0; r < rule.groups; ++r) *out++ = scores[i * l + y] * proxy(y, r);
    }
  }
  return joint;
}

std::vector<std::uint16_t> cheapest_decisions(std::span<const double> joint,
                                              std::span<const double> costs, std::size_t classes) {
  const std::size_t cells = costs.size() / classes;
  std::vector<std::uint16_t> decisions(joint.size() / cells);
  std::vector<double> sums(classes);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    std::ranges::fill(sums, 0.0);
    for (std::size_t cell = 0; cell < cells; ++cell) {
      for (std::size_t j = 0; j < classes; ++j) {
        sums[j] += joint[i * cells + cell] * costs[cell * classes + j];
      }
    }
    decisions[i] = static_cast<std::uint16_t>(std::ranges::min_element(sums) - sums.begin());
  }
  return decisions;
}

std::vector<std::vector<std::uint16_t>> repaired_decisions(const RepairRule& rule,
                                                           const HybridMatrix& x,
                                                           std::span<const float> scores) {
  const std::size_t size = rule.classes() * rule.groups * rule.classes();
  const std::vector<double> joint = joint_guess(rule, x, scores);
  std::vector<std::vector<std::uint16_t>> members;
  for (std::size_t at = 0; at < rule.costs.size(); at += size) {
    members.push_back(
        cheapest_decisions(joint, std::span(rule.costs).subspan(at, size), rule.classes()));
  }
  return members;
}

}  // namespace dpfermi
