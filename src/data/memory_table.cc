#include "data/memory_table.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>

#include "core/text.h"

namespace dpfermi {
namespace {

/// shortest(), in place: a fingerprint needs the texts of every cell.
void write_shortest(double value, std::string& text) {
  text.clear();
  if (!std::isnan(value)) fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), value);
}

}  // namespace

std::string_view cell_text(const MemoryColumn& column, std::size_t row, std::string& number) {
  if (column.numeric) {
    write_shortest(column.numbers[row], number);
    return number;
  }
  const auto code = static_cast<std::uint32_t>(column.codes[row]);
  return code < column.levels.size() ? std::string_view(column.levels[code]) : "";
}

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

MemoryReader::MemoryReader(const MemoryTable& table)
    : table_(&table),
      read_(table.columns.size()),
      texts_(table.columns.size()),
      fields_(table.columns.size()) {
  for (const MemoryColumn& column : table.columns) names_.push_back(column.name);
  std::iota(read_.begin(), read_.end(), std::size_t{0});
}

Result<bool> MemoryReader::next() {
  if (started_) ++row_;
  started_ = true;
  if (row_ >= table_->rows) return false;
  for (const std::size_t c : read_) fields_[c] = cell_text(table_->columns[c], row_, texts_[c]);
  return true;
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

void MemoryReader::skip_texts(const std::vector<std::size_t>& fields) {
  std::erase_if(read_, [&](std::size_t field) { return std::ranges::count(fields, field) > 0; });
}

}  // namespace dpfermi
