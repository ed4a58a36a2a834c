#pragma once

/// The writing side of columns: text in, typed values out, one row at a time.

#include <algorithm>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// Is told which row of a whole column has no value, or a bad one.
using OddCell = std::function<Status(std::size_t row, Cell cell)>;

/// values[i] for every i that is not in `rows`, which ascend.
template <class Values>
Values without_rows(const Values& values, std::span<const std::uint32_t> rows) {
  Values kept;
  kept.reserve(values.size() - rows.size());
  std::size_t next = 0;
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (next < rows.size() && rows[next] == row) {
      ++next;
    } else {
      kept.push_back(values[row]);
    }
  }
  return kept;
}

class NumericBuilder {
 public:
  explicit NumericBuilder(const MissingMarkers* markers) : markers_(markers) {}
  Cell push(std::string_view text);
  Cell push(double value);  ///< NaN: missing
  void pop() { values_.pop_back(); }

  /// All rows at once, NaN for a missing one. Where no number stands for a missing value they are
  /// not copied: whoever has them keeps them alive.
  Status take(std::span<const double> numbers, const OddCell& odd);
  void drop(std::span<const std::uint32_t> rows);  ///< of those taken; ascending

  void reserve(std::size_t rows) { values_.reserve(rows); }
  NumericColumn finish() &&;
  const std::vector<double>& values() const { return values_; }

 private:
  const MissingMarkers* markers_;
  std::vector<double> values_;
  std::span<const double> borrowed_;  ///< in place of values_
};

class CategoryBuilder {
 public:
  CategoryBuilder(const MissingMarkers* markers, std::map<std::string, std::string> recode)
      : markers_(markers), recode_(std::move(recode)) {}
  Cell push(std::string_view text);
  void pop() { codes_.pop_back(); }

  /// All rows at once; a code without a level stands for the empty text.
  Status take(std::span<const std::int32_t> codes, const std::vector<std::string>& levels,
              const OddCell& odd);
  void drop(std::span<const std::uint32_t> rows);  ///< of those taken; ascending

  void reserve(std::size_t rows) { codes_.reserve(rows); }
  CategoryColumn finish() &&;

 private:
  std::uint32_t resolve(std::string_view text);
  Cell push_meaning(std::uint32_t meaning);

  static constexpr std::uint32_t kBad = CodeVector::kMissing - 1;

  const MissingMarkers* markers_;
  std::map<std::string, std::string> recode_;
  LevelTable texts_;                    ///< every distinct text of the file
  std::vector<std::uint32_t> meaning_;  ///< the level each text stands for, kMissing or kBad
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
  void pop() { codes_.pop_back(); }
  void reserve(std::size_t rows) { codes_.reserve(rows); }
  std::size_t size() const { return codes_.size(); }
  std::uint32_t code(std::size_t row) const { return codes_[row]; }

  /// Some record will have no value here: the domain needs a place for it.
  void expect_undeclared() { any_undeclared_ = true; }

  /// The attribute's declared values, or those that were seen, in order. After this, code(row) is
  /// an index into them.
  Result<GroupDomain::Attribute> finish();
  bool declared() const { return !spec_.values.empty() || !spec_.bins.empty(); }

 private:
  std::uint32_t resolve(std::string_view text);
  void sort_seen_levels();

  const MissingMarkers* markers_;
  SensitiveSpec spec_;
  std::map<std::string, std::string> recode_;
  LevelTable texts_;
  std::vector<std::uint32_t> meaning_;
  LevelTable levels_;
  CodeVector codes_;
  bool any_undeclared_ = false;
};

/// Index of the bin of `value`: the first upper end that is not below it.
std::uint32_t bin_of(double value, const std::vector<double>& upper_ends);

/// "<=10", "(10,15]", ">15".
std::vector<std::string> bin_names(const std::vector<double>& upper_ends);

/// Sorts as numbers where all are numbers, as text otherwise.
void sort_values(std::vector<std::string>& values);

}  // namespace dpfermi
