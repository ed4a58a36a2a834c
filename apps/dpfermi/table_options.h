#pragma once

/// The flags that say which table to read and what its columns mean; shared by every verb that
/// takes data.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "dpfermi/data/registry.h"
#include "dpfermi/data/table_reader.h"

namespace dpfermi::cli {

/// What the flags amount to: a table to read, and where it came from.
struct TableChoice {
  TableRequest request;
  std::string title;   ///< for people: the file, or the data set and its variant
  std::string note;    ///< the protocol of a registered data set
  std::string images;  ///< zip file with the images of a registered data set, if any
  SplitRule split;
};

class TableOptions {
 public:
  /// Adds the flags to `verb`.
  void add_to(CLI::App& verb);

  Result<TableChoice> resolve() const;

 private:
  Status apply_schema_flags(Schema& schema) const;
  Status apply_format_flags(CsvFormat& format) const;
  Status apply_sensitive_flags(Schema& schema) const;

  std::string data_;
  std::string dataset_;
  std::string data_dir_;
  std::string schema_file_;
  std::string adjacency_;
  std::string target_, positive_;
  std::vector<double> target_bins_;
  std::vector<std::string> sensitive_, sensitive_values_, sensitive_bins_, other_,
      sensitive_features_;
  std::string sensitive_file_, join_;
  std::string id_;
  std::vector<std::string> drop_, numeric_, categorical_, categories_, bounds_;
  std::string missing_;
  std::vector<std::string> missing_markers_;
  std::string delimiter_;
  bool header_ = false, no_header_ = false;
  std::vector<std::string> names_;
  std::size_t skip_lines_ = 0;
  std::string comment_;
};

}  // namespace dpfermi::cli
