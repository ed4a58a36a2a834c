#include "data/block_reader.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace dpfermi {

std::string_view cell_text(const ColumnBlock& column, std::size_t row, std::string& number) {
  if (!column.numeric()) {
    const auto code = static_cast<std::uint32_t>(column.codes[row]);
    return code < column.levels->size() ? std::string_view((*column.levels)[code]) : "";
  }
  // In place: a fingerprint needs the texts of every cell.
  number.clear();
  const auto write = [&](auto value) {
    fmt::format_to(std::back_inserter(number), FMT_COMPILE("{}"), value);
  };
  if (column.integers.empty()) {
    if (!std::isnan(column.numbers[row])) write(column.numbers[row]);
  } else if (column.integers[row] != ColumnBlock::kMissingInteger) {
    write(column.integers[row]);
  }
  return number;
}

Result<bool> BlockReader::next() {
  if (block_ != nullptr) ++row_;
  if (block_ == nullptr || row_ >= block_->rows) {
    first_ += row_;
    row_ = 0;
    DPFERMI_ASSIGN(block_, next_block());
    if (block_->rows == 0) return false;
    texts_.resize(block_->columns.size());
    fields_.resize(block_->columns.size());
  }
  for (std::size_t c = 0; c < fields_.size(); ++c) {
    fields_[c] = cell_text(block_->columns[c], row_, texts_[c]);
  }
  return true;
}

}  // namespace dpfermi
