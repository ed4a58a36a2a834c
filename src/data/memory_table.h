#pragma once

/// A table whose columns lie in the caller's memory. It is read through the same builders as a text
/// file. The same rows in the same order therefore have the fingerprint of the file that holds
/// their texts (data/block_reader.h), and the same budget.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/block_reader.h"
#include "dpfermi/core/result.h"

namespace dpfermi {

/// Numbers or codes, as in a ColumnBlock.
struct MemoryColumn {
  std::string name;
  bool numeric = false;
  std::span<const double> numbers;      ///< of a numeric column
  std::span<const std::int32_t> codes;  ///< of any other
  std::vector<std::string> levels;
};

/// The creator keeps the columns alive and unchanged as long as it is used.
struct MemoryTable {
  std::string name;  ///< in messages, cards and model files
  std::size_t rows = 0;
  std::vector<MemoryColumn> columns;
};

/// Refuses columns of another length than the table, names that are empty, used twice or not UTF-8.
Status check_memory_table(const MemoryTable& table);

/// One block: the whole table.
class MemoryReader final : public BlockReader {
 public:
  /// `table` has to outlive the reader, and what is made of its blocks.
  explicit MemoryReader(const MemoryTable& table);

  const std::vector<std::string>& names() const override { return names_; }
  const std::string& source_name() const override { return table_->name; }
  std::vector<ColumnKind> kinds() const override;
  std::size_t estimated_rows(std::size_t, std::size_t) const override { return table_->rows; }
  Result<const RecordBlock*> next_block() override;

  /// Rows are counted from 0, as the caller does.
  std::string place(std::uint64_t position) const override;

 private:
  const MemoryTable* table_;
  std::vector<std::string> names_;
  RecordBlock block_;
  bool started_ = false;
};

}  // namespace dpfermi
