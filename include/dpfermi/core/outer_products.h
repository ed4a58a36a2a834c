#pragma once

/// Sums of outer products, block by block. What one row adds to the gradient of a chain of linear
/// layers is, layer by layer, [a, 1] delta^T: its inputs times the derivative at its outputs. A
/// FactorBlock holds the two factors of a block of rows; add_products() sums their products without
/// ever forming those of one row.
///
/// The first layer's inputs are numbers in columns 0, 1, ..., kept column by column so that loops
/// over rows run on vectors, and ones in named columns, which stay where they are in memory.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dpfermi {

/// One linear layer: weights (inputs + 1) x outputs, row-major, the last row being the bias.
struct LayerShape {
  std::size_t inputs;
  std::size_t outputs;
  std::size_t parameters() const { return (inputs + 1) * outputs; }
};

class FactorBlock {
 public:
  /// Rows of a block: enough to amortise a call, few enough for the cache.
  static constexpr std::size_t kRows = 128;

  /// `dense` is the number of entries that each row carries besides its products.
  explicit FactorBlock(std::vector<LayerShape> layers, std::size_t dense = 0);

  /// Sets the number of rows in use, at most kRows, and how many numbers and ones each has; the
  /// contents are then unspecified.
  void resize(std::size_t rows, std::size_t numbers, std::size_t ones);
  std::size_t rows() const { return rows_; }
  std::size_t number_count() const { return number_count_; }
  std::size_t one_count() const { return one_count_; }
  const std::vector<LayerShape>& layers() const { return layers_; }

  /// Entries of all layers together.
  std::size_t parameters() const { return parameters_; }
  std::size_t dense_size() const { return dense_size_; }

  /// Column j of the first layer's inputs, kRows long.
  double* numbers(std::size_t j) { return numbers_.data() + j * kRows; }
  const double* numbers(std::size_t j) const { return numbers_.data() + j * kRows; }

  /// Where the columns that hold a row's ones are listed, one_count() of them; layers()[0].inputs
  /// stands for none.
  const std::uint16_t*& ones(std::size_t row) { return ones_[row]; }
  const std::uint16_t* ones(std::size_t row) const { return ones_[row]; }

  /// Room for a number per column of the first layer and one more, for none.
  std::span<double> columns() const { return columns_; }

  /// Inputs of layer j >= 1: rows x inputs.
  std::span<double> inputs(std::size_t j) { return used(inputs_[j], layers_[j].inputs); }
  std::span<const double> inputs(std::size_t j) const {
    return used(inputs_[j], layers_[j].inputs);
  }

  /// Derivatives at the outputs of layer j: rows x outputs.
  std::span<double> deltas(std::size_t j) { return used(deltas_[j], layers_[j].outputs); }
  std::span<const double> deltas(std::size_t j) const {
    return used(deltas_[j], layers_[j].outputs);
  }

  /// rows x dense_size().
  std::span<double> dense() { return used(dense_, dense_size_); }
  std::span<const double> dense() const { return used(dense_, dense_size_); }

 private:
  std::span<double> used(std::vector<double>& values, std::size_t width) const {
    return std::span(values).first(rows_ * width);
  }
  std::span<const double> used(const std::vector<double>& values, std::size_t width) const {
    return std::span(values).first(rows_ * width);
  }

  std::vector<LayerShape> layers_;
  std::size_t parameters_ = 0;
  std::size_t dense_size_;
  std::size_t rows_ = 0;
  std::size_t number_count_ = 0;
  std::size_t one_count_ = 0;
  std::vector<double> numbers_;
  std::array<const std::uint16_t*, kRows> ones_{};
  mutable std::vector<double> columns_;
  std::vector<std::vector<double>> inputs_;
  std::vector<std::vector<double>> deltas_;
  std::vector<double> dense_;
};

/// sums += the products of the block, layer after layer, where a "one" and the input of a bias are
/// `one`. Where all factors are integers and no partial sum exceeds 2^53, the sums are exact
/// integers whatever the order.
/// Requires sums.size() == block.parameters().
void add_products(const FactorBlock& block, double one, std::span<double> sums);

/// sums += the dense entries of every row. Requires sums.size() == block.dense_size().
void add_dense(const FactorBlock& block, std::span<double> sums);

}  // namespace dpfermi
