// Passes over all rows: merged categories and whitened coordinates against plain definitions.

#include "sketch/row_blocks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "sketch/minimise.h"
#include "sketch/whitening.h"

namespace dpfermi {
namespace {

/// Numbers, and categories of these sizes in which the first value is the usual one and the last
/// may be missing.
HybridMatrix mixed_rows(std::size_t rows, const std::vector<std::size_t>& sizes) {
  constexpr std::size_t kNumbers = 2;
  HybridMatrix x(rows, kNumbers, sizes);
  std::mt19937 random(7);
  for (std::size_t i = 0; i < rows; ++i) {
    const HybridMatrix::MutableRow row = x.row(i);
    for (float& number : row.numbers) number = static_cast<float>(random() % 1000) / 500.0F - 1;
    std::size_t first = kNumbers;
    for (std::size_t c = 0; c < sizes.size(); ++c) {
      const std::size_t value = random() % 4 > 0 ? 0 : random() % (sizes[c] + 1);
      const std::size_t column = value == sizes[c] ? x.columns() : first + value;
      row.ones[c] = static_cast<std::uint16_t>(column);
      first += sizes[c];
    }
  }
  return x;
}

std::vector<std::uint32_t> odd_rows(std::size_t count) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t row = 1; row < count; row += 2) rows.push_back(row);
  return rows;
}

std::vector<double> random_values(std::size_t count) {
  std::mt19937 random(11);
  std::normal_distribution<double> normal;
  std::vector<double> values(count);
  for (double& value : values) value = normal(random);
  return values;
}

TEST(RowBlocks, AgreeWithTheDenseMatrix) {
  const std::vector<std::size_t> sizes{3, 2, 4, 900, 3, 2};
  const HybridMatrix x = mixed_rows(6001, sizes);
  const std::vector<std::uint32_t> rows = odd_rows(x.rows());
  const MergedCategories merged(x, rows);
  // Three small ones become one, so do two; the widest has too many values.
  EXPECT_EQ(merged.categories(), 3U);
  for (const std::size_t classes : {std::size_t{2}, std::size_t{3}}) {
    const ModelSpec spec{x.columns(), classes, {}};
    const std::size_t width = spec.outputs();
    RowBlocks blocks(x, spec, rows);
    const std::vector<double> theta = random_values(spec.parameter_count());
    const std::vector<double> factors = random_values(rows.size() * width);
    std::vector<double> outputs(rows.size() * width);
    std::vector<double> gradient(theta.size());
    double sum = 0;
    const RowBlocks::Weights weights = blocks.weights(theta);
    blocks.sum_products(
        nullptr, {&sum, 1}, gradient, [&](RowBlocks::Block& block, std::span<double> part) {
          const auto first = static_cast<std::size_t>(block.rows.data() - blocks.rows().data());
          const std::size_t size = block.rows.size() * width;
          blocks.forward(weights, block, std::span(outputs).subspan(first * width, size));
          std::ranges::copy(std::span(factors).subspan(first * width, size),
                            block.factors.deltas(0).begin());
          part[0] += static_cast<double>(block.rows.size());
        });
    EXPECT_EQ(sum, static_cast<double>(rows.size()));
    std::vector<double> expected(theta.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      for (std::size_t o = 0; o < width; ++o) {
        double output = 0;
        for (std::size_t j = 0; j <= x.columns(); ++j) {
          const double entry = j == x.columns() ? 1 : x.at(rows[i], j);
          output += entry * theta[j * width + o];
          expected[j * width + o] += entry * factors[i * width + o];
        }
        ASSERT_NEAR(outputs[i * width + o], output, 1e-12);
      }
    }
    for (std::size_t j = 0; j < theta.size(); ++j) ASSERT_NEAR(gradient[j], expected[j], 1e-10);
  }
}

TEST(RowBlocks, GiveTheSameSumsWhetherBlocksAreKeptOrLoadedAnew) {
  const HybridMatrix x = mixed_rows(9001, {3, 2, 4});
  const ModelSpec spec{x.columns(), 2, {}};
  const std::vector<double> theta = random_values(spec.parameter_count());
  std::vector<std::vector<double>> gradients;
  for (const std::size_t most_kept : {RowBlocks::kMostKept, std::size_t{0}}) {
    RowBlocks blocks(x, spec, odd_rows(x.rows()), most_kept);
    const RowBlocks::Weights weights = blocks.weights(theta);
    for (const bool again : {false, true}) {
      std::vector<double> gradient(theta.size());
      blocks.sum_products(nullptr, {}, gradient, [&](RowBlocks::Block& block, std::span<double>) {
        blocks.forward(weights, block, block.factors.deltas(0).first(block.rows.size()));
        if (again) blocks.backward(weights, block);
      });
      gradients.push_back(std::move(gradient));
    }
  }
  EXPECT_NE(gradients.front(), std::vector<double>(theta.size()));
  for (const std::vector<double>& gradient : gradients) EXPECT_EQ(gradient, gradients.front());
}

TEST(RowBlocks, KeepCategoriesApartWhereRowsAreFew) {
  const HybridMatrix x = mixed_rows(20, {3, 2, 4});
  EXPECT_EQ(MergedCategories(x, odd_rows(x.rows())).categories(), 3U);
}

/// 1,200 questions with two answers that have nothing to do with each other: nine of them have 512
/// combinations, and all of them more than 16 bits can number.
TEST(RowBlocks, AgreeWithTheDenseMatrixWhereCombinationsAreTooMany) {
  constexpr std::size_t kQuestions = 1200;
  HybridMatrix x(4200, 0, std::vector<std::size_t>(kQuestions, 2));
  std::mt19937 random(5);
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t c = 0; c < kQuestions; ++c) {
      x.row(i).ones[c] = static_cast<std::uint16_t>(2 * c + random() % 2);
    }
  }
  std::vector<std::uint32_t> rows(x.rows());
  std::iota(rows.begin(), rows.end(), 0U);
  ASSERT_GT(MergedCategories(x, rows).columns(), HybridMatrix::kMaxColumns);
  const ModelSpec spec{x.columns(), 2, {}};
  RowBlocks blocks(x, spec, rows);
  const std::vector<double> theta = random_values(spec.parameter_count());
  const RowBlocks::Weights weights = blocks.weights(theta);
  std::vector<double> gradient(theta.size());
  std::vector<double> outputs(rows.size());
  blocks.sum_products(
      nullptr, {}, gradient, [&](RowBlocks::Block& block, std::span<double> /*part*/) {
        const auto first = static_cast<std::size_t>(block.rows.data() - blocks.rows().data());
        blocks.forward(weights, block, std::span(outputs).subspan(first, block.rows.size()));
        std::ranges::fill(block.factors.deltas(0).first(block.rows.size()), 1.0);
      });
  std::vector<double> expected(theta.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double output = theta.back();
    for (const std::uint16_t one : x.row(i).ones) {
      output += theta[one];
      expected[one] += 1;
    }
    ASSERT_NEAR(outputs[i], output, 1e-10);
  }
  expected.back() = static_cast<double>(rows.size());
  EXPECT_EQ(gradient, expected);
}

/// Inputs of very different sizes, two of which nearly repeat each other.
struct Inputs {
  static constexpr std::size_t kCount = 4;
  static constexpr std::size_t kRows = 500;
  std::vector<double> phi = [] {
    std::vector<double> values = random_values(kRows * kCount);
    for (std::size_t i = 0; i < kRows; ++i) {
      double* row = values.data() + i * kCount;
      row[1] = row[0] + 0.01 * row[1];
      row[2] *= 100;
      row[3] = i % 50 == 0 ? 1 : 0;
    }
    return values;
  }();
  const double* row(std::size_t i) const { return phi.data() + i * kCount; }
};

double weight_of(std::size_t i) {
  return 1 + static_cast<double>(i % 3);
}

std::optional<Whitening> whitening_of(const Inputs& inputs, double ridge) {
  return Whitening::create(
      Inputs::kRows,
      [&](std::size_t i, auto& phi) {
        for (std::size_t j = Inputs::kCount; j-- > 0;) {
          if (inputs.row(i)[j] != 0) phi.emplace_back(j, inputs.row(i)[j]);
        }
        return weight_of(i);
      },
      std::vector<double>(Inputs::kCount, ridge));
}

TEST(Whitening, MakesInputsUncorrelatedAndOfOneSize) {
  const Inputs inputs;
  const Whitening whitening = whitening_of(inputs, 0).value();
  // Gradients are sums of inputs: what is done to them is done to inputs.
  std::vector<double> moments(Inputs::kCount * Inputs::kCount);
  double total = 0;
  for (std::size_t i = 0; i < Inputs::kRows; ++i) {
    std::vector<double> white(Inputs::kCount);
    whitening.whiten_gradient({inputs.row(i), Inputs::kCount}, white);
    total += weight_of(i);
    for (std::size_t a = 0; a < white.size(); ++a) {
      for (std::size_t b = 0; b < white.size(); ++b) {
        moments[a * white.size() + b] += weight_of(i) * white[a] * white[b];
      }
    }
  }
  for (std::size_t a = 0; a < Inputs::kCount; ++a) {
    for (std::size_t b = 0; b < Inputs::kCount; ++b) {
      EXPECT_NEAR(moments[a * Inputs::kCount + b] / total, a == b ? 1 : 0, 1e-8);
    }
  }
}

TEST(Whitening, KeepsOutputsAndCanBeUndone) {
  const Inputs inputs;
  const Whitening whitening = whitening_of(inputs, 0.1).value();
  const std::vector<double> theta = random_values(Inputs::kCount * 3);
  const std::vector<double> u = whitening.whiten(theta);
  std::vector<double> back(theta.size());
  whitening.restore(u, back);
  for (std::size_t j = 0; j < theta.size(); ++j) EXPECT_NEAR(back[j], theta[j], 1e-10);
  std::vector<double> white(Inputs::kCount);
  whitening.whiten_gradient({inputs.row(5), Inputs::kCount}, white);
  for (std::size_t o = 0; o < 3; ++o) {
    double plain = 0;
    double same = 0;
    for (std::size_t j = 0; j < Inputs::kCount; ++j) {
      plain += inputs.row(5)[j] * theta[j * 3 + o];
      same += white[j] * u[j * 3 + o];
    }
    EXPECT_NEAR(same, plain, 1e-9);
  }
}

TEST(Whitening, IsRefusedWhereItCannotBe) {
  const auto once = [](std::size_t /*i*/, auto& phi) {
    phi.emplace_back(0, 1.0);
    phi.emplace_back(1, 1.0);
    return 1.0;
  };
  EXPECT_FALSE(Whitening::create(10, once, std::vector<double>(2, 0.0)).has_value());
  EXPECT_TRUE(Whitening::create(10, once, std::vector<double>(2, 0.1)).has_value());
  EXPECT_FALSE(Whitening::create(0, once, std::vector<double>(2, 0.1)).has_value());
  const std::vector<double> many(Whitening::kMostInputs + 1, 0.1);
  EXPECT_FALSE(Whitening::create(10, once, many).has_value());
}

TEST(Minimise, NeedsFewerPassesInWhitenedCoordinates) {
  const Inputs inputs;
  const SmoothFunction loss = [&](std::span<const double> at, std::span<double> gradient) {
    double value = 0;
    std::ranges::fill(gradient, 0.0);
    for (std::size_t i = 0; i < Inputs::kRows; ++i) {
      const double* row = inputs.row(i);
      const double z = std::inner_product(at.begin(), at.end(), row, 0.0);
      const double label = i % 3 == 0 ? 1 : 0;
      value += (std::log1p(std::exp(z)) - label * z) / Inputs::kRows;
      const double delta = (1 / (1 + std::exp(-z)) - label) / Inputs::kRows;
      for (std::size_t j = 0; j < Inputs::kCount; ++j) gradient[j] += delta * row[j];
    }
    return value;
  };
  std::vector<double> plain(Inputs::kCount, 0.0);
  std::vector<double> white = plain;
  const Whitening whitening = whitening_of(inputs, 1e-6).value();
  MinimiseOptions options{.most_iterations = 500, .gradient_tolerance = 1e-9, .value_tolerance = 0};
  const Minimum slow = minimise(loss, plain, options).value();
  options.whitening = &whitening;
  std::size_t calls = 0;
  options.watch = [&](std::span<const double> at) {
    ++calls;
    return at.size() == Inputs::kCount;
  };
  const Minimum fast = minimise(loss, white, options).value();
  EXPECT_NEAR(fast.value, slow.value, 1e-12);
  EXPECT_LT(2 * fast.evaluations, slow.evaluations);
  EXPECT_GT(calls, 2U);
  for (std::size_t j = 0; j < Inputs::kCount; ++j) EXPECT_NEAR(white[j], plain[j], 1e-4);
  // From the minimum there is nowhere to go.
  options.gradient_tolerance = 1e-6;
  EXPECT_EQ(minimise(loss, white, options).value().evaluations, 1U);
}

TEST(Minimise, RefusesWhatIsNotFiniteInWhitenedCoordinates) {
  const Whitening whitening = whitening_of(Inputs(), 1e-6).value();
  const SmoothFunction broken = [](std::span<const double>, std::span<double> gradient) {
    std::ranges::fill(gradient, std::nan(""));
    return std::nan("");
  };
  std::vector<double> x(Inputs::kCount, 1.0);
  EXPECT_FALSE(minimise(broken, x, {.whitening = &whitening}).has_value());
  EXPECT_EQ(x[0], 1);
}

}  // namespace
}  // namespace dpfermi
