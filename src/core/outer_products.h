#pragma once

/// Sums of outer products, block by block. What one row adds to the gradient of a chain of linear
/// layers is, layer by layer, [a, 1] delta^T: its inputs times the derivative at its outputs. A
/// FactorBlock holds the two factors of a block of rows; ProductSums sums their products without
/// ever forming those of one row.
///
/// The first layer's inputs are numbers in columns 0, 1, ... and ones, named by codes
/// (core/column_codes.h). Both are kept column by column so that loops over rows run on vectors.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/column_codes.h"

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

  /// `dense` is the number of entries that each row carries besides its products. Without `codes`
  /// a one is named by its column. Requires codes that are not merged where the first layer has
  /// several outputs.
  explicit FactorBlock(std::vector<LayerShape> layers, std::size_t dense = 0,
                       std::shared_ptr<const ColumnCodes> codes = nullptr);

  /// Sets the number of rows in use, at most kRows, and how many numbers and codes each has; the
  /// contents are then unspecified. `ones`: how many columns the codes of a row stand for, where
  /// that is the same for all and known.
  void resize(std::size_t rows, std::size_t numbers, std::size_t codes,
              std::optional<std::size_t> ones = {});
  std::size_t rows() const { return rows_; }
  std::size_t number_count() const { return number_count_; }
  std::size_t code_count() const { return code_count_; }
  std::optional<std::size_t> ones_per_row() const { return ones_per_row_; }
  const std::vector<LayerShape>& layers() const { return layers_; }

  /// Entries of all layers together.
  std::size_t parameters() const { return parameters_; }
  std::size_t dense_size() const { return dense_size_; }

  /// Column j of the first layer's inputs, kRows long.
  double* numbers(std::size_t j) { return numbers_.data() + j * kRows; }
  const double* numbers(std::size_t j) const { return numbers_.data() + j * kRows; }

  /// Code c of every row, kRows long.
  std::uint16_t* codes(std::size_t c) { return codes_.data() + c * kRows; }
  const std::uint16_t* codes(std::size_t c) const { return codes_.data() + c * kRows; }

  /// Room for a label of every row, for those who load them along; more room after it.
  std::span<std::uint16_t> labels() { return {codes(code_count_), rows_}; }
  std::span<const std::uint16_t> labels() const { return {codes(code_count_), rows_}; }

  /// What the codes stand for.
  const std::shared_ptr<const ColumnCodes>& column_codes() const { return column_codes_; }

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

  /// Dense entry j of every row; all of them, kRows apart.
  std::span<double> dense() { return dense_; }
  std::span<double> dense(std::size_t j) { return std::span(dense_).subspan(j * kRows, rows_); }
  std::span<const double> dense(std::size_t j) const {
    return std::span(dense_).subspan(j * kRows, rows_);
  }

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
  std::size_t code_count_ = 0;
  std::optional<std::size_t> ones_per_row_;
  std::shared_ptr<const ColumnCodes> column_codes_;
  std::vector<double> numbers_;
  std::vector<std::uint16_t> codes_;
  std::vector<std::vector<double>> inputs_;
  std::vector<std::vector<double>> deltas_;
  std::vector<double> dense_;
};

/// Sums of products over any number of blocks of one shape. A "one" and the input of a bias count
/// as `one`. Where all factors are integers and no partial sum exceeds 2^53, the sums are exact
/// integers whatever the order.
class ProductSums {
 public:
  void add(const FactorBlock& block, double one);

  /// sums += all of it, layer after layer; nothing is left. Requires sums.size() to be the number
  /// of parameters of the blocks.
  void move_to(std::span<double> sums);

 private:
  void add_single(const FactorBlock& block, double one);
  void add_several(const FactorBlock& block, double one);

  std::shared_ptr<const ColumnCodes> codes_;
  std::vector<double> sums_;     ///< by parameter
  std::vector<double> by_code_;  ///< twice by code, where the first layer has one output
};

/// sums += the products of one block.
void add_products(const FactorBlock& block, double one, std::span<double> sums);

/// sums += the dense entries of every row. Requires sums.size() == block.dense_size().
void add_dense(const FactorBlock& block, std::span<double> sums);

}  // namespace dpfermi
