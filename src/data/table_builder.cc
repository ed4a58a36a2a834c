#include "data/table_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "core/text.h"

namespace dpfermi {
namespace {

std::size_t index_of(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
}

}  // namespace

std::vector<bool> numeric_columns(const std::vector<std::vector<std::string>>& rows,
                                  std::size_t columns, const MissingMarkers& markers) {
  std::vector<bool> numeric(columns, true);
  std::vector<bool> any(columns, false);
  for (const auto& row : rows) {
    for (std::size_t c = 0; c < columns; ++c) {
      if (!numeric[c] || markers.is_missing(row[c])) continue;
      any[c] = true;
      numeric[c] = parse_number(row[c]).has_value();
    }
  }
  for (std::size_t c = 0; c < columns; ++c) numeric[c] = numeric[c] && any[c];
  return numeric;
}

std::vector<bool> numeric_columns(const RecordBlock& block, std::size_t rows,
                                  const MissingMarkers& markers) {
  std::vector<bool> numeric;
  for (const ColumnBlock& column : block.columns) {
    numeric.push_back(column.numeric());
    if (column.numeric()) continue;
    std::vector<bool> met(column.levels->size());
    for (std::size_t row = 0; row < std::min(rows, block.rows); ++row) {
      const auto code = static_cast<std::uint32_t>(column.codes[row]);
      if (code < met.size()) met[code] = true;
    }
    bool any = false;
    bool all = true;
    for (std::size_t level = 0; level < met.size() && all; ++level) {
      const std::string& text = (*column.levels)[level];
      if (!met[level] || markers.is_missing(text)) continue;
      any = true;
      all = parse_number(text).has_value();
    }
    numeric.back() = any && all;
  }
  return numeric;
}

TableBuilder::TableBuilder(const Schema& schema, TableUse use)
    : schema_(schema),
      use_(use),
      markers_(std::make_unique<const MissingMarkers>(schema.format.missing)) {}

/// What a model can do without: columns it never read, and protected ones if none is there.
void TableBuilder::forget_absent_columns(const std::vector<std::string>& names) {
  std::erase_if(schema_.drop, [&](const std::string& name) { return !contains(names, name); });
  const bool any = std::ranges::any_of(
      schema_.sensitive, [&](const SensitiveSpec& spec) { return contains(names, spec.column); });
  if (any || joined_) return;
  for (const SensitiveSpec& spec : schema_.sensitive) {
    if (!contains(schema_.sensitive_features, spec.column)) schema_.columns.erase(spec.column);
  }
  schema_.sensitive.clear();
}

Status TableBuilder::check_names(const RecordReader& reader) const {
  const std::vector<std::string>& names = reader.names();
  for (const std::string& name : named_columns(schema_)) {
    if (contains(names, name)) continue;
    const auto guess = nearest_name(name, names);
    std::string hint = guess ? fmt::format("did you mean '{}'?", *guess)
                             : fmt::format("its columns are {}", fmt::join(names, ", "));
    if (reader.guessed_no_header()) {
      hint = "its first line was taken for a row; if it names the columns, give `format.header`";
    }
    return failed(fmt::format("{}: has no column '{}'; {}", origin_, name, hint));
  }
  return {};
}

/// A second column of a protected name is taken for a copy of it: as a public feature it would show
/// what is protected, whatever a schema says of it. Its holder may look at it.
Status TableBuilder::check_repeats(std::span<const std::string> features) const {
  if (use_ != TableUse::kFit || !features_are_public(schema_.adjacency)) return {};
  std::vector<std::string> copies;
  for (const std::string& name : features) {
    if (repeated_sensitive(schema_, name) != nullptr) copies.push_back(printable(name));
  }
  if (copies.empty()) return {};
  return usage_error(fmt::format(
      "{}: {} {} the name of a protected column and would be a public feature; `drop` {}", origin_,
      fmt::join(copies, ", "), copies.size() == 1 ? "repeats" : "repeat", fmt::join(copies, ",")));
}

/// Where records are protected, all that is open at once: nothing may be read from the table.
Status TableBuilder::check_declared(std::span<const std::string> features,
                                    bool numeric_target) const {
  if (features_are_public(schema_.adjacency)) return {};
  std::vector<std::string> open;
  for (const std::string& name : features) {
    const ColumnSpec& spec = schema_.columns.at(name);
    const bool known = spec.bounds || !spec.values.empty() || !spec.recode.empty();
    // A model that is used knows ranges and categories; a type is enough.
    if (!known && !(spec.type && use_ == TableUse::kApply)) open.push_back(name);
  }
  std::vector<std::string> parts;
  if (!open.empty()) {
    parts.push_back(
        fmt::format("{} (a number: `columns.bounds` '{}=0:100'; categories: `columns.values` "
                    "'{}=a,b,c'; or `drop`)",
                    printable_list(open), open.front(), open.front()));
  }
  for (const std::string& column : undeclared_groups(schema_)) {
    parts.push_back(fmt::format(
        "the groups of '{0}' (`sensitive_values` '{0}=a,b,c' or `sensitive_bins` '{0}=25,40,60')",
        column));
  }
  const bool counted_classes = LabelBuilder::is_numeric(schema_.target, numeric_target);
  if (labels_ && !counted_classes && schema_.target.values.empty()) {
    parts.push_back(
        fmt::format("the classes of '{}' (`target.values` low,high)", schema_.target.column));
  }
  if (parts.empty()) return {};
  return usage_error(fmt::format("under adjacency {} nothing is read from records: declare {}",
                                 to_string(schema_.adjacency), fmt::join(parts, "; ")));
}

void TableBuilder::plan_feature(std::size_t field, const std::string& name, bool numeric) {
  const ColumnSpec& spec = schema_.columns[name];
  std::optional<ColumnType> type = spec.type;
  if (!type && spec.bounds) type = ColumnType::kNumeric;
  if (!type && !(spec.values.empty() && spec.recode.empty())) type = ColumnType::kCategorical;
  if (type.value_or(numeric ? ColumnType::kNumeric : ColumnType::kCategorical) ==
      ColumnType::kNumeric) {
    features_.push_back({field, name, NumericBuilder(markers_.get())});
  } else {
    features_.push_back({field, name, CategoryBuilder(markers_.get(), spec.recode)});
  }
}

/// Columns that are `taken`, protected ones above all, are no scores whatever their names: what is
/// wrong with a score is quoted.
void TableBuilder::plan_scores(const std::vector<std::string>& names,
                               const std::vector<std::string>& taken) {
  if (!schema_.score_prefix.empty()) {
    std::ranges::copy_if(names, std::back_inserter(schema_.scores), [&](const std::string& name) {
      return name.starts_with(schema_.score_prefix) && !contains(taken, name);
    });
  }
  for (const std::string& column : schema_.scores) {
    if (!column.empty()) score_fields_.push_back(index_of(names, column));
  }
}

Status TableBuilder::plan(const RecordReader& reader, const std::vector<bool>& numeric,
                          std::optional<JoinedSensitive> joined) {
  const std::vector<std::string>& names = reader.names();
  origin_ = reader.source_name();
  joined_ = std::move(joined);
  if (use_ == TableUse::kApply) forget_absent_columns(names);
  DPFERMI_TRY(check_names(reader));
  std::vector<std::string> not_features = schema_.drop;
  const std::string& target = schema_.target.column;
  if (!target.empty()) {
    label_field_ = index_of(names, target);
    labels_.emplace(markers_.get(), schema_.target,
                    LabelBuilder::is_numeric(schema_.target, numeric[label_field_]),
                    schema_.columns[target].recode);
    not_features.push_back(target);
  }
  for (const SensitiveSpec& spec : schema_.sensitive) {
    if (!contains(schema_.sensitive_features, spec.column)) not_features.push_back(spec.column);
    if (joined_) continue;
    sensitive_.emplace_back(markers_.get(), spec, schema_.columns[spec.column].recode);
    sensitive_fields_.push_back(index_of(names, spec.column));
  }
  if (joined_) {
    join_field_ = index_of(names, schema_.join);
    not_features.push_back(schema_.join);
  }
  if (!schema_.id.empty()) {
    id_field_ = index_of(names, schema_.id);
    ids_.emplace(markers_.get(), std::map<std::string, std::string>{});
    not_features.push_back(schema_.id);
  }
  if (!schema_.image.empty()) {
    image_field_ = index_of(names, schema_.image);
    images_.emplace(markers_.get(), std::map<std::string, std::string>{});
    not_features.push_back(schema_.image);
  }
  if (!schema_.weight.empty()) {
    weight_field_ = index_of(names, schema_.weight);
    not_features.push_back(schema_.weight);
  }
  std::vector<std::string> taken = not_features;
  std::ranges::copy(schema_.sensitive_features, std::back_inserter(taken));
  plan_scores(names, taken);
  std::ranges::copy(schema_.scores, std::back_inserter(not_features));
  std::vector<std::string> features;
  for (std::size_t c = 0; c < names.size(); ++c) {
    if (contains(not_features, names[c])) continue;
    if (use_ == TableUse::kApply && !schema_.columns.contains(names[c])) continue;
    features.push_back(names[c]);
    plan_feature(c, names[c], numeric[c]);
  }
  DPFERMI_TRY(check_repeats(features));
  return check_declared(features, labels_ && numeric[label_field_]);
}

void TableBuilder::reserve(std::size_t rows) {
  for (Feature& feature : features_) {
    std::visit([&](auto& builder) { builder.reserve(rows); }, feature.values);
  }
  if (labels_) labels_->reserve(rows);
  for (SensitiveBuilder& column : sensitive_) column.reserve(rows);
}

Status TableBuilder::add_cell(const std::string& column, std::string_view text, Cell cell,
                              bool* row_missing) const {
  switch (cell) {
    case Cell::kPresent:
      return {};
    case Cell::kMissing:
      if (schema_.missing == MissingPolicy::kError) {
        return failed(fmt::format("column '{}': no value ('{}'); {}", column, printable(text),
                                  use_ == TableUse::kApply
                                      ? "the model was trained to refuse that: fill it in"
                                      : "use `missing` drop or category"));
      }
      *row_missing = true;
      return {};
    case Cell::kBadNumber:
      // How a model reads its columns was settled in training.
      if (use_ == TableUse::kApply) {
        return failed(
            fmt::format("column '{}': '{}' is not a number, as the model expects; correct it",
                        column, printable(text)));
      }
      return failed(
          fmt::format("column '{}': '{}' is not a number; correct it, add it to `format.missing`, "
                      "or declare the "
                      "column with `categorical` '{}'",
                      column, printable(text), column));
    case Cell::kBadText:
      if (text.find('\0') != std::string_view::npos) {
        return failed(fmt::format("column '{}': '{}' contains a NUL byte; is this a text file?",
                                  column, printable(text)));
      }
      return failed(
          fmt::format("column '{}': '{}' is not UTF-8 text; convert the file, for example "
                      "with iconv -f latin1 -t utf-8",
                      column, printable(text)));
  }
  return {};
}

Status TableBuilder::add_row(const std::vector<std::string_view>& fields) {
  bool feature_missing = false;
  bool target_missing = false;
  for (Feature& feature : features_) {
    const std::string_view text = fields[feature.field];
    const Cell cell = std::holds_alternative<NumericBuilder>(feature.values)
                          ? std::get<NumericBuilder>(feature.values).push(text)
                          : std::get<CategoryBuilder>(feature.values).push(text);
    if (cell != Cell::kPresent) DPFERMI_TRY(add_cell(feature.name, text, cell, &feature_missing));
  }
  if (labels_) {
    const std::string_view text = fields[label_field_];
    DPFERMI_TRY(add_cell(schema_.target.column, text, labels_->push(text), &target_missing));
  }
  if (ids_) {
    DPFERMI_TRY(check_name(schema_.id, fields[id_field_], ids_->push(fields[id_field_])));
  }
  if (images_) {
    const std::string_view text = fields[image_field_];
    DPFERMI_TRY(check_name(schema_.image, text, images_->push(text)));
  }
  for (std::size_t a = 0; a < sensitive_.size(); ++a) {
    sensitive_[a].push(fields[sensitive_fields_[a]]);
  }
  if (joined_) join_rows_.push_back(joined_->keys.find(fields[join_field_]));
  DPFERMI_TRY(add_weight(fields));
  DPFERMI_TRY(add_scores(fields));
  ++rows_;
  if (target_missing || (feature_missing && schema_.missing == MissingPolicy::kDrop)) {
    const auto last = static_cast<std::uint32_t>(rows_ - 1);
    drop_rows({&last, 1});
  }
  return {};
}

void TableBuilder::start_source() {
  for (Feature& feature : features_) {
    if (auto* categories = std::get_if<CategoryBuilder>(&feature.values)) {
      categories->start_source();
    }
  }
  if (labels_) labels_->start_source();
  if (ids_) ids_->start_source();
  if (images_) images_->start_source();
  for (SensitiveBuilder& column : sensitive_) column.start_source();
}

Status TableBuilder::add_block(const RecordBlock& block, const RecordReader& reader,
                               std::uint64_t position) {
  std::vector<std::uint32_t> dropped;
  const auto located = [&](std::size_t row, const Status& status) -> Status {
    if (status) return {};
    return tl::unexpected(reader.error_at(position + row, status.error()));
  };
  std::string number;
  /// What becomes of a row without a value in this column.
  const auto odd_cells = [&](const std::string& name, std::size_t field, bool drops) -> OddCell {
    return [&, field, drops](std::size_t row, Cell cell) -> Status {
      if (cell != Cell::kMissing || schema_.missing == MissingPolicy::kError) {
        bool unused = false;
        const std::string_view text = cell_text(block.columns[field], row, number);
        return located(row, add_cell(name, text, cell, &unused));
      }
      if (drops) dropped.push_back(static_cast<std::uint32_t>(rows_ + row));
      return {};
    };
  };
  const auto odd_names = [&](const std::string& name, std::size_t field) -> OddCell {
    return [&, field](std::size_t row, Cell cell) {
      return located(row, check_name(name, cell_text(block.columns[field], row, number), cell));
    };
  };
  for (Feature& feature : features_) {
    const ColumnBlock& column = block.columns[feature.field];
    const OddCell odd =
        odd_cells(feature.name, feature.field, schema_.missing == MissingPolicy::kDrop);
    auto* numbers = std::get_if<NumericBuilder>(&feature.values);
    DPFERMI_TRY(numbers != nullptr ? numbers->append(column, block.lasting, odd)
                                   : std::get<CategoryBuilder>(feature.values).append(column, odd));
  }
  if (labels_) {
    const OddCell odd = odd_cells(schema_.target.column, label_field_, /*drops=*/true);
    DPFERMI_TRY(labels_->append(block.columns[label_field_], odd));
  }
  if (ids_) {
    DPFERMI_TRY(ids_->append(block.columns[id_field_], odd_names(schema_.id, id_field_)));
  }
  if (images_) {
    const OddCell odd = odd_names(schema_.image, image_field_);
    DPFERMI_TRY(images_->append(block.columns[image_field_], odd));
  }
  for (std::size_t a = 0; a < sensitive_.size(); ++a) {
    sensitive_[a].append(block.columns[sensitive_fields_[a]]);
  }
  DPFERMI_TRY(add_block_texts(block, reader, position));
  rows_ += block.rows;
  std::ranges::sort(dropped);
  dropped.erase(std::unique(dropped.begin(), dropped.end()), dropped.end());
  drop_rows(dropped);
  return {};
}

/// The columns that are read as texts, row by row, wherever they come from.
Status TableBuilder::add_block_texts(const RecordBlock& block, const RecordReader& reader,
                                     std::uint64_t position) {
  std::vector<std::size_t> read = score_fields_;
  if (joined_) read.push_back(join_field_);
  if (!schema_.weight.empty()) read.push_back(weight_field_);
  if (read.empty()) return {};
  std::vector<std::string> texts(block.columns.size());
  std::vector<std::string_view> fields(block.columns.size());
  for (std::size_t row = 0; row < block.rows; ++row) {
    for (const std::size_t field : read) {
      fields[field] = cell_text(block.columns[field], row, texts[field]);
    }
    if (joined_) join_rows_.push_back(joined_->keys.find(fields[join_field_]));
    Status added = add_weight(fields);
    if (added) added = add_scores(fields);
    if (!added) return tl::unexpected(reader.error_at(position + row, added.error()));
  }
  return {};
}

Status TableBuilder::add_weight(const std::vector<std::string_view>& fields) {
  if (schema_.weight.empty()) return {};
  constexpr double kMost = 1e30;
  const std::string_view text = fields[weight_field_];
  const std::optional<double> weight = parse_number(text);
  if (!weight || !(*weight >= 0 && *weight <= kMost)) {
    return failed(
        fmt::format("column '{}': '{}' is not a weight; weights are numbers from 0 to {:g}",
                    schema_.weight, printable(text), kMost));
  }
  weights_.push_back(static_cast<float>(*weight));
  return {};
}

Status TableBuilder::add_scores(const std::vector<std::string_view>& fields) {
  double sum = 0;
  std::size_t next = 0;
  for (const std::string& column : schema_.scores) {
    if (column.empty()) continue;
    const std::string_view text = fields[score_fields_[next++]];
    const std::optional<double> score = parse_number(text);
    if (!score || !(*score >= 0 && *score <= 1)) {
      return failed(fmt::format(
          "column '{}': '{}' is not a probability between 0 and 1; give the class probabilities of "
          "the model, not its margins",
          column, printable(text)));
    }
    sum += *score;
    scores_.push_back(static_cast<float>(*score));
  }
  constexpr double kRounding = 0.01;
  const bool all = next > 1 && next == schema_.scores.size();
  if (sum > 1 + kRounding || (all && sum < 1 - kRounding)) {
    return failed(
        fmt::format("the scores of the row sum to {:g}, not to 1; give the probability of "
                    "every class",
                    sum));
  }
  return {};
}

/// Gives every class its score: names the columns in the order of the classes, fills in what is the
/// rest to one, and makes every row sum to one.
Status TableBuilder::finish_scores(Table& table) {
  if (schema_.scores.empty() && schema_.score_prefix.empty()) return {};
  const std::vector<std::string> read = schema_.scores;
  if (labels_) DPFERMI_TRY(settle_scores(table.labels));
  const std::size_t l = schema_.scores.size();
  std::vector<std::size_t> place;  // of each class among the columns read
  for (const std::string& column : schema_.scores) place.push_back(index_of(read, column));
  std::vector<std::size_t> before(read.size());  // columns with numbers
  for (std::size_t i = 1; i < read.size(); ++i) before[i] = before[i - 1] + !read[i - 1].empty();
  table.scores.resize(rows_ * l);
  for (std::size_t row = 0; row < rows_; ++row) {
    const std::span<float> out = std::span(table.scores).subspan(row * l, l);
    const std::span<const float> in =
        std::span(scores_).subspan(row * score_fields_.size(), score_fields_.size());
    float sum = 0;
    for (const float score : in) sum += score;
    const float rest = std::max(0.0F, 1 - sum);
    for (std::size_t j = 0; j < l; ++j) {
      out[j] = schema_.scores[j].empty() ? rest : in[before[place[j]]];
    }
    if (in.size() < l) sum += rest;
    for (float& score : out) score /= sum;
  }
  return {};
}

Status TableBuilder::settle_scores(const Labels& labels) {
  const std::vector<std::string>& classes = labels.classes;
  if (!schema_.score_prefix.empty()) {
    const std::vector<std::string> found = std::exchange(schema_.scores, {});
    for (const std::string& name : classes) schema_.scores.push_back(schema_.score_prefix + name);
    for (const std::string& column : schema_.scores) {
      if (contains(found, column)) continue;
      return failed(fmt::format(
          "{}: has no column '{}' with the scores of class '{}'; name the "
          "columns of scores '{}' and the class",
          origin_, printable(column), printable(column.substr(schema_.score_prefix.size())),
          printable(schema_.score_prefix)));
    }
    for (const std::string& column : found) {
      if (contains(schema_.scores, column)) continue;
      return failed(
          fmt::format("{}: '{}' is a column of scores for a class that the target does "
                      "not have; leave it out with `drop`, or declare the classes",
                      origin_, printable(column)));
    }
    schema_.score_prefix.clear();
  } else if (schema_.scores.size() == 1 && classes.size() == 2) {
    schema_.scores.insert(schema_.scores.begin() + (labels.positive == 0 ? 1 : 0), "");
  }
  if (schema_.scores.size() == classes.size()) return {};
  return usage_error(
      fmt::format("the target has {} classes, but {} column{} of scores; give one for "
                  "every class with `score_prefix`",
                  classes.size(), schema_.scores.size(), schema_.scores.size() == 1 ? "" : "s"));
}

/// An id or a file name: every row must have one.
Status TableBuilder::check_name(const std::string& column, std::string_view text, Cell cell) const {
  if (cell == Cell::kMissing) {
    return failed(fmt::format("column '{}': a row without a value; give every row one", column));
  }
  bool unused = false;
  return add_cell(column, text, cell, &unused);
}

void TableBuilder::drop_rows(std::span<const std::uint32_t> rows) {
  if (rows.empty()) return;
  for (Feature& feature : features_) {
    std::visit([&](auto& builder) { builder.drop(rows); }, feature.values);
  }
  if (labels_) labels_->drop(rows);
  if (ids_) ids_->drop(rows);
  if (images_) images_->drop(rows);
  for (SensitiveBuilder& column : sensitive_) column.drop(rows);
  if (joined_) erase_rows(join_rows_, rows);
  if (!schema_.weight.empty()) erase_rows(weights_, rows);
  erase_rows(scores_, rows, score_fields_.size());
  rows_ -= rows.size();
  rows_dropped_ += rows.size();
}

/// Keys are public as ids are; a join without any match is a mistake in the keys, whatever s is.
Status TableBuilder::check_join() {
  std::size_t absent = 0;
  for (std::size_t row = 0; row < rows_; ++row) {
    absent += join_rows_[row] == LevelTable::kAbsent ? 1 : 0;
  }
  if (absent == rows_ && features_are_public(schema_.adjacency)) {
    return failed(
        fmt::format("{}: no value of '{}' occurs in {}; write the keys alike in both files",
                    origin_, schema_.join, table_title(schema_.sensitive_file)));
  }
  for (SensitiveBuilder& column : joined_->columns) {
    if (absent > 0) column.expect_undeclared();
  }
  return {};
}

/// A value of s that counts for several units would be protected as if it were one of many.
Status TableBuilder::check_keys_belong_to_persons(const std::vector<std::uint32_t>& units) const {
  std::vector<std::uint32_t> unit_of(joined_->keys.size(), LevelTable::kAbsent);
  for (std::size_t row = 0; row < rows_; ++row) {
    const std::uint32_t key = join_rows_[row];
    if (key == LevelTable::kAbsent) continue;
    if (unit_of[key] == LevelTable::kAbsent) unit_of[key] = units[row];
    if (unit_of[key] != units[row]) {
      return failed(
          fmt::format("{}: rows with the same '{}' have different '{}', so that one sensitive "
                      "value would count "
                      "for several units; use `id` '{}'",
                      origin_, schema_.join, schema_.id, schema_.join));
    }
  }
  return {};
}

Status TableBuilder::check_several_classes(const Labels& labels) const {
  std::vector<bool> present(labels.classes.size());
  for (const std::uint16_t y : labels.y) present[y] = true;
  if (std::ranges::count(present, true) >= 2) return {};
  const auto only = std::ranges::find(present, true) - present.begin();
  return failed(fmt::format(
      "{}: the target column '{}' has one class ('{}'); a classifier needs at least two", origin_,
      schema_.target.column, printable(labels.classes[static_cast<std::size_t>(only)])));
}

Status TableBuilder::finish_groups(Table& table) {
  if (schema_.sensitive.empty()) return {};
  if (joined_) DPFERMI_TRY(check_join());
  std::vector<SensitiveBuilder>& columns = joined_ ? joined_->columns : sensitive_;
  std::vector<GroupDomain::Attribute> attributes;
  bool declared = true;
  for (SensitiveBuilder& column : columns) {
    DPFERMI_ASSIGN(GroupDomain::Attribute attribute, column.finish());
    attributes.push_back(std::move(attribute));
    declared &= column.declared();
  }
  DPFERMI_ASSIGN(table.domain, GroupDomain::create(std::move(attributes), declared));
  std::vector<std::uint16_t> groups(rows_);
  std::vector<std::uint32_t> values(columns.size());
  std::vector<WithoutValue> without(use_ == TableUse::kDescribe ? columns.size() : 0);
  for (std::size_t row = 0; row < rows_; ++row) {
    const std::size_t source = joined_ ? join_rows_[row] : row;
    for (std::size_t a = 0; a < columns.size(); ++a) {
      values[a] = source == LevelTable::kAbsent ? CodeVector::kMissing : columns[a].code(source);
    }
    groups[row] = table.domain.group_of(values);
    for (std::size_t a = 0; a < without.size(); ++a) {
      const bool known = values[a] < table.domain.attributes()[a].values.size();
      if (known) continue;
      ++(source == LevelTable::kAbsent       ? without[a].unmatched
         : values[a] == CodeVector::kMissing ? without[a].missing
                                             : without[a].undeclared);
    }
  }
  table.without_value = Protected(std::move(without));
  table.groups = Protected(std::move(groups));
  return {};
}

void TableBuilder::complete_schema(Table& table) const {
  table.schema = schema_;
  for (const Column& column : table.features) {
    const bool numeric = std::holds_alternative<NumericColumn>(column.data);
    table.schema.columns[column.name].type =
        numeric ? ColumnType::kNumeric : ColumnType::kCategorical;
  }
  std::erase_if(table.schema.columns, [](const auto& entry) {
    const ColumnSpec& spec = entry.second;
    return !spec.type && spec.values.empty() && !spec.bounds && spec.recode.empty();
  });
}

Result<Table> TableBuilder::finish() && {
  Table table;
  table.rows = rows_;
  table.rows_dropped = rows_dropped_;
  // A batch to predict for may be empty; nothing can be learnt or measured on no rows.
  const bool may_be_empty = use_ == TableUse::kApply && !labels_ && rows_dropped_ == 0;
  if (rows_ == 0 && !may_be_empty) {
    return failed(
        rows_dropped_ == 0
            ? fmt::format("{}: has a header but no rows", origin_)
            : fmt::format("{}: every row has a missing value; {}", origin_,
                          use_ == TableUse::kApply ? "fill some in" : "use `missing` category"));
  }
  if (labels_) {
    DPFERMI_ASSIGN(table.labels, std::move(*labels_).finish(origin_, schema_.adjacency));
    if (use_ != TableUse::kApply && features_are_public(schema_.adjacency)) {
      DPFERMI_TRY(check_several_classes(table.labels));
    }
  }
  DPFERMI_TRY(finish_groups(table));
  table.weights = std::move(weights_);
  DPFERMI_TRY(finish_scores(table));
  for (Feature& feature : features_) {
    Column column{.name = feature.name, .data = {}};
    std::visit([&](auto& builder) { column.data = std::move(builder).finish(); }, feature.values);
    table.features.push_back(std::move(column));
  }
  if (ids_) {
    const CategoryColumn ids = std::move(*ids_).finish();
    LevelTable present;
    for (std::size_t row = 0; row < rows_; ++row) {
      table.units.push_back(present.insert(ids.levels[ids.codes[row]]));
    }
    table.unit_count = present.size();
    table.unit_names = present.levels();
    if (joined_) DPFERMI_TRY(check_keys_belong_to_persons(table.units));
  } else {
    table.unit_count = rows_;
  }
  if (images_) {
    const CategoryColumn images = std::move(*images_).finish();
    for (std::size_t row = 0; row < rows_; ++row) {
      table.images.push_back(images.levels[images.codes[row]]);
    }
  }
  complete_schema(table);
  return table;
}

}  // namespace dpfermi
