// Sums of outer products against the plain path, which forms every contribution.

#include <gmock/gmock.h>

#include <cmath>
#include <random>

#include "core/outer_products.h"
#include "dpfermi/privacy/mechanism/privatizer.h"
#include "privacy/mechanism/fixtures.h"

namespace dpfermi {
namespace {

using testing_support::event;
using testing_support::flat;
using testing_support::lane;
using testing_support::permit;

constexpr double kNoise = 1e-9;  // nearly none: the sums themselves are compared

/// Random factors for every unit of a two-layer chain with a dense part; the second layer's inputs
/// stand for activations.
struct Units {
  std::vector<LayerShape> layers;
  std::size_t dense;
  std::vector<std::vector<float>> numbers;
  std::vector<std::vector<std::uint16_t>> ones;
  std::vector<std::vector<std::vector<double>>> inputs, deltas;  // unit, layer, entry
  std::vector<std::vector<double>> table;

  void fill(std::span<const std::uint32_t> members, FactorBlock& block) const {
    const ColumnCodes& codes = *block.column_codes();
    std::vector<std::uint16_t> own(codes.per_row(2));
    block.resize(members.size(), 2, own.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      const std::uint32_t unit = members[i];
      for (std::size_t j = 0; j < 2; ++j) block.numbers(j)[i] = numbers[unit][j];
      codes.encode(ones[unit], own);
      for (std::size_t c = 0; c < own.size(); ++c) block.codes(c)[i] = own[c];
      for (std::size_t j = 0; j < layers.size(); ++j) {
        if (j > 0) copy(inputs[unit][j], block.inputs(j), i);
        copy(deltas[unit][j], block.deltas(j), i);
      }
      for (std::size_t j = 0; j < dense; ++j) block.dense(j)[i] = table[unit][j];
    }
  }

  void write(std::uint32_t unit, std::span<double> out) const {
    std::size_t start = 0;
    for (std::size_t j = 0; j < layers.size(); ++j) {
      std::vector<double> in(layers[j].inputs + 1);
      in.back() = 1;
      if (j == 0) {
        std::ranges::copy(numbers[unit], in.begin());
        for (const std::uint16_t column : ones[unit]) {
          if (column < layers[0].inputs) in[column] = 1;
        }
      } else {
        std::ranges::copy(inputs[unit][j], in.begin());
      }
      for (const double a : in) {
        for (const double delta : deltas[unit][j]) out[start++] = a * delta;
      }
    }
    std::ranges::copy(table[unit], out.begin() + static_cast<std::ptrdiff_t>(start));
  }

 private:
  static void copy(const std::vector<double>& from, std::span<double> to, std::size_t row) {
    std::ranges::copy(from, to.begin() + static_cast<std::ptrdiff_t>(row * from.size()));
  }
};

Units random_units(std::size_t count, std::vector<LayerShape> layers, unsigned seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  const auto vector = [&](std::size_t size, double scale) {
    std::vector<double> values(size);
    for (double& value : values) value = scale * normal(random);
    return values;
  };
  Units units{std::move(layers), 4, {}, {}, {}, {}, {}};
  const std::size_t columns = units.layers[0].inputs;
  for (std::size_t i = 0; i < count; ++i) {
    units.numbers.push_back({static_cast<float>(normal(random)), static_cast<float>(i % 7)});
    units.ones.push_back({static_cast<std::uint16_t>(2 + random() % (columns - 2)),
                          static_cast<std::uint16_t>(columns)});
    units.inputs.emplace_back();
    units.deltas.emplace_back();
    const double scale = std::exp(2 * normal(random));
    for (const LayerShape& layer : units.layers) {
      units.inputs[i].push_back(vector(layer.inputs, 1));
      units.deltas[i].push_back(vector(layer.outputs, scale));
    }
    units.table.push_back(vector(4, scale));
  }
  return units;
}

std::size_t parameters(const Units& units) {
  std::size_t sum = 0;
  for (const LayerShape& layer : units.layers) sum += layer.parameters();
  return sum;
}

Privatizer privatizer(const Units& units) {
  const std::vector<Segment> segments{{parameters(units), 2.0, 3.0}, {units.dense, 0.5, 1.0}};
  return Privatizer::create(
             ContributionLayout::create(segments, 36).value(), Adjacency::kSensitive, kNoise,
             permit(event(Adjacency::kSensitive, GaussianRelease{kNoise / 2}), 9), lane(3))
      .value();
}

std::vector<double> by_products(const Units& units, std::uint32_t count, unsigned threads = 1,
                                std::shared_ptr<const ColumnCodes> codes = nullptr) {
  Privatizer mechanism = privatizer(units);
  Workers workers(threads);
  std::vector<FactorBlock> scratch(threads,
                                   FactorBlock(units.layers, units.dense, std::move(codes)));
  const auto factors = [&](int, std::span<const std::uint32_t> members,
                           std::span<const std::uint32_t>, unsigned worker) -> FactorBlock& {
    units.fill(members, scratch[worker]);
    return scratch[worker];
  };
  ClippedSum sum =
      mechanism.sum_products(Protected(0), Batch::everyone(count), factors, &workers).value();
  return flat(mechanism.release(std::move(sum)).value());
}

std::vector<double> by_contributions(const Units& units, std::uint32_t count) {
  Privatizer mechanism = privatizer(units);
  const auto contribution = [&](int, std::uint32_t unit, std::span<double> out) {
    units.write(unit, out);
  };
  return flat(
      mechanism.release(mechanism.sum(Protected(0), Batch::everyone(count), contribution).value())
          .value());
}

class Products : public testing::TestWithParam<std::vector<LayerShape>> {};

TEST_P(Products, EqualThePlainSum) {
  const Units units = random_units(700, GetParam(), 5);
  const std::vector<double> plain = by_contributions(units, 700);
  const std::vector<double> fast = by_products(units, 700);
  // 700 units, each off by less than 2^-17 of its largest factors.
  for (std::size_t i = 0; i < plain.size(); ++i) ASSERT_NEAR(fast[i], plain[i], 0.02) << i;
}

TEST_P(Products, DoNotDependOnThreads) {
  const Units units = random_units(1000, GetParam(), 6);
  const std::vector<double> one = by_products(units, 1000);
  EXPECT_EQ(by_products(units, 1000, 2), one);
  EXPECT_EQ(by_products(units, 1000, 4), one);
}

// The released norm of one unit can exceed the clipping norms by the noise alone.
TEST_P(Products, KeepTheNormBound) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    Units units = random_units(1, GetParam(), seed);
    for (auto& delta : units.deltas[0]) {
      for (double& value : delta) value *= 1e6;
    }
    const std::vector<double> sum = by_products(units, 1);
    double square = 0;
    for (std::size_t i = 0; i < parameters(units); ++i) square += sum[i] * sum[i];
    ASSERT_LE(std::sqrt(square), 2.0 + 1e-6);
    ASSERT_GE(std::sqrt(square), 2.0 * 0.99);
  }
}

TEST_P(Products, ANotFiniteUnitCountsAsZero) {
  Units units = random_units(3, GetParam(), 7);
  const std::vector<double> others = [&] {
    Units rest = units;
    for (auto& delta : rest.deltas[1]) std::ranges::fill(delta, 0.0);
    std::ranges::fill(rest.table[1], 0.0);
    return by_products(rest, 3);
  }();
  for (const double bad : {double{NAN}, double{INFINITY}}) {
    Units broken = units;
    broken.deltas[1].back()[0] = bad;
    EXPECT_EQ(by_products(broken, 3), others);
    broken = units;
    broken.table[1][2] = bad;
    EXPECT_EQ(by_products(broken, 3), others);
    broken = units;
    broken.numbers[1][0] = static_cast<float>(bad);
    EXPECT_EQ(by_products(broken, 3), others);
    if (units.layers.size() == 1) continue;
    broken = units;
    broken.inputs[1].back()[0] = bad;
    EXPECT_EQ(by_products(broken, 3), others);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Products,
                         testing::Values(std::vector<LayerShape>{{12, 1}},
                                         std::vector<LayerShape>{{12, 3}},
                                         std::vector<LayerShape>{{9, 5}, {5, 3}},
                                         std::vector<LayerShape>{{30, 8}, {8, 6}, {6, 1}}),
                         [](const auto& chosen) {
                           std::string name = std::to_string(chosen.param.front().inputs);
                           for (const LayerShape& layer : chosen.param) {
                             name += "_to_" + std::to_string(layer.outputs);
                           }
                           return name;
                         });

// Integers: merged codes change where they are summed, not what comes out.
TEST(ProductCodes, DoNotChangeTheSum) {
  Units units = random_units(900, {{12, 1}}, 9);
  for (std::size_t i = 0; i < 900; ++i) {
    units.ones[i] = {static_cast<std::uint16_t>(2 + i % 4), static_cast<std::uint16_t>(6 + i % 7)};
  }
  const std::vector<std::size_t> sizes{4, 6};  // 6 + 6 = 12 columns, which stands for none
  const auto merged = std::make_shared<const ColumnCodes>(2, sizes);
  ASSERT_EQ(merged->per_row(2), 1U);
  const std::vector<double> plain = by_products(units, 900);
  EXPECT_EQ(by_products(units, 900, 1, merged), plain);
  EXPECT_EQ(by_products(units, 900, 2, merged), plain);
}

TEST(ProductShapes, RefuseBlocksOfAnotherShape) {
  const Units units = random_units(2, {{12, 1}}, 8);
  const Privatizer mechanism = privatizer(units);
  FactorBlock block({{11, 1}}, units.dense);
  const auto wrong = [&](int, std::span<const std::uint32_t>, std::span<const std::uint32_t>,
                         unsigned) -> FactorBlock& { return block; };
  EXPECT_FALSE(mechanism.sum_products(Protected(0), Batch::everyone(2), wrong).has_value());
}

}  // namespace
}  // namespace dpfermi
