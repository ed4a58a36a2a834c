#include "data/memory_table.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "core/text.h"

namespace dpfermi {

Status check_memory_table(const MemoryTable& table) {
  if (table.columns.empty()) return failed(fmt::format("{}: has no columns", table.name));
  std::set<std::string_view> seen;
  for (const MemoryColumn& column : table.columns) {
    if (column.name.empty() || find_invalid_utf8(column.name) != std::string_view::npos) {
      return failed(fmt::format("{}: the column name '{}' is empty or not UTF-8; rename it",
                                table.name, printable(column.name)));
    }
    if (!seen.insert(column.name).second) {
      return failed(fmt::format("{}: the column name '{}' appears twice; rename one of them",
                                table.name, printable(column.name)));
    }
    const std::size_t rows = column.numeric ? column.numbers.size() : column.codes.size();
    if (rows != table.rows) {
      return failed(fmt::format("{}: column '{}' has {} rows, the table has {}", table.name,
                                printable(column.name), rows, table.rows));
    }
  }
  return {};
}

MemoryReader::MemoryReader(const MemoryTable& table) : table_(&table) {
  block_.lasting = true;
  for (const MemoryColumn& column : table.columns) {
    names_.push_back(column.name);
    block_.columns.push_back({column.numbers, {}, column.codes, nullptr});
    if (!column.numeric) block_.columns.back().levels = &column.levels;
  }
}

Result<const RecordBlock*> MemoryReader::next_block() {
  block_.rows = std::exchange(started_, true) ? 0 : table_->rows;
  return &block_;
}

std::string MemoryReader::place(std::uint64_t position) const {
  return fmt::format("{}, row {}", table_->name, position);
}

std::vector<ColumnKind> MemoryReader::kinds() const {
  std::vector<ColumnKind> kinds;
  for (const MemoryColumn& column : table_->columns) {
    kinds.push_back(column.numeric ? ColumnKind::kNumber : ColumnKind::kText);
  }
  return kinds;
}

}  // namespace dpfermi
