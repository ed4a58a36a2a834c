#pragma once

/// Which table a budget belongs to.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/team.h"
#include "data/table.h"
#include "data/table_reader.h"
#include "dpfermi/privacy/ledger/ledger_file.h"

namespace dpfermi {

/// A table that is charged for is read twice: to train on, and to tell which one it is. Standard
/// input and pipes can be read once, so that they move to memory; a server is asked twice for the
/// same snapshot. Anything else must not change in between, or a table would be paid for by the
/// budget of another one. Columns in memory are the caller's to keep unchanged.
class RereadableFiles {
 public:
  /// The files of a table, or its columns in memory, and the table that holds its protected
  /// columns. `team`: the processes that each read it; a server shows all of them the same rows.
  static Result<RereadableFiles> create(const TableRequest& request, Team& team = Team::alone());

  /// Of a pack, which is not read again: what plain_digests() gave when it was made.
  static RereadableFiles of_pack(std::vector<std::string> digests);
  const std::optional<std::vector<std::string>>& digests() const { return digests_; }

  /// Reads the table.
  Result<Table> read(const Schema& schema, TableUse use = TableUse::kFit) const;

  /// The columns in memory; null: the table is in files.
  const MemoryTable* memory() const { return memory_.get(); }

  /// Fresh sources, one per file. A source that has other contents than the first one of its file
  /// ends with an error.
  Result<std::vector<TableSource>> open() const;

  /// The same of the protected columns' own table; nothing where there is none, or it can be read
  /// once.
  Result<std::optional<TableSource>> open_sensitive() const;

  /// Servers need not keep their snapshots any longer.
  void release() const;

 private:
  struct Entry {
    std::string path;
    std::optional<std::string> text;       ///< what could be read once only
    std::shared_ptr<RecordSource> source;  ///< of a table that is not text
    std::shared_ptr<std::string> digest;   ///< of its contents, once it was read to the end
    static Result<Entry> create(const std::string& path, Observer* observer, Team& team);
    Result<TableSource> open() const;
  };
  std::vector<Entry> entries_;
  std::shared_ptr<const MemoryTable> memory_;
  std::optional<Entry> sensitive_;
  std::optional<std::vector<std::string>> digests_;  ///< nothing: no pack
};

/// How a ledger knows data; see BudgetKey.
struct DataDigests {
  std::string fingerprint;
  std::vector<std::string> relatives;
};

/// A digest of the columns' canonical texts (data/canonical_text.h), row by row, under the ledger's
/// secret key: copies of a table share it, wherever they lie. Where s alone is protected, of all
/// but s, where records are, of all. It covers columns that the run does not use, so that a run
/// with other features, another target or, of records, another s is charged to the same budget;
/// some of those may be protected, hence the key. Where the protected columns are in a file
/// of their own, it is that file's digest: features that are joined to it may change, those of
/// images with every network. `table` is what was read from `files`; refused where they have
/// changed since. Snapshots of servers are released. The relatives of a record's budget are the
/// digests that the data have under the weaker adjacencies; where s alone is protected there are
/// none, since a digest of records would be one of s.
/// The same before the key: for the holder of the data alone, since anyone who guesses a table can
/// check the guess. The fingerprint first, then the relatives.
Result<std::vector<std::string>> plain_digests(const RereadableFiles& files, const Table& table);

Result<DataDigests> fingerprint_files(const RereadableFiles& files, const Table& table,
                                      const LedgerFile& ledger);

}  // namespace dpfermi
