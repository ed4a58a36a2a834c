#include "sketch/row_blocks.h"

namespace dpfermi {
namespace {

/// Nothing where categories are walked as they are in x. So are those with more combinations than
/// 16 bits can number.
std::optional<MergedCategories> merge(const HybridMatrix& x, const ModelSpec& model,
                                      std::span<const std::uint32_t> rows) {
  if (!model.hidden.empty() || x.category_count() < 2) return std::nullopt;
  MergedCategories merged(x, rows);
  if (merged.columns() > HybridMatrix::kMaxColumns) return std::nullopt;
  return merged;
}

ModelSpec with_columns(ModelSpec model, const std::optional<MergedCategories>& merged) {
  if (merged) model.inputs = merged->columns();
  return model;
}

}  // namespace

RowBlocks::RowBlocks(const HybridMatrix& x, const ModelSpec& model, std::vector<std::uint32_t> rows,
                     std::size_t most_kept)
    : x_(&x),
      rows_(std::move(rows)),
      merged_(merge(x, model, rows_)),
      network_(with_columns(model, merged_)),
      codes_(std::make_shared<const ColumnCodes>(network_.spec().inputs)),
      keeps_(!model.hidden.empty() || rows_.size() <= most_kept),
      blocks_((rows_.size() + kTaskRows - 1) / kTaskRows) {}

std::vector<RowBlocks::Block> RowBlocks::load(std::size_t task) const {
  std::vector<Block> blocks;
  for (std::size_t first = task * kTaskRows; first < end_of(task); first += FactorBlock::kRows) {
    load(first, blocks.emplace_back(empty_block()));
  }
  return blocks;
}

void RowBlocks::load(std::size_t first, Block& block) const {
  const std::size_t size = std::min(FactorBlock::kRows, rows_.size() - first);
  block.rows = std::span<const std::uint32_t>(rows_).subspan(first, size);
  Network::load(*x_, block.rows, block.factors);
  if (!merged_) return;
  block.factors.resize(size, x_->number_count(), merged_->categories());
  for (std::size_t i = 0; i < size; ++i) {
    const std::span<const std::uint16_t> ones = merged_->ones(first + i);
    for (std::size_t c = 0; c < ones.size(); ++c) block.factors.codes(c)[i] = ones[c];
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

void RowBlocks::fold(std::span<double> products, std::span<double> gradient) const {
  if (products.empty()) return;
  const std::span<double> all = products.first(network_.spec().parameter_count());
  for (std::size_t start = all.size(); start < products.size(); start += all.size()) {
    for (std::size_t i = 0; i < all.size(); ++i) all[i] += products[start + i];
  }
  if (merged_) {
    merged_->fold(all, network_.layers()[0].outputs, gradient);
  } else {
    for (std::size_t i = 0; i < all.size(); ++i) gradient[i] += all[i];
  }
}

}  // namespace dpfermi
