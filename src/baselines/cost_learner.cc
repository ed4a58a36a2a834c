#include "baselines/cost_learner.h"

#include <algorithm>
#include <cmath>

#include "sketch/minimise.h"

namespace dpfermi {

CostLearner::CostLearner(const Dataset& data, std::vector<std::uint32_t> rows,
                         std::size_t favourable)
    : network_(ModelSpec{data.x.columns(), 2, {}}),
      blocks_(data.x, network_.spec(), std::move(rows)),
      class_one_(favourable == 1) {}

Status CostLearner::answer(std::span<const double> costs, std::vector<double>& theta) {
  double total = 0;
  for (const double cost : costs) total += std::abs(cost);
  const double ridge = 1 / static_cast<double>(costs.size());
  const std::uint32_t* first = blocks_.rows().data();
  const SmoothFunction loss = [&](std::span<const double> at, std::span<double> gradient) {
    const RowBlocks::Weights weights = blocks_.weights(at);
    double value = 0;
    std::ranges::fill(gradient, 0.0);
    const auto add_block = [&](RowBlocks::Block& block, std::span<double> part) {
      std::vector<double> outputs(block.rows.size());
      blocks_.forward(weights, block, outputs);
      const std::span<double> deltas = block.factors.deltas(0);
      const std::span<const double> own =
          costs.subspan(static_cast<std::size_t>(block.rows.data() - first), block.rows.size());
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        const double sign = (own[i] < 0) == class_one_ ? 1 : -1;
        const double weight = std::abs(own[i]) / total;
        const double margin = sign * outputs[i];
        const double miss = 1 / (1 + std::exp(margin));
        part[0] += weight * (margin > 0 ? std::log1p(std::exp(-margin))
                                        : std::log1p(std::exp(margin)) - margin);
        deltas[i] = -sign * weight * miss;
      }
    };
    blocks_.sum_products(nullptr, {&value, 1}, gradient, add_block);
    for (std::size_t j = 0; j < at.size(); ++j) {
      gradient[j] += ridge * at[j];
      value += 0.5 * ridge * at[j] * at[j];
    }
    return value;
  };
  DPFERMI_TRY(minimise(loss, theta, {.most_iterations = 60, .value_tolerance = 1e-5}));
  return {};
}

std::vector<std::uint8_t> CostLearner::favours(std::span<const double> theta) {
  std::vector<double> stored;
  for (const double value : theta) stored.push_back(static_cast<float>(value));
  std::vector<double> outputs(blocks_.rows().size());
  const std::uint32_t* first = blocks_.rows().data();
  const RowBlocks::Weights weights = blocks_.weights(stored);
  blocks_.sum(nullptr, {}, [&](RowBlocks::Block& block, std::span<double>) {
    blocks_.forward(weights, block,
                    std::span(outputs).subspan(static_cast<std::size_t>(block.rows.data() - first),
                                               block.rows.size()));
  });
  std::vector<std::uint8_t> favours;
  for (const double output : outputs) favours.push_back((output > 0) == class_one_ ? 1 : 0);
  return favours;
}

}  // namespace dpfermi
