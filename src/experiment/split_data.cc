#include "experiment/split_data.h"

#include <utility>

#include "baselines/published_split.h"
#include "workflow/load.h"

namespace dpfermi {
namespace {

SplitData split_of(Dataset train, Dataset test, const Table& table) {
  return SplitData{std::move(train),     std::move(test), table.labels.positive,
                   table.domain.names(), table.schema.id, table.domain.declared()};
}

}  // namespace

Result<const BoostedTrees*> SharedTrees::grow(const Dataset& train) {
  const std::lock_guard lock(growing_);
  if (!trees_) {
    Workers workers;
    DPFERMI_ASSIGN(trees_, grow_trees(train, workers));
  }
  return &*trees_;
}

Result<SplitData> encode_split(const SourceTable& source, Protocol protocol, std::uint32_t split,
                               std::uint64_t first_seed) {
  constexpr double kTestFraction = 0.25;
  if (source.pack) return split_of(source.pack->train, *source.pack->test, source.pack->table);
  const Table& table = source.table;
  DPFERMI_ASSIGN(const Split rows,
                 protocol == Protocol::kHonest
                     ? split_rows(source.blocks, kTestFraction, first_seed + split)
                     : published_split(static_cast<std::uint32_t>(table.rows)));
  DPFERMI_ASSIGN(EncodedSplit encoded, encode_split(table, rows));
  if (!encoded.test) return failed("no row is left to test on; bring more");
  return split_of(std::move(encoded.train), *std::move(encoded.test), table);
}

void SplitCache::expect(const RunSpec& spec) {
  const std::lock_guard lock(mutex_);
  ++loaded_tables_[{spec.dataset, spec.protocol}].users;
  ++loaded_splits_[{spec.dataset, spec.protocol, spec.split}].users;
}

Result<std::shared_ptr<const SourceTable>> SplitCache::table(const TableName& name) {
  std::unique_lock map_lock(mutex_);
  Shared<SourceTable>& shared = loaded_tables_[name];
  map_lock.unlock();
  const std::lock_guard lock(shared.loading);
  if (!shared.value) {
    DPFERMI_ASSIGN(SourceTable source, tables_(std::get<0>(name), std::get<1>(name)));
    shared.value = std::make_shared<const SourceTable>(std::move(source));
  }
  return shared.value;
}

Result<std::shared_ptr<const SplitData>> SplitCache::get(const RunSpec& spec) {
  std::unique_lock map_lock(mutex_);
  Shared<SplitData>& shared = loaded_splits_[{spec.dataset, spec.protocol, spec.split}];
  map_lock.unlock();
  const std::lock_guard lock(shared.loading);
  if (!shared.value) {
    DPFERMI_ASSIGN(const auto source, table({spec.dataset, spec.protocol}));
    DPFERMI_ASSIGN(SplitData data, encode_split(*source, spec.protocol, spec.split, first_seed_));
    shared.value = std::make_shared<const SplitData>(std::move(data));
  }
  return shared.value;
}

void SplitCache::release(const RunSpec& spec) {
  const std::lock_guard lock(mutex_);
  const auto split = loaded_splits_.find({spec.dataset, spec.protocol, spec.split});
  if (--split->second.users == 0) loaded_splits_.erase(split);
  const auto table = loaded_tables_.find({spec.dataset, spec.protocol});
  if (--table->second.users == 0) loaded_tables_.erase(table);
}

}  // namespace dpfermi
