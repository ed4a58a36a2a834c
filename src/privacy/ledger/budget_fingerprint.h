#pragma once

/// Which data a budget belongs to: a digest of the columns that the adjacency leaves public, never
/// of the sensitive attribute. Under the record adjacencies no column is public; there the ledger
/// keeps LedgerFile::sealed() of it, useless to anybody without the ledger's secret key.
///
/// It guards against accidents (another name, another ledger entry for the same table), not against
/// a person who edits the table on purpose.

#include <memory>
#include <string>
#include <string_view>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// Feed it every column's name and values in the order of the table.
class Fingerprinter {
 public:
  Fingerprinter();
  Fingerprinter(Fingerprinter&&) noexcept;
  Fingerprinter& operator=(Fingerprinter&&) noexcept;
  Fingerprinter(const Fingerprinter&) = delete;
  Fingerprinter& operator=(const Fingerprinter&) = delete;
  ~Fingerprinter();

  /// Values are framed by their lengths: ("ab", "c") and ("a", "bc") differ.
  void begin_column(std::string_view name);
  void add_value(std::string_view value);

  /// 64 hex digits. Call once, at the end.
  Result<std::string> finish();

 private:
  struct Digest;
  void add_frame(char kind, std::string_view bytes);

  std::unique_ptr<Digest> digest_;
};

}  // namespace dpfermi
