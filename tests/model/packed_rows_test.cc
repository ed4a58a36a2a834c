// Packed rows against the matrix they were made from: columns, labels, outputs, sums.

#include "model/packed_rows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "model/network.h"

namespace dpfermi {
namespace {

constexpr std::size_t kData = 300;

struct Case {
  std::size_t numbers;
  std::vector<std::size_t> sizes;
};

class Packed : public testing::TestWithParam<Case> {
 protected:
  Packed() : x_(kData, GetParam().numbers, GetParam().sizes), y_(kData) {
    for (std::size_t i = 0; i < kData; ++i) {
      const HybridMatrix::MutableRow row = x_.row(i);
      for (float& number : row.numbers) number = normal_(random_);
      std::size_t first = GetParam().numbers;
      for (std::size_t c = 0; c < row.ones.size(); ++c) {
        const std::size_t value = random_() % (GetParam().sizes[c] + 1);
        const bool none = value == GetParam().sizes[c];
        row.ones[c] = static_cast<std::uint16_t>(none ? x_.columns() : first + value);
        first += GetParam().sizes[c];
      }
      y_[i] = static_cast<std::uint16_t>(random_());
    }
  }

  std::vector<std::uint32_t> random_rows(std::size_t count) {
    std::vector<std::uint32_t> rows(count);
    for (std::uint32_t& row : rows) row = static_cast<std::uint32_t>(random_() % kData);
    return rows;
  }

  /// The same rows in memory that the matrix does not own.
  HybridMatrix mapped() const {
    const std::span<const std::byte> bytes = x_.row_bytes();
    const std::shared_ptr<std::byte[]> copy(new std::byte[bytes.size()]);
    std::ranges::copy(bytes, copy.get());
    return HybridMatrix(kData, GetParam().numbers, GetParam().sizes,
                        std::shared_ptr<const std::byte>(copy, copy.get()));
  }

  std::vector<double> random_vector(std::size_t size) {
    std::vector<double> values(size);
    for (double& value : values) value = normal_(random_);
    return values;
  }

  std::mt19937_64 random_{3};
  std::normal_distribution<float> normal_;
  HybridMatrix x_;
  std::vector<std::uint16_t> y_;
};

TEST_P(Packed, RowsOutputsAndSumsAreThoseOfTheMatrix) {
  const std::size_t d = x_.columns();
  const Network network({d, 2, {}});
  const PackedRows packed(
      x_, y_, std::make_shared<const ColumnCodes>(x_.number_count(), x_.category_sizes()));
  FactorBlock block(network.layers(), 0, packed.codes());
  for (const std::size_t count : {1U, 7U, 8U, 100U, 128U}) {
    const std::vector<std::uint32_t> rows = random_rows(count);
    const std::vector<double> theta = random_vector(d + 1);
    const std::vector<double> deltas = random_vector(count);
    packed.load(rows, rows, block);
    std::vector<double> outputs(count);
    network.forward(theta, block, outputs);
    std::ranges::copy(deltas, block.deltas(0).begin());
    std::vector<double> sums(d + 1);
    add_products(block, 1, sums);

    std::vector<double> expected(d + 1);
    for (std::size_t i = 0; i < count; ++i) {
      EXPECT_EQ(block.labels()[i], y_[rows[i]]);
      double output = theta[d];
      for (std::size_t j = 0; j < d; ++j) {
        const double entry = x_.at(rows[i], j);
        output += theta[j] * entry;
        expected[j] += deltas[i] * entry;
      }
      expected[d] += deltas[i];
      EXPECT_NEAR(outputs[i], output, 1e-12);
    }
    for (std::size_t j = 0; j <= d; ++j) EXPECT_NEAR(sums[j], expected[j], 1e-12) << j;
  }
}

TEST_P(Packed, RowsOfAMappedMatrixGiveTheSameBlocks) {
  const Network network({x_.columns(), 2, {}});
  const auto codes = std::make_shared<const ColumnCodes>(x_.number_count(), x_.category_sizes());
  HybridMatrix elsewhere = mapped();
  ASSERT_TRUE(elsewhere.is_elsewhere());
  const std::vector<std::uint32_t> rows = random_rows(100);
  const std::vector<double> theta = random_vector(x_.columns() + 1);
  std::vector<std::vector<double>> outputs;
  for (const HybridMatrix* x : {&x_, &elsewhere}) {
    FactorBlock block(network.layers(), 0, codes);
    PackedRows(*x, y_, codes).load(rows, rows, block);
    network.forward(theta, block, outputs.emplace_back(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(block.labels()[i], y_[rows[i]]);
  }
  EXPECT_EQ(outputs[0], outputs[1]);
}

// What a private sum adds for a row must not depend on the rows around it.
TEST_P(Packed, AnOutputDoesNotDependOnTheOtherRows) {
  const Network network({x_.columns(), 2, {}});
  const PackedRows packed(
      x_, y_, std::make_shared<const ColumnCodes>(x_.number_count(), x_.category_sizes()));
  FactorBlock block(network.layers(), 0, packed.codes());
  const std::vector<double> theta = random_vector(x_.columns() + 1);
  const auto outputs_of = [&](std::span<const std::uint32_t> rows) {
    std::vector<double> outputs(rows.size());
    packed.load(rows, {}, block);
    network.forward(theta, block, outputs);
    return outputs;
  };
  const std::vector<std::uint32_t> rows = random_rows(FactorBlock::kRows);
  const std::vector<double> together = outputs_of(rows);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(outputs_of(std::span(rows).subspan(i, 1))[0], together[i]);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, Packed,
                         testing::Values(Case{6, {7, 16, 7, 14, 6, 5, 41}}, Case{5, {}},
                                         Case{0, {3, 4}}, Case{1, {1}}, Case{9, {2, 2, 2, 900}},
                                         Case{20, std::vector<std::size_t>(12, 3)}),
                         [](const auto& chosen) {
                           return fmt::format("{}_numbers_{}_categories", chosen.param.numbers,
                                              chosen.param.sizes.size());
                         });

}  // namespace
}  // namespace dpfermi
