#pragma once

/// Which table a budget belongs to.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/table.h"
#include "data/table_reader.h"
#include "dpfermi/privacy/ledger/ledger_file.h"

namespace dpfermi {

/// Standard input and pipes can be read once, but a table that is charged for is read twice: to
/// train on, and to tell which one it is. Such files move to memory; any other file must not change
/// in between, or a table would be paid for by the budget of another one. Columns in memory are the
/// caller's to keep unchanged.
class RereadableFiles {
 public:
  /// The files of a table, or its columns in memory, and the file that holds its protected columns.
  static Result<RereadableFiles> create(const TableRequest& request);

  /// Reads the table.
  Result<Table> read(const Schema& schema, TableUse use = TableUse::kFit) const;

  /// The columns in memory; null: the table is in files.
  const MemoryTable* memory() const { return memory_.get(); }

  /// Fresh sources, one per file. A source that has other bytes than the first one of its file
  /// ends with an error.
  Result<std::vector<std::unique_ptr<ByteSource>>> open() const;

  /// The same of the protected columns' own file; null where there is none, or it can be read once.
  Result<std::unique_ptr<ByteSource>> open_sensitive() const;

 private:
  struct Entry {
    std::string path;
    std::optional<std::string> text;      ///< what could be read once only
    std::shared_ptr<std::string> digest;  ///< of its bytes, once it was read to the end
    Result<std::unique_ptr<ByteSource>> open() const;
  };
  std::vector<Entry> entries_;
  std::shared_ptr<const MemoryTable> memory_;
  std::optional<Entry> sensitive_;
};

/// How a ledger knows data; see BudgetKey.
struct DataDigests {
  std::string fingerprint;
  std::vector<std::string> relatives;
};

/// A digest of the columns, under the ledger's secret key: where s alone is protected, of all but
/// s, where records are, of all. It covers columns that the run does not use, so that a run with
/// other features, another target or, of records, another s is charged to the same budget; some of
/// those may be somebody's secret, hence the key. Where the protected columns are in a file of
/// their own, it is that file's digest: features that are joined to it may change, those of images
/// with every network. `table` is what was read from `files`; refused where they have changed
/// since. The relatives of a record's budget are the digests that the data have under the weaker
/// adjacencies; where s alone is protected there are none, since a digest of records would be one
/// of s.
Result<DataDigests> fingerprint_files(const RereadableFiles& files, const Table& table,
                                      const LedgerFile& ledger);

}  // namespace dpfermi
