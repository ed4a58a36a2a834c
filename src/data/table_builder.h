#pragma once

/// Rows in, or blocks of them, Table out.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "data/column_builder.h"
#include "data/label_builder.h"
#include "data/record_reader.h"
#include "data/table.h"
#include "data/table_reader.h"

namespace dpfermi {

/// Which columns of the first rows hold nothing but numbers and missing values.
std::vector<bool> numeric_columns(const std::vector<std::vector<std::string>>& rows,
                                  std::size_t columns, const MissingMarkers& markers);
std::vector<bool> numeric_columns(const RecordBlock& block, std::size_t rows,
                                  const MissingMarkers& markers);

/// The protected columns of a file of their own, by the value of the join column.
struct JoinedSensitive {
  LevelTable keys;
  std::vector<SensitiveBuilder> columns;  ///< one code per key
};

class TableBuilder {
 public:
  TableBuilder(const Schema& schema, TableUse use);

  /// Assigns a role to every column of the file. `joined` holds the protected columns where they
  /// are in a file of their own.
  Status plan(const RecordReader& reader, const std::vector<bool>& numeric,
              std::optional<JoinedSensitive> joined);

  /// Makes room for about this many rows: growing large columns copies them, and doubles the peak.
  void reserve(std::size_t rows);

  /// Adds one row; an error names the column and the value, not yet the file and line.
  Status add_row(const std::vector<std::string_view>& fields);

  /// Rows of another table follow.
  void start_source();

  /// Adds many rows, of which the first is at `position` of the reader.
  Status add_block(const RecordBlock& block, const RecordReader& reader, std::uint64_t position);

  Result<Table> finish() &&;

 private:
  struct Feature {
    std::size_t field;
    std::string name;
    std::variant<NumericBuilder, CategoryBuilder> values;
  };

  void forget_absent_columns(const std::vector<std::string>& names);
  Status check_names(const RecordReader& reader) const;
  Status check_repeats(std::span<const std::string> features) const;
  void plan_scores(const std::vector<std::string>& names, const std::vector<std::string>& taken);
  Status check_declared(std::span<const std::string> features, bool numeric_target) const;
  void plan_feature(std::size_t field, const std::string& name, bool numeric);
  Status add_cell(const std::string& column, std::string_view text, Cell cell,
                  bool* row_missing) const;
  Status add_block_texts(const RecordBlock& block, const RecordReader& reader,
                         std::uint64_t position);
  void drop_rows(std::span<const std::uint32_t> rows);
  Status add_weight(const std::vector<std::string_view>& fields);
  Status add_scores(const std::vector<std::string_view>& fields);
  Status check_name(const std::string& column, std::string_view text, Cell cell) const;
  Status check_several_classes(const Labels& labels) const;
  Status check_join();
  Status check_keys_belong_to_persons(const std::vector<std::uint32_t>& units) const;
  Status finish_groups(Table& table);
  Status finish_scores(Table& table);
  Status settle_scores(const Labels& labels);
  void complete_schema(Table& table) const;

  Schema schema_;
  TableUse use_;
  // Shared by every builder; on the heap so that their pointers survive a move.
  std::unique_ptr<const MissingMarkers> markers_;
  std::string origin_;

  std::vector<Feature> features_;
  std::optional<LabelBuilder> labels_;
  std::size_t label_field_ = 0;
  std::vector<SensitiveBuilder> sensitive_;
  std::vector<std::size_t> sensitive_fields_;
  std::optional<JoinedSensitive> joined_;
  std::size_t join_field_ = 0;
  CodeVector join_rows_;
  std::optional<CategoryBuilder> ids_;
  std::size_t id_field_ = 0;
  std::optional<CategoryBuilder> images_;
  std::size_t image_field_ = 0;
  std::size_t weight_field_ = 0;
  std::vector<float> weights_;
  std::vector<std::size_t> score_fields_;  ///< of the scores that have a column
  std::vector<float> scores_;              ///< rows x those
  std::size_t rows_ = 0;
  std::uint64_t rows_dropped_ = 0;
};

}  // namespace dpfermi
