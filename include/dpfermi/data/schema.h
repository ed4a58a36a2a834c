#pragma once

/// What the columns of a table mean: which one is predicted, which are protected, which are
/// features, whose rows belong together. A schema may be partial: what it leaves open is inferred
/// from the table, and `datasets describe` prints the completed one.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dpfermi/core/result.h"
#include "dpfermi/data/csv_format.h"
#include "dpfermi/privacy/adjacency.h"

namespace dpfermi {

enum class ColumnType { kNumeric, kCategorical };

enum class MissingPolicy {
  kDrop,      ///< rows with a missing feature or target are left out
  kCategory,  ///< a missing feature is a separate category; rows without a target are left out
  kError,     ///< a missing feature or target is an error
};

/// How the target column becomes classes.
struct TargetSpec {
  std::string column;
  /// The favourable class, or for a numeric target a threshold: ">27.5" or ">median". Open: the
  /// last class in order.
  std::string positive;
  /// Upper ends of the classes of a numeric target: {10, 15} gives <=10, (10,15], >15.
  std::vector<double> bins;
  /// All classes, in order, where they are declared rather than collected from the table.
  std::vector<std::string> values;
};

/// One protected column and its declared domain: values or bins.
struct SensitiveSpec {
  std::string column;
  std::vector<std::string> values;
  std::vector<double> bins;  ///< for numeric columns: upper ends, as for the target
  /// The declared value that stands in for undeclared and missing ones. Open: they form the group
  /// "other".
  std::string other;
};

/// What is known about a feature beyond its name.
struct ColumnSpec {
  std::optional<ColumnType> type;
  std::vector<std::string> values;                  ///< declared categories
  std::optional<std::pair<double, double>> bounds;  ///< declared range of a number
  std::map<std::string, std::string> recode;        ///< texts to read as other texts
};

struct Schema {
  /// What is protected; decides what may be computed from the table.
  Adjacency adjacency = Adjacency::kSensitive;
  CsvFormat format;
  TargetSpec target;
  std::vector<SensitiveSpec> sensitive;
  /// Columns of `sensitive` without values and bins get the values that occur in the table, and
  /// every statement says that this list is treated as public. Refused where records are protected.
  bool groups_from_data = false;
  std::string sensitive_file;  ///< the file that holds the protected columns, if not the table
  std::string join;            ///< the column that both files share
  /// Where there is no id: whether rows that share a key share a person, or a key names a row.
  bool join_names_persons = true;
  /// Protected columns that are features as well. Refused under adjacency `sensitive`.
  std::vector<std::string> sensitive_features;
  std::string id;     ///< the person a row belongs to; empty: every row is its own
  std::string image;  ///< column of image file names, for data sets of images
  /// Column of case weights: how much an error about a row counts; public, no feature. Empty: all
  /// alike.
  std::string weight;
  /// Columns with the class probabilities of another model, in the order of the classes; they are
  /// no features. One of them may be empty: the rest to one. A single one is that of the favourable
  /// of two classes. A completed schema has one for every class.
  std::vector<std::string> scores;
  std::string score_prefix;       ///< the same: the columns of this prefix and the name of a class
  std::vector<std::string> drop;  ///< columns to ignore
  std::map<std::string, ColumnSpec> columns;
  MissingPolicy missing = MissingPolicy::kCategory;
};

std::string_view to_string(ColumnType type);
std::string_view to_string(MissingPolicy policy);
Result<MissingPolicy> parse_missing_policy(std::string_view text);

/// The protected column that repeats `name`, or whose name it repeats: a second column called "sex"
/// is read as "sex.2". Null: none.
const SensitiveSpec* repeated_sensitive(const Schema& schema, std::string_view name);

/// Checks what can be checked before a file is opened: no column in two roles, no protected column
/// among the features of an adjacency that treats features as public.
Status check_schema(const Schema& schema);

/// Protected columns whose values are neither declared nor, by request, read from the data.
std::vector<std::string> undeclared_groups(const Schema& schema);

/// Refuses a protected column whose values are neither declared nor, by request, treated as public:
/// the list of groups gives a model its shape, and one person could add a group to it.
Status check_groups_declared(const Schema& schema);

/// The schema file: JSON that parse_schema reads back. `origin` names the file in messages.
std::string to_json(const Schema& schema);
Result<Schema> parse_schema(const std::string& json, const std::string& origin);

}  // namespace dpfermi
