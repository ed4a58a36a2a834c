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
/// train on, and to tell which one it is. Such files move to memory.
class RereadableFiles {
 public:
  static Result<RereadableFiles> create(const std::vector<std::string>& files);

  /// Fresh sources, one per file.
  Result<std::vector<std::unique_ptr<ByteSource>>> open() const;

 private:
  struct Entry {
    std::string path;
    std::optional<std::string> text;  ///< what could be read once only
  };
  std::vector<Entry> entries_;
};

/// A digest of the columns, under the ledger's secret key: where s alone is protected, of all but
/// s, where records are, of all. It covers columns that the run does not use, so that a run with
/// other features, another target or, of records, another s is charged to the same budget; some of
/// those may be somebody's secret, hence the key. Where the
/// protected columns are in a file of their own, it is that file's digest: features that are joined
/// to it may change, those of images with every network. `table` is what was read.
Result<std::string> fingerprint_files(const RereadableFiles& files, const Table& table,
                                      const LedgerFile& ledger);

}  // namespace dpfermi
