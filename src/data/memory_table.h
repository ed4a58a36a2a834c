#pragma once

/// A table whose columns lie in the caller's memory. It is read through the same builders as a text
/// file: a number becomes its shortest decimal, a code the text of its level, and what is missing
/// the empty text. The same rows in the same order therefore have the fingerprint of the file that
/// holds these texts, and the same budget.

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/record_reader.h"
#include "dpfermi/core/result.h"

namespace dpfermi {

/// Numbers, of which NaN is missing, or codes of categories. A code without a level is missing: no
/// message may depend on a code, which may be a protected value.
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

/// One cell as a file would hold it. `number` holds the text of a number.
std::string_view cell_text(const MemoryColumn& column, std::size_t row, std::string& number);

class MemoryReader final : public RecordReader {
 public:
  /// `table` has to outlive the reader.
  explicit MemoryReader(const MemoryTable& table);

  const std::vector<std::string>& names() const override { return names_; }
  const std::string& source_name() const override { return table_->name; }
  Result<bool> next() override;
  const std::vector<std::string_view>& fields() const override { return fields_; }
  std::uint64_t position() const override { return row_; }

  /// Rows are counted from 0, as the caller does.
  std::string place(std::uint64_t position) const override;

  std::vector<ColumnKind> kinds() const override;
  std::size_t estimated_rows(std::size_t, std::size_t) const override { return table_->rows; }
  void skip_texts(const std::vector<std::size_t>& fields) override;
  const MemoryTable* whole() const override { return table_; }

 private:
  const MemoryTable* table_;
  std::vector<std::string> names_;
  std::vector<std::size_t> read_;   ///< fields that are not skipped
  std::vector<std::string> texts_;  ///< of numbers
  std::vector<std::string_view> fields_;
  std::uint64_t row_ = 0;
  bool started_ = false;
};

}  // namespace dpfermi
