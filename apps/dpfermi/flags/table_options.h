#pragma once

/// The flags that say which table to read and what its columns mean; shared by every verb that
/// takes data.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "data/table_choice.h"

namespace dpfermi::cli {

class TableOptions {
 public:
  /// Adds all flags to `verb`: which table, how it is written, what its columns mean.
  void add_to(CLI::App& verb);

  /// Adds those that say which table and how it is written: for a table to use a model on.
  void add_file_flags(CLI::App& verb);

  /// Adds those of a file that holds the protected columns.
  void add_join_flags(CLI::App& verb);

  /// Whether a table was named at all.
  bool given() const { return !data_.empty() || !dataset_.empty(); }

  /// The adjacency, where a flag names it.
  Result<std::optional<Adjacency>> adjacency() const;

  Result<TableChoice> resolve() const;

  /// Whether no flag or file says how the table is written or what its columns mean.
  bool plain() const;

  /// Whether no flag or file says what the table's columns mean; how it is written may be said.
  bool plain_columns() const;

  /// The data sets of --dataset, where several may be given: "adult,credit-card".
  std::vector<std::string> datasets() const;
  bool has_file() const { return !data_.empty(); }
  const std::string& file() const { return data_; }
  const std::string& data_folder() const { return data_dir_; }

  /// The chosen table and how it is written, for TableChoice::read_as: what its columns mean is
  /// left to the schema of a model, except a file of protected columns.
  Result<TableChoice> resolve_file() const;

 private:
  Result<TableChoice> choose_table() const;
  bool says_nothing(bool of_format) const;
  void add_column_flags(CLI::App& verb);
  void add_privacy_flags(CLI::App& verb);
  /// `target_name`: what --target may say for the schema's own target.
  Status apply_schema_flags(Schema& schema, const TableChoice& choice) const;
  Status apply_format_flags(CsvFormat& format) const;
  Status apply_sensitive_flags(Schema& schema, const std::vector<SensitiveSpec>& protectable) const;

  // Lists are kept as typed, "a,b,c": an option that takes several words would swallow the file
  // name after it.
  std::string data_, dataset_, data_dir_, schema_file_, adjacency_;
  std::string target_, positive_, target_bins_, target_values_;
  std::string sensitive_, sensitive_features_, sensitive_file_, join_;
  std::vector<std::string> sensitive_values_, sensitive_bins_, other_;
  bool groups_from_data_ = false;
  std::string id_, weight_, drop_, numeric_, categorical_, missing_;
  std::vector<std::string> categories_, bounds_;
  std::string delimiter_, names_, comment_, missing_markers_;
  bool header_ = false, no_header_ = false;
  std::size_t skip_lines_ = 0;
};

}  // namespace dpfermi::cli
