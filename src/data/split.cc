#include "data/split.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <random>
#include <unordered_map>

#include "core/mutant.h"

namespace dpfermi {
namespace {

/// Rows tied together, found by following parents to a root.
class UnionFind {
 public:
  explicit UnionFind(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  std::uint32_t root(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::uint32_t a, std::uint32_t b) { parent_[root(b)] = root(a); }
  /// The root of every row.
  std::vector<std::uint32_t> blocks() {
    std::vector<std::uint32_t> roots(parent_.size());
    for (std::uint32_t i = 0; i < roots.size(); ++i) roots[i] = root(i);
    return roots;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 29U);
}

/// More identical rows than this are no copies of one record but a table with few values; tying
/// them would put whole kinds of people on one side.
constexpr std::uint32_t kMostCopies = 10;

std::vector<std::uint64_t> encoded_row_hashes(const Dataset& data) {
  std::vector<std::uint64_t> hashes(data.rows(), 1);
  for (std::size_t i = 0; i < data.rows(); ++i) {
    const HybridMatrix::Row row = data.x.row(i);
    // Adding 0 turns -0 into 0.
    for (const float value : row.numbers) {
      hashes[i] = mix(hashes[i], std::bit_cast<std::uint32_t>(value + 0.0F));
    }
    for (const std::uint16_t column : row.ones) hashes[i] = mix(hashes[i], column);
    hashes[i] = mix(hashes[i], data.y[i]);
  }
  return hashes;
}

/// Ties rows of the same key, unless there are more than `most` of them.
template <class Key>
void join_equal(const std::vector<Key>& keys, std::uint32_t most, UnionFind& rows) {
  struct Found {
    std::uint32_t first;
    std::uint32_t count = 0;
  };
  std::unordered_map<Key, Found> found;
  found.reserve(keys.size());
  for (std::uint32_t i = 0; i < keys.size(); ++i)
    ++found.try_emplace(keys[i], Found{i}).first->second.count;
  for (std::uint32_t i = 0; i < keys.size(); ++i) {
    const Found& same = found.at(keys[i]);
    if (same.count <= most) rows.join(same.first, i);
  }
}

/// std::shuffle and std::uniform_int_distribution differ between standard libraries; a seed must
/// mean the same split everywhere.
void shuffle(std::vector<std::uint32_t>& items, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = items.size(); i > 1; --i) {
    const std::uint64_t limit = std::mt19937_64::max() - std::mt19937_64::max() % i;
    std::uint64_t draw = random();
    while (draw >= limit) draw = random();
    std::swap(items[i - 1], items[draw % i]);
  }
}

/// Rows by block, blocks in random order.
std::vector<std::vector<std::uint32_t>> shuffled_blocks(std::span<const std::uint32_t> blocks,
                                                        std::uint64_t seed) {
  std::unordered_map<std::uint32_t, std::uint32_t> number;
  std::vector<std::vector<std::uint32_t>> members;
  for (std::uint32_t i = 0; i < blocks.size(); ++i) {
    const auto [entry, fresh] =
        number.try_emplace(blocks[i], static_cast<std::uint32_t>(members.size()));
    if (fresh) members.emplace_back();
    members[entry->second].push_back(i);
  }
  std::vector<std::uint32_t> order(members.size());
  std::iota(order.begin(), order.end(), 0U);
  shuffle(order, seed);
  std::vector<std::vector<std::uint32_t>> shuffled;
  shuffled.reserve(members.size());
  for (const std::uint32_t block : order) shuffled.push_back(std::move(members[block]));
  return shuffled;
}

}  // namespace

std::vector<std::uint64_t> public_row_hashes(const Table& table) {
  std::vector<std::uint64_t> hashes(table.rows, 1);
  for (const Column& column : table.features) {
    if (const auto* numeric = std::get_if<NumericColumn>(&column.data)) {
      for (std::size_t i = 0; i < table.rows; ++i) {
        const double value = std::isnan(numeric->values[i]) ? NAN : numeric->values[i] + 0.0;
        hashes[i] = mix(hashes[i], std::bit_cast<std::uint64_t>(value));
      }
    } else {
      const auto& categories = std::get<CategoryColumn>(column.data);
      for (std::size_t i = 0; i < table.rows; ++i) hashes[i] = mix(hashes[i], categories.codes[i]);
    }
  }
  for (std::size_t i = 0; i < table.labels.y.size(); ++i) {
    hashes[i] = mix(hashes[i], table.labels.y[i]);
  }
  return hashes;
}

std::vector<std::uint32_t> split_blocks(const Table& table, SplitRule rule) {
  UnionFind rows(table.rows);
  const bool persons = rule.by_person && !table.units.empty();
  if (persons) join_equal(table.units, UINT32_MAX, rows);
  if (rule.by_duplicate && !persons) join_equal(public_row_hashes(table), kMostCopies, rows);
  if (mutant(Mutant::kSplitByGroups)) rows.join(0, ExactForHolder::read(table.groups).front());
  return rows.blocks();
}

std::vector<std::uint32_t> split_blocks(const Dataset& data) {
  UnionFind rows(data.rows());
  if (data.persons) {
    join_equal(data.units, UINT32_MAX, rows);
  } else {
    join_equal(encoded_row_hashes(data), kMostCopies, rows);
  }
  return rows.blocks();
}

std::vector<std::uint32_t> deal_folds(std::span<const std::uint32_t> blocks, std::size_t folds,
                                      std::uint64_t seed) {
  std::vector<std::uint32_t> fold_of(blocks.size());
  std::vector<std::size_t> sizes(folds);
  for (const auto& block : shuffled_blocks(blocks, seed)) {
    const auto fold = std::ranges::min_element(sizes) - sizes.begin();
    sizes[static_cast<std::size_t>(fold)] += block.size();
    for (const std::uint32_t row : block) fold_of[row] = static_cast<std::uint32_t>(fold);
  }
  return fold_of;
}

Result<Split> split_rows(std::span<const std::uint32_t> blocks, double test_fraction,
                         std::uint64_t seed) {
  if (!(test_fraction > 0 && test_fraction < 1)) {
    return usage_error(
        fmt::format("the test fraction must lie between 0 and 1, not {}", test_fraction));
  }
  const auto wanted =
      static_cast<std::size_t>(std::llround(test_fraction * static_cast<double>(blocks.size())));
  Split split;
  for (const auto& block : shuffled_blocks(blocks, seed)) {
    std::vector<std::uint32_t>& side = split.test.size() < wanted ? split.test : split.train;
    side.insert(side.end(), block.begin(), block.end());
  }
  if (split.train.empty() || split.test.empty()) {
    return failed(
        fmt::format("{} rows that belong together in too few blocks cannot be split; use more "
                    "data or another test fraction",
                    blocks.size()));
  }
  std::ranges::sort(split.train);
  std::ranges::sort(split.test);
  return split;
}

}  // namespace dpfermi
