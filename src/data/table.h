#pragma once

/// A table as it was read: typed feature columns, labels, the protected group of every row, and
/// whose rows belong together. Encoding into numbers happens later (preprocess/).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/column.h"
#include "data/group_domain.h"
#include "dpfermi/data/schema.h"
#include "dpfermi/privacy/protected.h"
#include "privacy/provenance.h"

namespace dpfermi {

/// The target: l classes in a fixed order and one class index per row.
struct Labels {
  std::vector<std::string> classes;
  std::vector<std::uint16_t> y;
  std::size_t positive = 0;                            ///< index of the favourable class
  Provenance classes_provenance = Provenance::kGiven;  ///< of the class list, or of the threshold
  std::optional<double> threshold;                     ///< where a number was cut in two
};

/// Rows without a declared value of one protected column, by what is there instead.
struct WithoutValue {
  std::size_t missing = 0;
  std::size_t undeclared = 0;
  std::size_t unmatched = 0;  ///< the key is not in the file that holds the column
};

struct Table {
  std::size_t rows = 0;
  std::vector<Column> features;
  Labels labels;
  GroupDomain domain;
  Protected<std::vector<std::uint16_t>> groups;  ///< one group per row; empty without a domain
  /// By protected column; empty unless the table was read to be described.
  Protected<std::vector<WithoutValue>> without_value;
  std::vector<std::uint32_t> units;  ///< the person of each row; empty: one row each
  std::size_t unit_count = 0;
  std::vector<std::string> unit_names;  ///< their ids, as written; empty: one row each
  std::vector<std::string> images;      ///< image file of each row; empty: no images
  std::vector<float> weights;           ///< of each row in the loss; empty: all alike
  std::vector<float> scores;            ///< rows x classes, of another model; empty: none

  Schema schema;                   ///< completed with what was inferred
  std::uint64_t rows_dropped = 0;  ///< for a missing feature or target, never because of s
};

}  // namespace dpfermi
