#include "baselines/group_rule.h"

#include <algorithm>

#include "baselines/linear_program.h"
#include "model/network.h"

namespace dpfermi {

void DecisionTable::correct() {
  for (double& count : counts) count = std::max(count, 0.0);
  for (std::size_t r = 0; r < groups; ++r) {
    for (const std::size_t y : {0, 1}) {
      if (rows(r, y) > 0) continue;
      at(0, r, y) = at(1, r, y) = 0.5;
    }
  }
}

std::array<double, 2> tolerances(FairnessNotion notion, double tolerance) {
  const auto of = [&](std::size_t y) { return condition_of(notion, y, 1) ? tolerance : 1; };
  return {of(0), of(1)};
}

Result<std::vector<double>> fair_group_table(const DecisionTable& table,
                                             std::array<double, 2> tolerance) {
  // Variables: p_rb, then for each label the least rate t_y of any group.
  const std::size_t k = table.groups;
  const std::size_t size = 2 * k + 2;
  LinearProgram program{
      std::vector<double>(size), std::vector<double>(size), std::vector<double>(size, 1), {}};
  double total = 0;
  for (const double count : table.counts) total += count;
  for (std::size_t r = 0; r < k; ++r) {
    for (const std::size_t b : {0, 1}) {
      program.cost[2 * r + b] = (table.at(b, r, 0) - table.at(b, r, 1)) / total;
    }
    for (const std::size_t y : {0, 1}) {
      LinearProgram::Row row{std::vector<double>(size), 0, tolerance[y]};
      for (const std::size_t b : {0, 1}) {
        row.coefficients[2 * r + b] = table.at(b, r, y) / table.rows(r, y);
      }
      row.coefficients[2 * k + y] = -1;
      program.rows.push_back(std::move(row));
    }
  }
  DPFERMI_ASSIGN(std::vector<double> solution, solve(program));
  solution.resize(2 * k);
  for (double& p : solution) p = std::clamp(p, 0.0, 1.0);
  return solution;
}

Result<BaseModel> train_base_model(const Dataset& data, const BaselineOptions& options,
                                   NoiseSource noise, const TrainingHooks& hooks) {
  BaseModel base;
  DPFERMI_ASSIGN(base.training, train_plain(data, options, std::move(noise), hooks));
  // Decisions are those of the model as it will be stored, in 32 bits.
  std::vector<double> stored;
  for (const double value : base.training.theta) stored.push_back(static_cast<float>(value));
  const std::vector<float> decided =
      decision_probabilities({}, base.training.model, stored, options.favourable, data.x, {});
  for (std::size_t i = 0; i < data.rows(); ++i) {
    base.favours.push_back(decided[2 * i + options.favourable] > 0.5F ? 1 : 0);
  }
  return base;
}

}  // namespace dpfermi
