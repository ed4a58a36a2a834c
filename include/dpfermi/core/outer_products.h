#pragma once

/// Sums of outer products, block by block. What one row adds to the gradient of a chain of linear
/// layers is, layer by layer, [a, 1] delta^T: its inputs times the derivative at its outputs. A
/// FactorBlock holds the two factors of a block of rows; add_products() sums their products without
/// ever forming those of one row.

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

/// The inputs of the first layer: numbers in columns 0, 1, ..., ones in the named columns. A column
/// past the last one stands for no entry.
struct SparseRow {
  std::span<const float> numbers;
  std::span<const std::uint16_t> ones;
};

class FactorBlock {
 public:
  /// Rows of a block: enough to amortise a call, few enough for the cache.
  static constexpr std::size_t kRows = 128;

  /// `dense` is the number of entries that each row carries besides its products.
  explicit FactorBlock(std::vector<LayerShape> layers, std::size_t dense = 0);

  /// Sets the number of rows in use, at most kRows; contents are then unspecified.
  void resize(std::size_t rows) { rows_ = rows; }
  std::size_t rows() const { return rows_; }
  const std::vector<LayerShape>& layers() const { return layers_; }

  /// Entries of all layers together.
  std::size_t parameters() const { return parameters_; }
  std::size_t dense_size() const { return dense_size_; }

  SparseRow& sparse(std::size_t row) { return sparse_[row]; }
  const SparseRow& sparse(std::size_t row) const { return sparse_[row]; }

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
  std::array<SparseRow, kRows> sparse_;
  std::vector<std::vector<double>> inputs_;
  std::vector<std::vector<double>> deltas_;
  std::vector<double> dense_;
};

/// How the numbers of sparse rows are read.
enum class SparseNumbers {
  kAsTheyAre,
  kOnLattice,  ///< trunc(2^kInputBits x): integers; ones and the bias are 2^kInputBits
};
inline constexpr int kInputBits = 18;

/// sums += the products of the block, layer after layer. Where all factors are integers and no
/// partial sum exceeds 2^53, the sums are exact integers whatever the order.
/// Requires sums.size() == block.parameters().
void add_products(const FactorBlock& block, SparseNumbers numbers, std::span<double> sums);

}  // namespace dpfermi
