#include "core/column_codes.h"

#include <algorithm>
#include <cassert>
#include <numeric>

#include "core/fixed_count.h"
#include "core/vector_math.h"

namespace dpfermi {

/// Deals categories to groups so that all codes together are fewest: by trying, which a handful of
/// categories allows.
class ColumnCodes::Search {
 public:
  Search(std::vector<Part> parts, std::size_t groups)
      : parts_(std::move(parts)), groups_(groups), best_codes_(kMostMerged + 1) {
    deal(0, groups);
  }

  /// Empty where the limit does not allow that few groups.
  const std::vector<Group>& best() const { return best_; }

 private:
  void deal(std::size_t next, std::size_t codes) {
    if (codes >= best_codes_) return;
    if (next == parts_.size()) {
      best_ = groups_;
      best_codes_ = codes;
      return;
    }
    for (Group& group : groups_) {
      const std::size_t before = group.codes;
      group.codes *= parts_[next].values();
      group.parts.push_back(parts_[next]);
      deal(next + 1, codes - before + group.codes);
      group.parts.pop_back();
      group.codes = before;
      if (group.parts.empty()) return;  // empty groups are alike
    }
  }

  std::vector<Part> parts_;
  std::vector<Group> groups_;
  std::vector<Group> best_;
  std::size_t best_codes_;
};

ColumnCodes::ColumnCodes(std::size_t columns) : columns_(columns), ones_(columns + 1, 1) {
  ones_.back() = 0;
}

ColumnCodes::ColumnCodes(std::size_t first, std::span<const std::size_t> sizes)
    : ColumnCodes(std::accumulate(sizes.begin(), sizes.end(), first)) {
  constexpr std::size_t kMostCategories = 10;
  if (sizes.empty() || sizes.size() > kMostCategories) return;
  std::vector<Part> parts;
  for (std::size_t c = 0; c < sizes.size(); ++c) {
    parts.push_back({c, first, sizes[c]});
    first += sizes[c];
  }
  // Largest first: what does not fit shows early.
  std::ranges::stable_sort(parts, std::greater(), &Part::size);
  for (std::size_t count = 1; count < sizes.size() && groups_.empty(); ++count) {
    groups_ = Search(parts, count).best();
  }
  if (groups_.empty()) return;
  ones_.clear();
  for (Group& group : groups_) {
    // Long runs of the lowest digit make for long loops.
    std::ranges::reverse(group.parts);
    group.start = ones_.size();
    for (std::size_t code = 0; code < group.codes; ++code) {
      std::size_t rest = code;
      std::uint8_t count = 0;
      for (std::size_t p = group.parts.size(); p-- > 0; rest /= group.parts[p].values()) {
        if (rest % group.parts[p].values() < group.parts[p].size) ++count;
      }
      ones_.push_back(count);
    }
  }
}

void ColumnCodes::encode(std::span<const std::uint16_t> ones,
                         std::span<std::uint16_t> codes) const {
  assert(codes.size() == per_row(ones.size()));
  if (!merged()) {
    std::ranges::copy(ones, codes.begin());
    return;
  }
  for (std::size_t g = 0; g < groups_.size(); ++g) {
    std::size_t code = 0;
    for (const Part& part : groups_[g].parts) {
      const std::size_t column = ones[part.category];
      assert(column == columns_ || column - part.first < part.size);
      code = code * part.values() + (column == columns_ ? part.size : column - part.first);
    }
    codes[g] = static_cast<std::uint16_t>(groups_[g].start + code);
  }
}

void ColumnCodes::expand(std::span<const double> of_columns, std::span<double> of_codes) const {
  assert(of_columns.size() == columns_ && of_codes.size() == size());
  if (!merged()) {
    std::ranges::copy(of_columns, of_codes.begin());
    of_codes.back() = 0;
    return;
  }
  for (const Group& group : groups_) {
    double* sums = of_codes.data() + group.start;
    sums[0] = 0;
    std::size_t length = 1;
    for (const Part& part : group.parts) {
      // In place, from the back: what is written lies behind what is still to be read.
      for (std::size_t i = length; i-- > 0;) {
        const double sum = sums[i];
        double* out = sums + i * part.values();
        for (std::size_t j = 0; j < part.size; ++j) out[j] = sum + of_columns[part.first + j];
        out[part.size] = sum;
      }
      length *= part.values();
    }
  }
}

void ColumnCodes::fold(std::span<double> of_codes, std::span<double> of_columns) const {
  assert(of_columns.size() == columns_ && of_codes.size() == size());
  if (!merged()) {
    for (std::size_t j = 0; j < columns_; ++j) of_columns[j] += of_codes[j];
    return;
  }
  for (const Group& group : groups_) {
    double* sums = of_codes.data() + group.start;
    std::size_t length = group.codes;
    for (std::size_t p = group.parts.size(); p-- > 0;) {
      const Part& part = group.parts[p];
      length /= part.values();
      double* columns = of_columns.data() + part.first;
      with_fixed_count(part.values(), [&](auto values) {
        for (std::size_t i = 0; i < length; ++i) {
          const double* own = sums + i * values;
          for (std::size_t j = 0; j + 1 < values; ++j) columns[j] += own[j];
          if (p > 0) sums[i] = sum({own, values});
        }
      });
    }
  }
}

}  // namespace dpfermi
