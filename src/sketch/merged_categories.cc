#include "sketch/merged_categories.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace dpfermi {
namespace {

/// Several categories as one: its value in every row, and the columns that each value stands for.
struct Merged {
  std::vector<std::uint16_t> values;
  std::vector<std::vector<std::uint16_t>> columns;
};

/// `before` with category c of x. Values are numbered in the order of the rows.
Merged with_category(const Merged& before, const HybridMatrix& x,
                     std::span<const std::uint32_t> rows, std::size_t c) {
  Merged after;
  after.values.resize(rows.size());
  std::unordered_map<std::uint32_t, std::uint16_t> seen;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::uint16_t column = x.row(rows[i]).ones[c];
    const std::uint32_t both = std::uint32_t{before.values[i]} << 16 | column;
    const auto [found, is_new] =
        seen.try_emplace(both, static_cast<std::uint16_t>(after.columns.size()));
    after.values[i] = found->second;
    if (!is_new) continue;
    after.columns.push_back(before.columns[before.values[i]]);
    if (column < x.columns()) after.columns.back().push_back(column);
  }
  return after;
}

std::vector<Merged> merge(const HybridMatrix& x, std::span<const std::uint32_t> rows) {
  // Combinations are numbered with 16 bits, and there must be several rows to each.
  const std::size_t most =
      x.columns() > HybridMatrix::kMaxColumns / 2
          ? 0
          : std::min<std::size_t>(MergedCategories::kMostCombinations, rows.size() / 8);
  const Merged nothing{std::vector<std::uint16_t>(rows.size()), {{}}};
  std::vector<Merged> all;
  for (std::size_t c = 0; c < x.category_count(); ++c) {
    if (!all.empty()) {
      Merged more = with_category(all.back(), x, rows, c);
      if (more.columns.size() <= most) {
        all.back() = std::move(more);
        continue;
      }
    }
    all.push_back(with_category(nothing, x, rows, c));
  }
  return all;
}

}  // namespace

MergedCategories::MergedCategories(const HybridMatrix& x, std::span<const std::uint32_t> rows)
    : numbers_(x.number_count()) {
  const std::vector<Merged> all = merge(x, rows);
  categories_ = all.size();
  ones_.resize(rows.size() * categories_);
  for (std::size_t g = 0; g < categories_; ++g) {
    const std::size_t first = numbers_ + starts_.size();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      ones_[i * categories_ + g] = static_cast<std::uint16_t>(first + all[g].values[i]);
    }
    for (const std::vector<std::uint16_t>& columns : all[g].columns) {
      starts_.push_back(static_cast<std::uint32_t>(members_.size()));
      members_.insert(members_.end(), columns.begin(), columns.end());
    }
  }
  starts_.push_back(static_cast<std::uint32_t>(members_.size()));
}

std::vector<double> MergedCategories::expand(std::span<const double> theta,
                                             std::size_t outputs) const {
  std::vector<double> merged((columns() + 1) * outputs);
  std::ranges::copy(theta.first(numbers_ * outputs), merged.begin());
  std::ranges::copy(theta.last(outputs), merged.end() - static_cast<std::ptrdiff_t>(outputs));
  double* out = merged.data() + numbers_ * outputs;
  for (std::size_t v = 0; v + 1 < starts_.size(); ++v, out += outputs) {
    for (std::uint32_t m = starts_[v]; m < starts_[v + 1]; ++m) {
      const double* from = theta.data() + members_[m] * outputs;
      for (std::size_t o = 0; o < outputs; ++o) out[o] += from[o];
    }
  }
  return merged;
}

void MergedCategories::fold(std::span<const double> merged, std::size_t outputs,
                            std::span<double> theta) const {
  for (std::size_t i = 0; i < numbers_ * outputs; ++i) theta[i] += merged[i];
  const std::span<const double> bias = merged.last(outputs);
  for (std::size_t o = 0; o < outputs; ++o) theta[theta.size() - outputs + o] += bias[o];
  const double* from = merged.data() + numbers_ * outputs;
  for (std::size_t v = 0; v + 1 < starts_.size(); ++v, from += outputs) {
    for (std::uint32_t m = starts_[v]; m < starts_[v + 1]; ++m) {
      double* to = theta.data() + members_[m] * outputs;
      for (std::size_t o = 0; o < outputs; ++o) to[o] += from[o];
    }
  }
}

}  // namespace dpfermi
