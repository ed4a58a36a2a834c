#include "data/memory_table.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <limits>
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
      skipped_(table.columns.size()),
      texts_(table.columns.size()),
      fields_(table.columns.size()),
      numbers_(table.columns.size(), std::numeric_limits<double>::quiet_NaN()) {
  for (const MemoryColumn& column : table.columns) names_.push_back(column.name);
}

Result<bool> MemoryReader::next() {
  if (started_) ++row_;
  started_ = true;
  if (row_ >= table_->rows) return false;
  for (std::size_t c = 0; c < fields_.size(); ++c) {
    const MemoryColumn& column = table_->columns[c];
    if (column.numeric) {
      numbers_[c] = column.numbers[row_];
      if (skipped_[c]) continue;
      write_shortest(numbers_[c], texts_[c]);
      fields_[c] = texts_[c];
    } else {
      const auto code = static_cast<std::uint32_t>(column.codes[row_]);
      fields_[c] = code < column.levels.size() ? std::string_view(column.levels[code]) : "";
    }
  }
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
  for (const std::size_t field : fields) {
    skipped_[field] = table_->columns[field].numeric;
    if (skipped_[field]) fields_[field] = {};
  }
}

}  // namespace dpfermi
