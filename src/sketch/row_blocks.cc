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
    : x_(&x),
      rows_(std::move(rows)),
      merged_(merge(x, model, rows_)),
      network_(with_columns(model, merged_)),
      codes_(std::make_shared<const ColumnCodes>(network_.spec().inputs)),
      blocks_((rows_.size() + kTaskRows - 1) / kTaskRows) {}

void RowBlocks::load(std::size_t task) {
  const std::size_t end = std::min(rows_.size(), (task + 1) * kTaskRows);
  for (std::size_t first = task * kTaskRows; first < end; first += FactorBlock::kRows) {
    const std::size_t size = std::min(FactorBlock::kRows, end - first);
    const auto rows = std::span<const std::uint32_t>(rows_).subspan(first, size);
    FactorBlock block(network_.layers(), 0, codes_);
    Network::load(*x_, rows, block);
    if (merged_) block.resize(size, x_->number_count(), merged_->categories());
    for (std::size_t i = 0; merged_ && i < size; ++i) {
      const std::span<const std::uint16_t> ones = merged_->ones(first + i);
      for (std::size_t c = 0; c < ones.size(); ++c) block.codes(c)[i] = ones[c];
    }
    blocks_[task].push_back({std::move(block), rows});
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
