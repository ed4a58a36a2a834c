#pragma once

/// The writing side of columns: texts or blocks of values in, typed columns out.

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/block_reader.h"
#include "data/column.h"
#include "data/group_domain.h"
#include "data/level_table.h"
#include "dpfermi/core/result.h"
#include "dpfermi/data/schema.h"

namespace dpfermi {

/// What became of one field.
enum class Cell { kPresent, kMissing, kBadNumber, kBadText };

/// The texts that stand for a missing value, and which of them are numbers.
class MissingMarkers {
 public:
  explicit MissingMarkers(std::vector<std::string> texts);
  bool is_missing(std::string_view text) const;
  bool is_missing(double number) const {
    return any_number() && std::ranges::find(numbers_, number) != numbers_.end();
  }
  bool any_number() const { return !numbers_.empty(); }

 private:
  std::vector<std::string> texts_;
  std::vector<double> numbers_;
};

/// Is told which row of a block has no value, or a bad one.
using OddCell = std::function<Status(std::size_t row, Cell cell)>;

/// Erases `rows`, which ascend; each has `width` entries.
template <class Vector>
void erase_rows(Vector& values, std::span<const std::uint32_t> rows, std::size_t width = 1) {
  if (rows.empty() || width == 0) return;
  auto kept = values.begin() + static_cast<std::ptrdiff_t>(rows.front() * width);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t end = i + 1 < rows.size() ? rows[i + 1] * width : values.size();
    kept = std::copy(values.begin() + static_cast<std::ptrdiff_t>((rows[i] + 1) * width),
                     values.begin() + static_cast<std::ptrdiff_t>(end), kept);
  }
  values.erase(kept, values.end());
}
void erase_rows(CodeVector& values, std::span<const std::uint32_t> rows);

/// What every level of a reader's column stands for, looked up when it is first met.
class LevelMeanings {
 public:
  /// Meanings from here on are no levels.
  static constexpr std::uint32_t kOdd = CodeVector::kMissing - 2;

  struct Found {
    std::span<const std::uint32_t> meanings;
    bool any_odd = false;
  };

  /// The meanings of the codes of a block. `resolve` turns the text of a level into its meaning; it
  /// is called in the order in which levels appear.
  template <class Resolve>
  Found of(const ColumnBlock& column, Resolve resolve) {
    const std::size_t levels = column.levels->size();
    meaning_.resize(levels + 1, kUnseen);
    found_.resize(column.codes.size());
    std::uint32_t most = 0;
    for (std::size_t row = 0; row < found_.size(); ++row) {
      found_[row] = meaning_[place_of(column.codes[row], levels)];
      most = std::max(most, found_[row]);
    }
    if (most >= kUnseen) most = resolve_unseen(column, resolve);
    return {found_, most >= kOdd};
  }
  void clear() { meaning_.clear(); }

 private:
  static constexpr std::uint32_t kUnseen = kOdd;

  template <class Resolve>
  std::uint32_t resolve_unseen(const ColumnBlock& column, Resolve resolve) {
    std::uint32_t most = 0;
    for (std::size_t row = 0; row < found_.size(); ++row) {
      const std::size_t place = place_of(column.codes[row], column.levels->size());
      if (meaning_[place] == kUnseen) {
        meaning_[place] = resolve(place == 0 ? std::string_view() : (*column.levels)[place - 1]);
      }
      found_[row] = meaning_[place];
      most = std::max(most, found_[row]);
    }
    return most;
  }

  /// Codes without a level share the first place.
  static std::size_t place_of(std::int32_t code, std::size_t levels) {
    const auto place = static_cast<std::uint32_t>(code) + 1;
    return place <= levels ? place : 0;
  }

  std::vector<std::uint32_t> meaning_;
  std::vector<std::uint32_t> found_;
};

class NumericBuilder {
 public:
  explicit NumericBuilder(const MissingMarkers* markers) : markers_(markers) {}
  Cell push(std::string_view text);

  /// Many rows at once. Numbers that outlive the table (`lasting`) are not copied where none of
  /// them stands for a missing value.
  Status append(const ColumnBlock& column, bool lasting, const OddCell& odd);
  void drop(std::span<const std::uint32_t> rows);  ///< ascending

  void reserve(std::size_t rows) { values_.reserve(rows); }
  NumericColumn finish() &&;
  const Numbers& values() const { return values_; }

 private:
  Status append_texts(const ColumnBlock& column, const OddCell& odd);
  Cell kind_of(double value) const;
  void keep_copies();

  const MissingMarkers* markers_;
  Numbers values_;
  std::span<const double> borrowed_;  ///< instead of values_
};

class CategoryBuilder {
 public:
  CategoryBuilder(const MissingMarkers* markers, std::map<std::string, std::string> recode)
      : markers_(markers), recode_(std::move(recode)) {}
  Cell push(std::string_view text);

  /// Many rows at once. The levels of a new table are met after start_source().
  Status append(const ColumnBlock& column, const OddCell& odd);
  void start_source() { meanings_.clear(); }
  void drop(std::span<const std::uint32_t> rows) { erase_rows(codes_, rows); }  ///< ascending

  void reserve(std::size_t rows) { codes_.reserve(rows); }
  CategoryColumn finish() &&;

 private:
  std::uint32_t resolve(std::string_view text);

  static Cell kind_of(std::uint32_t meaning);

  static constexpr std::uint32_t kBad = CodeVector::kMissing - 1;

  const MissingMarkers* markers_;
  std::map<std::string, std::string> recode_;
  LevelTable texts_;                    ///< every distinct text of the file
  std::vector<std::uint32_t> meaning_;  ///< the level each text stands for, kMissing or kBad
  LevelMeanings meanings_;              ///< the same of the levels of blocks
  LevelTable levels_;
  CodeVector codes_;
};

/// One protected column. Whatever its text holds, a value comes out and nothing is reported: a text
/// outside the declared domain, a missing one, a bad number and broken UTF-8 are all "undeclared".
class SensitiveBuilder {
 public:
  SensitiveBuilder(const MissingMarkers* markers, const SensitiveSpec& spec,
                   std::map<std::string, std::string> recode);
  void push(std::string_view text);
  void append(const ColumnBlock& column);  ///< as that of CategoryBuilder
  void start_source() { meanings_.clear(); }
  void drop(std::span<const std::uint32_t> rows) { erase_rows(codes_, rows); }  ///< ascending
  void reserve(std::size_t rows) { codes_.reserve(rows); }
  std::size_t size() const { return codes_.size(); }
  std::uint32_t code(std::size_t row) const { return codes_[row]; }

  /// Some record will have no value here: the domain needs a place for it.
  void expect_undeclared() { any_undeclared_ = true; }

  /// The attribute's declared values, or those that were seen, in order. After this, code(row) is
  /// an index into them, their number for a value that is not declared, or CodeVector::kMissing.
  Result<GroupDomain::Attribute> finish();
  bool declared() const { return !spec_.values.empty() || !spec_.bins.empty(); }

 private:
  std::uint32_t resolve(std::string_view text);
  std::uint32_t declared_values() const;
  void sort_seen_levels();

  const MissingMarkers* markers_;
  SensitiveSpec spec_;
  std::map<std::string, std::string> recode_;
  LevelTable texts_;
  std::vector<std::uint32_t> meaning_;
  LevelMeanings meanings_;
  LevelTable levels_;
  CodeVector codes_;
  bool any_undeclared_ = false;
};

/// The groups that a schema declares, whatever the table holds; none where it declares none.
Result<GroupDomain> declared_domain(const Schema& schema);

/// Index of the bin of `value`: the first upper end that is not below it.
std::uint32_t bin_of(double value, const std::vector<double>& upper_ends);

/// "<=10", "(10,15]", ">15".
std::vector<std::string> bin_names(const std::vector<double>& upper_ends);

/// Sorts as numbers where all are numbers, as text otherwise.
void sort_values(std::vector<std::string>& values);

}  // namespace dpfermi
