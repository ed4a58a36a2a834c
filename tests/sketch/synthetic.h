#pragma once

/// Small data sets with a known dependence of s on x.

#include <cmath>
#include <cstdint>
#include <functional>
#include <random>
#include <vector>

#include "data/dataset.h"
#include "privacy/research_ledger.h"
#include "random/lane.h"
#include "sketch/sketch.h"

namespace dpfermi::testing_support {

struct SyntheticSpec {
  std::size_t rows = 400;
  std::size_t numbers = 3;
  std::size_t levels = 4;  ///< of one category; 0: none
  std::size_t groups = 2;
  std::size_t classes = 2;
  std::size_t rows_per_person = 1;
  std::uint64_t seed = 1;
};

/// Numbers are normal; group r and class j get the logits r x_0 and j (x_0 + x_1) / 2.
inline Dataset synthetic(const SyntheticSpec& spec) {
  std::mt19937_64 bits(spec.seed);
  std::normal_distribution<float> normal;
  const auto draw = [&](std::size_t count, double slope) {
    std::vector<double> weights;
    for (std::size_t r = 0; r < count; ++r) {
      weights.push_back(std::exp(static_cast<double>(r) * slope));
    }
    return static_cast<std::uint16_t>(
        std::discrete_distribution<int>(weights.begin(), weights.end())(bits));
  };
  Dataset data;
  const std::size_t categories = spec.levels > 0 ? 1 : 0;
  data.x = HybridMatrix(spec.rows, spec.numbers, categories, spec.numbers + spec.levels);
  std::vector<std::uint16_t> s;
  for (std::size_t i = 0; i < spec.rows; ++i) {
    const HybridMatrix::MutableRow row = data.x.row(i);
    for (float& value : row.numbers) value = normal(bits);
    if (categories == 1) {
      row.ones[0] = static_cast<std::uint16_t>(spec.numbers + bits() % spec.levels);
    }
    s.push_back(draw(spec.groups, row.numbers[0]));
    data.y.push_back(draw(spec.classes, (row.numbers[0] + row.numbers[1]) / 2));
    data.units.push_back(static_cast<std::uint32_t>(i / spec.rows_per_person));
  }
  data.s = Protected(std::move(s));
  data.classes = spec.classes;
  data.groups = spec.groups;
  data.unit_count = (spec.rows + spec.rows_per_person - 1) / spec.rows_per_person;
  data.persons = spec.rows_per_person > 1;
  return data;
}

/// s as probabilities.
inline std::vector<float> one_hot(const Dataset& data) {
  const std::vector<std::uint16_t>& s = ExactForHolder::read(data.s);
  std::vector<float> groups(data.rows() * data.groups);
  for (std::size_t i = 0; i < s.size(); ++i) groups[i * data.groups + s[i]] = 1;
  return groups;
}

inline Sketch sketch_of(const Dataset& data, const SketchFeatures& features, FairnessNotion notion,
                        double epsilon, std::uint64_t seed) {
  SketchRequest request;
  request.notion = notion;
  request.epsilon = epsilon;
  const SketchPlan plan = plan_sketch(request, data, 1, features).value();
  ResearchLedger ledger;
  return make_sketch(data, features, plan, ledger, seeded_noise(seed)).value();
}

/// The group sums with `groups` (rows x k, summing to one) instead of 1[s_i = r], without noise.
inline GroupSums expected_group_sums(const Dataset& data, const FairnessSetting& setting,
                                     const PublicVectors& vectors, std::span<const float> groups) {
  const UnitRows units(data);
  const std::vector<std::uint32_t> condition = setting.condition_by_label();
  GroupSums expected{setting.conditions(), setting.groups, vectors.size, {}, 0};
  expected.sums.resize(setting.conditions() * setting.groups * vectors.size);
  std::vector<double> v(vectors.size);
  for (std::uint32_t row = 0; row < data.rows(); ++row) {
    const std::size_t c = condition[data.y[row]];
    if (c == setting.conditions()) continue;
    vectors.write(row, v);
    for (std::size_t r = 0; r < setting.groups; ++r) {
      const double part = units.weight(data.units[row]) * groups[row * setting.groups + r];
      double* block = expected.sums.data() + (c * setting.groups + r) * v.size();
      for (std::size_t j = 0; j < v.size(); ++j) block[j] += part * v[j];
    }
  }
  return expected;
}

}  // namespace dpfermi::testing_support
