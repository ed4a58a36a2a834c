#pragma once

/// Tables with any number of groups and classes, for methods that train over all rows at once.

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "data/dataset.h"

namespace dpfermi::testing_support {

struct ManyGroupsSpec {
  std::size_t rows = 6000;
  std::size_t groups = 2;
  std::size_t classes = 2;
  std::size_t numbers = 5;
  std::vector<std::size_t> levels = {6};  ///< of each category
  double bias = 0.5;                      ///< how far labels depend on the group
  std::uint64_t seed = 1;
};

/// Groups and labels follow softmax models with random normal coefficients of the numbers; labels
/// depend on the group and on the first category as well. Levels are drawn with a density that
/// falls towards the end, so that wide categories have rare ones.
inline Dataset many_groups(const ManyGroupsSpec& spec) {
  std::mt19937_64 bits(spec.seed);
  std::normal_distribution<double> normal;
  const auto matrix = [&](std::size_t rows, std::size_t columns, double scale) {
    std::vector<std::vector<double>> m(rows, std::vector<double>(columns));
    for (auto& row : m) {
      for (double& value : row) value = scale * normal(bits);
    }
    return m;
  };
  const auto of_groups = matrix(spec.groups, spec.numbers, 0.5);
  const auto of_classes = matrix(spec.classes, spec.numbers, 1);
  const auto by_group = matrix(spec.groups, spec.classes, spec.bias);
  const auto by_level = matrix(spec.levels[0], spec.classes, 0.5);
  const auto draw = [&](std::vector<double> logits) {
    for (double& logit : logits) logit = std::exp(logit);
    std::discrete_distribution<int> any(logits.begin(), logits.end());
    return static_cast<std::uint16_t>(any(bits));
  };
  Dataset data;
  data.x = HybridMatrix(spec.rows, spec.numbers, spec.levels);
  std::uniform_real_distribution<double> uniform;
  std::vector<std::uint16_t> s;
  for (std::size_t i = 0; i < spec.rows; ++i) {
    const HybridMatrix::MutableRow row = data.x.row(i);
    for (float& value : row.numbers) value = static_cast<float>(normal(bits));
    std::vector<double> groups(spec.groups);
    std::vector<double> classes(spec.classes);
    std::size_t first = spec.numbers;
    std::size_t level_of_first = 0;
    for (std::size_t c = 0; c < spec.levels.size(); ++c) {
      const double u = uniform(bits);
      const auto level = static_cast<std::size_t>(u * u * static_cast<double>(spec.levels[c]));
      if (c == 0) level_of_first = level;
      row.ones[c] = static_cast<std::uint16_t>(first + level);
      first += spec.levels[c];
    }
    for (std::size_t j = 0; j < spec.numbers; ++j) {
      for (std::size_t r = 0; r < spec.groups; ++r) groups[r] += of_groups[r][j] * row.numbers[j];
      for (std::size_t y = 0; y < spec.classes; ++y)
        classes[y] += of_classes[y][j] * row.numbers[j];
    }
    s.push_back(draw(groups));
    for (std::size_t y = 0; y < spec.classes; ++y) {
      classes[y] += by_group[s.back()][y] + by_level[level_of_first][y];
    }
    data.y.push_back(draw(classes));
    data.units.push_back(static_cast<std::uint32_t>(i));
  }
  data.s = Protected(std::move(s));
  data.classes = spec.classes;
  data.groups = spec.groups;
  data.unit_count = spec.rows;
  return data;
}

}  // namespace dpfermi::testing_support
