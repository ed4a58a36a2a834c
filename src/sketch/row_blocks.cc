#include "sketch/row_blocks.h"

namespace dpfermi {
namespace {

std::optional<MergedCategories> merge(const HybridMatrix& x, const ModelSpec& model,
                                      std::span<const std::uint32_t> rows) {
  if (!model.hidden.empty() || x.category_count() < 2) return std::nullopt;
  return MergedCategories(x, rows);
}

ModelSpec with_columns(ModelSpec model, const std::optional<MergedCategories>& merged) {
  if (merged) model.inputs = merged->columns();
  return model;
}

}  // namespace

RowBlocks::RowBlocks(const HybridMatrix& x, const ModelSpec& model, std::vector<std::uint32_t> rows)
    : rows_(std::move(rows)),
      merged_(merge(x, model, rows_)),
      network_(with_columns(model, merged_)),
      codes_(std::make_shared<const ColumnCodes>(network_.spec().inputs)) {
  for (std::size_t first = 0; first < rows_.size(); first += FactorBlock::kRows) {
    add_block(x, first);
  }
}

void RowBlocks::add_block(const HybridMatrix& x, std::size_t first) {
  const std::size_t size = std::min(FactorBlock::kRows, rows_.size() - first);
  blocks_.push_back(
      {FactorBlock(network_.layers(), 0, codes_), std::span(rows_).subspan(first, size)});
  FactorBlock& block = blocks_.back().factors;
  Network::load(x, blocks_.back().rows, block);
  if (!merged_) return;
  block.resize(size, x.number_count(), merged_->categories());
  for (std::size_t i = 0; i < size; ++i) {
    const std::span<const std::uint16_t> ones = merged_->ones(first + i);
    for (std::size_t c = 0; c < ones.size(); ++c) block.codes(c)[i] = ones[c];
  }
}

RowBlocks::Weights RowBlocks::weights(std::span<const double> theta) const {
  Weights weights;
  if (merged_) {
    weights.theta = merged_->expand(theta, network_.layers()[0].outputs);
  } else {
    weights.theta.assign(theta.begin(), theta.end());
  }
  weights.of_codes = network_.code_weights(weights.theta, *codes_);
  return weights;
}

void RowBlocks::fold(std::vector<std::vector<double>> products, std::span<double> gradient) const {
  if (products.empty()) return;
  std::vector<double>& all = products.front();
  for (std::size_t task = 1; task < products.size(); ++task) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += products[task][i];
  }
  if (merged_) {
    merged_->fold(all, network_.layers()[0].outputs, gradient);
  } else {
    for (std::size_t i = 0; i < all.size(); ++i) gradient[i] += all[i];
  }
}

}  // namespace dpfermi
