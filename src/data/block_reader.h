#pragma once

/// Records that lie column by column: typed values instead of texts, many rows at a time. The
/// texts of a record follow from its values, so that such a table reads as the text file with the
/// same values does: a number becomes its shortest decimal, a code the text of its level, and what
/// is missing the empty text.

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/record_reader.h"

namespace dpfermi {

/// Some rows of one column: numbers, integers or codes of categories. NaN, the least integer and a
/// code without a level are missing: no message may depend on a code, which may be a protected
/// value.
struct ColumnBlock {
  static constexpr std::int64_t kMissingInteger = std::numeric_limits<std::int64_t>::min();

  std::span<const double> numbers;
  std::span<const std::int64_t> integers;
  std::span<const std::int32_t> codes;
  /// Of the codes; null: the column is numeric. Entries stay from block to block, more may follow.
  const std::vector<std::string>* levels = nullptr;

  bool numeric() const { return levels == nullptr; }
};

struct RecordBlock {
  std::size_t rows = 0;
  std::vector<ColumnBlock> columns;
  bool lasting = false;  ///< whether the values outlive the table that is made of them
};

/// One cell as a text file would hold it. `number` holds the text of a number.
std::string_view cell_text(const ColumnBlock& column, std::size_t row, std::string& number);

/// Hands out blocks or, for those who want texts, records; a caller keeps to one of the two.
class BlockReader : public RecordReader {
 public:
  /// Column types are settled on this many rows: the first block has as many, or all there are.
  static constexpr std::size_t kFirstRows = 10'000;

  BlockReader* blocks() override { return this; }

  /// The rows that follow, valid until the next call; a block without rows ends the table.
  virtual Result<const RecordBlock*> next_block() = 0;

  Result<bool> next() override;
  const std::vector<std::string_view>& fields() const override { return fields_; }

  /// Rows are counted from 0.
  std::uint64_t position() const override { return first_ + row_; }

 private:
  const RecordBlock* block_ = nullptr;
  std::uint64_t first_ = 0;         ///< row of the table at which the block begins
  std::size_t row_ = 0;             ///< of the block
  std::vector<std::string> texts_;  ///< of numbers
  std::vector<std::string_view> fields_;
};

}  // namespace dpfermi
