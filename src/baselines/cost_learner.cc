#include "baselines/cost_learner.h"

#include <cmath>

#include "sketch/minimise.h"

namespace dpfermi {

CostLearner::CostLearner(const Dataset& data, std::vector<std::uint32_t> rows,
                         std::size_t favourable)
    : network_(ModelSpec{data.x.columns(), 2, {}}),
      blocks_(data.x, network_.layers(), std::move(rows)),
      class_one_(favourable == 1) {}

Status CostLearner::answer(std::span<const double> costs, std::vector<double>& theta) {
  double total = 0;
  for (const double cost : costs) total += std::abs(cost);
  const double ridge = 1 / static_cast<double>(costs.size());
  const std::uint32_t* first = blocks_.rows().data();
  const SmoothFunction loss = [&](std::span<const double> at, std::span<double> gradient) {
    // The value is the last entry of the sums.
    std::vector<double> sums(at.size() + 1);
    blocks_.sum(nullptr, sums, [&](RowBlocks::Block& block, std::span<double> part) {
      std::vector<double> outputs(block.rows.size());
      network_.forward(at, block.factors, outputs);
      const std::span<double> deltas = block.factors.deltas(0);
      const std::span<const double> own =
          costs.subspan(static_cast<std::size_t>(block.rows.data() - first), block.rows.size());
      for (std::size_t i = 0; i < outputs.size(); ++i) {
        const double sign = (own[i] < 0) == class_one_ ? 1 : -1;
        const double weight = std::abs(own[i]) / total;
        const double margin = sign * outputs[i];
        const double miss = 1 / (1 + std::exp(margin));
        part.back() += weight * (margin > 0 ? std::log1p(std::exp(-margin))
                                            : std::log1p(std::exp(margin)) - margin);
        deltas[i] = -sign * weight * miss;
      }
      add_products(block.factors, 1, part.first(at.size()));
    });
    double value = sums.back();
    for (std::size_t j = 0; j < at.size(); ++j) {
      gradient[j] = sums[j] + ridge * at[j];
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
  blocks_.sum(nullptr, {}, [&](RowBlocks::Block& block, std::span<double>) {
    network_.forward(stored, block.factors,
                     std::span(outputs).subspan(static_cast<std::size_t>(block.rows.data() - first),
                                                block.rows.size()));
  });
  std::vector<std::uint8_t> favours;
  for (const double output : outputs) favours.push_back((output > 0) == class_one_ ? 1 : 0);
  return favours;
}

}  // namespace dpfermi
