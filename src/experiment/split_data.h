#pragma once

/// The data of an experiment: a table is read once, a split of it encoded once, and all runs that
/// differ only in method, epsilon, lambda or noise share both.

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "artifact/table_pack.h"
#include "data/dataset.h"
#include "data/split.h"
#include "data/table.h"
#include "dpfermi/core/result.h"
#include "experiment/run_spec.h"
#include "trees/boosted_trees.h"

namespace dpfermi {

/// A table and which of its rows belong together, or its pack, which has one split.
struct SourceTable {
  Table table;
  std::vector<std::uint32_t> blocks;  ///< data/split.h
  std::shared_ptr<const TablePack> pack = nullptr;
};

/// Reads the table of a data set.
using TableProvider = std::function<Result<SourceTable>(const std::string&, Protocol)>;

/// Boosted trees on the training rows, grown when the first run asks for them. Safe to call from
/// any thread.
class SharedTrees {
 public:
  /// Requires the same data every time. The trees live as long as this object.
  Result<const BoostedTrees*> grow(const Dataset& train);

 private:
  std::mutex growing_;
  std::optional<BoostedTrees> trees_;
};

/// The two sides of a split.
struct SplitData {
  Dataset train;
  Dataset test;
  std::size_t favourable = 0;
  std::vector<std::string> groups;  ///< their names
  std::string id_column;
  bool domain_declared = true;
  std::shared_ptr<SharedTrees> trees = std::make_shared<SharedTrees>();
};

/// Of a pack: its own split. Honest: a quarter of the rows, drawn with seed `first_seed` + split,
/// as `dpfermi train --split-seed` does. As published: the authors' split, whatever the number.
Result<SplitData> encode_split(const SourceTable& source, Protocol protocol, std::uint32_t split,
                               std::uint64_t first_seed);

/// Encodes each split when the first run asks for it and forgets it after the last. Safe to call
/// from any thread.
class SplitCache {
 public:
  SplitCache(TableProvider tables, std::uint64_t first_seed)
      : tables_(std::move(tables)), first_seed_(first_seed) {}

  /// Announces one more run on the data of `spec`.
  void expect(const RunSpec& spec);

  Result<std::shared_ptr<const SplitData>> get(const RunSpec& spec);

  /// Says that a run that was announced is over.
  void release(const RunSpec& spec);

 private:
  using TableName = std::tuple<std::string, Protocol>;
  using SplitName = std::tuple<std::string, Protocol, std::uint32_t>;
  template <class T>
  struct Shared {
    std::mutex loading;  ///< held by the thread that loads it; others wait
    std::shared_ptr<const T> value;
    std::size_t users = 0;
  };

  Result<std::shared_ptr<const SourceTable>> table(const TableName& name);

  TableProvider tables_;
  std::uint64_t first_seed_;
  std::mutex mutex_;  ///< of the maps and the counts
  std::map<TableName, Shared<SourceTable>> loaded_tables_;
  std::map<SplitName, Shared<SplitData>> loaded_splits_;
};

}  // namespace dpfermi
