#include "data/hybrid_matrix.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace dpfermi {
namespace {

std::size_t stride_of(std::size_t numbers, std::size_t categories) {
  const std::size_t bytes = numbers * sizeof(float) + categories * sizeof(std::uint16_t);
  return (bytes + alignof(float) - 1) / alignof(float) * alignof(float);
}

}  // namespace

HybridMatrix::HybridMatrix(std::size_t rows, std::size_t numbers, std::size_t categories,
                           std::size_t columns)
    : rows_(rows),
      numbers_(numbers),
      categories_(categories),
      columns_(columns),
      stride_(stride_of(numbers, categories)),
      storage_(rows * stride_) {
  assert(columns <= kMaxColumns);
}

HybridMatrix::HybridMatrix(std::size_t rows, std::size_t numbers, std::vector<std::size_t> sizes)
    : HybridMatrix(rows, numbers, sizes.size(),
                   std::accumulate(sizes.begin(), sizes.end(), numbers)) {
  sizes_ = std::move(sizes);
}

HybridMatrix::HybridMatrix(std::size_t rows, std::size_t numbers, std::vector<std::size_t> sizes,
                           std::shared_ptr<const std::byte> bytes)
    : HybridMatrix(0, numbers, std::move(sizes)) {
  rows_ = rows;
  elsewhere_ = std::move(bytes);
}

/// Rows that lie elsewhere cannot be changed there.
void HybridMatrix::keep_copy() {
  storage_.assign(elsewhere_.get(), elsewhere_.get() + bytes());
  elsewhere_.reset();
}

HybridMatrix HybridMatrix::shaped(std::size_t rows) const {
  HybridMatrix other(rows, numbers_, categories_, columns_);
  other.sizes_ = sizes_;
  return other;
}

float HybridMatrix::at(std::size_t i, std::size_t j) const {
  const Row r = row(i);
  if (j < numbers_) return r.numbers[j];
  return std::ranges::find(r.ones, static_cast<std::uint16_t>(j)) != r.ones.end() ? 1.0F : 0.0F;
}

double HybridMatrix::mean_square() const {
  double sum = 0;
  for (std::size_t i = 0; i < rows_; ++i) {
    const Row r = row(i);
    for (const float number : r.numbers) sum += double{number} * number;
    for (const std::uint16_t column : r.ones) sum += column < columns_ ? 1 : 0;
  }
  return rows_ > 0 ? sum / static_cast<double>(rows_) : 0;
}

}  // namespace dpfermi
