#pragma once

/// Which table to read, and which of its rows are kept for testing.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "data/registry.h"
#include "data/split.h"
#include "data/table_reader.h"

namespace dpfermi {

struct TablePack;

/// A table to read, and where it came from.
struct TableChoice {
  TableRequest request;
  std::string title;        ///< for people: the file, or the data set and its variant
  std::string note;         ///< the protocol of a registered data set
  std::string images;       ///< zip file with the images of a registered data set, if any
  std::string target_name;  ///< what such a data set calls its target, if not by its column
  /// Columns that may be protected instead, with their declared domains.
  std::vector<SensitiveSpec> protectable;
  SplitRule split;
  std::string schema_file;                ///< empty: none
  std::shared_ptr<const TablePack> pack;  ///< the table as it was packed, instead of reading it

  /// Every file that reading it takes.
  std::vector<std::string> inputs() const;

  /// The same table, its columns read as the schema of a model says. How the file is written stays
  /// as it is here; what stands for a missing value is part of how the model reads columns.
  TableChoice read_as(const Schema& schema) const;
};

/// A variant of a known data set; an empty name means its first. "compas@race+sex" is the data set
/// with these columns protected instead of its usual ones.
Result<TableChoice> registered_choice(const std::string& name, const std::string& variant_name,
                                      const std::string& data_folder);

struct SplitChoice {
  /// 0: every row is for training. Open: a quarter where features are public, else 0.
  std::optional<double> test_fraction;
  std::uint64_t seed = 1;

  bool operator==(const SplitChoice&) const = default;

  double fraction(Adjacency adjacency) const {
    return test_fraction.value_or(features_are_public(adjacency) ? 0.25 : 0);
  }
};

/// Refuses a share that is none, and rows held out where records are protected: one record would
/// change which others are held out.
Status check_split(const SplitChoice& split, Adjacency adjacency);

/// Refuses rows that were left out for a missing value where their number is taken for public.
Status check_complete(const Table& table);

/// The rows on each side. Which rows are held out follows from public columns.
Result<Split> split_table(const Table& table, SplitRule rule, const SplitChoice& choice);

/// Every row of the table.
std::vector<std::uint32_t> all_rows(const Table& table);

}  // namespace dpfermi
