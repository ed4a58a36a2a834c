#include "flags/table_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <utility>

#include "cli.h"
#include "core/file.h"
#include "core/text.h"
#include "data/registry.h"
#include "interrupt.h"
#include "workflow/pack_run.h"

namespace dpfermi::cli {

namespace {

/// "column=rest" of a flag.
Result<std::pair<std::string, std::string>> split_assignment(const std::string& text,
                                                             const std::string& flag) {
  const std::size_t equals = text.find('=');
  if (equals == 0 || equals == std::string::npos || equals + 1 == text.size()) {
    return usage_error(fmt::format("{} takes COLUMN=..., not '{}'", flag, text));
  }
  return std::pair(text.substr(0, equals), text.substr(equals + 1));
}

Result<std::vector<double>> parse_numbers(const std::string& text, const std::string& flag) {
  std::vector<double> numbers;
  for (const std::string& piece : split_list(text)) {
    const auto number = parse_number(piece);
    if (!number) return usage_error(fmt::format("{}: '{}' is not a number", flag, piece));
    numbers.push_back(*number);
  }
  return numbers;
}

Result<SensitiveSpec*> find_sensitive(Schema& schema, const std::string& column,
                                      const std::string& flag) {
  const auto found = std::ranges::find(schema.sensitive, column, &SensitiveSpec::column);
  if (found != schema.sensitive.end()) return &*found;
  return usage_error(
      fmt::format("{0}: '{1}' is not a sensitive column; add --sensitive {1}", flag, column));
}

/// Whether it is "adult" or "adult@race:as-published", and no file. A bare word that is neither may
/// be a misspelt data set.
Result<bool> names_data_set(const std::string& table) {
  std::error_code ignored;
  if (std::filesystem::exists(table, ignored)) return false;
  std::vector<std::string> names;
  for (const DatasetDescriptor& known : built_in_datasets()) names.push_back(known.name);
  const std::string name = table.substr(0, table.find_first_of("@:"));
  if (contains(names, name)) return true;
  const bool word = table.find_first_of("./:?") == std::string::npos;
  const auto guess = word ? nearest_name(name, names) : std::nullopt;
  if (!guess) return false;
  return failed(
      fmt::format("{}: no such file; did you mean the data set '{}'?", printable(table), *guess));
}

}  // namespace

void TableOptions::add_to(CLI::App& verb) {
  add_file_flags(verb);
  add_column_flags(verb);
  add_privacy_flags(verb);
  add_join_flags(verb);
}

void TableOptions::add_file_flags(CLI::App& verb) {
  const std::string where = "Table";
  verb.add_option("data", data_,
                  "A text file (- is standard input), Parquet file or folder, or an address: "
                  "postgresql://HOST/DATABASE?table=NAME, FILE.duckdb?table=NAME")
      ->type_name("TABLE");
  verb.add_option("--dataset", dataset_,
                  "A known data set instead: NAME, NAME:VARIANT or NAME@COLUMN+COLUMN")
      ->group(where);
  verb.add_option("--data-dir", data_dir_, "Folder of data sets (default $DPFERMI_DATA, the cache)")
      ->group(where);
  verb.add_option("--delimiter", delimiter_,
                  "comma, semicolon, tab or a character (default: found)")
      ->group(where);
  verb.add_flag("--header", header_, "The first line names the columns (default: found)")
      ->group(where);
  verb.add_flag("--no-header", no_header_, "The first line is a row")->group(where);
  verb.add_option("--names", names_, "Column names, in order")->group(where);
  verb.add_option("--skip-lines", skip_lines_, "Lines to ignore at the start")
      ->check(whole_number())
      ->group(where);
  verb.add_option("--comment", comment_, "Ignore lines that start with this")->group(where);
}

void TableOptions::add_column_flags(CLI::App& verb) {
  const std::string roles = "Columns";
  verb.add_option("--schema", schema_file_, "Schema file, as printed by: datasets describe --json")
      ->group(roles);
  verb.add_option("--target", target_, "The column to predict")->group(roles);
  verb.add_option("--positive", positive_, "Favourable class; for numbers '>27.5' or '>median'")
      ->group(roles);
  verb.add_option("--target-values", target_values_, "Declared classes, in order: low,high")
      ->group(roles);
  verb.add_option("--target-bins", target_bins_, "Upper ends of the classes of a numeric target")
      ->group(roles);
  verb.add_option("--id", id_, "The person a row belongs to: the unit of privacy and of splitting")
      ->group(roles);
  verb.add_option("--weight", weight_,
                  "Column of public weights: how much an error about a row counts")
      ->group(roles);
  verb.add_option("--drop", drop_, "Columns to ignore")->group(roles);
  verb.add_option("--numeric", numeric_, "Columns to read as numbers")->group(roles);
  verb.add_option("--categorical", categorical_, "Columns to read as categories")->group(roles);
  verb.add_option("--categories", categories_, "Declared categories: COLUMN=a,b,c")
      ->allow_extra_args(false)
      ->group(roles);
  verb.add_option("--bounds", bounds_, "Declared range of a number: COLUMN=LOW:HIGH")
      ->allow_extra_args(false)
      ->group(roles);
  verb.add_option("--missing", missing_, "drop, category or error (default category)")
      ->group(roles);
  verb.add_option("--missing-markers", missing_markers_,
                  "Texts that stand for no value, instead of the usual ones (empty, ?, NA, ...)")
      ->group(roles);
}

void TableOptions::add_privacy_flags(CLI::App& verb) {
  const std::string privacy = "Privacy";
  verb.add_option("--sensitive", sensitive_,
                  "Protected columns; several form one product attribute")

      ->group(privacy);
  verb.add_option("--sensitive-values", sensitive_values_, "Declared domain: COLUMN=a,b,c")
      ->allow_extra_args(false)
      ->group(privacy);
  verb.add_option("--sensitive-bins", sensitive_bins_, "Upper ends of bins: COLUMN=25,40,60")
      ->allow_extra_args(false)
      ->group(privacy);
  verb.add_flag("--groups-from-data", groups_from_data_,
                "Take undeclared groups from the table; the list is then treated as public")
      ->group(privacy);
  verb.add_option("--other", other_, "Value that stands for undeclared ones: COLUMN=VALUE")
      ->allow_extra_args(false)
      ->group(privacy);
  verb.add_option("--sensitive-as-feature", sensitive_features_,
                  "Protected columns to use as inputs too (record adjacencies only)")

      ->group(privacy);
  verb.add_option("--adjacency", adjacency_,
                  "sensitive (default), replace-record or add-remove-record")
      ->group(privacy);
}

void TableOptions::add_join_flags(CLI::App& verb) {
  const std::string privacy = "Privacy";
  verb.add_option("--sensitive-file", sensitive_file_, "Table that holds the protected columns")
      ->group(privacy);
  verb.add_option("--join", join_, "Column shared with --sensitive-file")->group(privacy);
}

/// A file, or the files, schema and protocol of a known data set.
Result<TableChoice> TableOptions::choose_table() const {
  if (!data_.empty() && !dataset_.empty()) {
    return usage_error(
        fmt::format("two tables are named, {} and --dataset {}; leave one of them out",
                    printable(table_title(data_)), printable(dataset_)));
  }
  if (data_.empty() && dataset_.empty()) {
    return usage_error("name a table: either a file, or a known data set with --dataset");
  }
  if (dataset_.empty() && is_pack_file(data_)) {
    if (plain()) return packed_choice(data_);
    return usage_error(
        fmt::format("{}: a pack says what its columns mean; leave out the flags about the table",
                    printable(data_)));
  }
  std::string named = dataset_;
  if (named.empty()) {
    DPFERMI_ASSIGN(const bool known, names_data_set(data_));
    if (!known) {
      TableChoice choice;
      choice.request.files = {data_};
      choice.title = table_title(data_);
      return choice;
    }
    named = data_;
  }
  const std::size_t colon = named.rfind(':');
  return registered_choice(named.substr(0, colon),
                           colon == std::string::npos ? "" : named.substr(colon + 1), data_dir_);
}

bool TableOptions::says_nothing(bool of_format) const {
  Schema schema;
  schema.target.column = "target";  // a schema without one would not show the rest of it
  const std::string untouched = to_json(schema);
  const Status applied = apply_schema_flags(schema, {});
  if (!of_format) {
    schema.format = {};
    schema.sensitive_file.clear();
    schema.join.clear();
  }
  return schema_file_.empty() && target_.empty() && applied && to_json(schema) == untouched;
}

bool TableOptions::plain() const {
  return says_nothing(/*of_format=*/true);
}

bool TableOptions::plain_columns() const {
  return says_nothing(/*of_format=*/false);
}

std::vector<std::string> TableOptions::datasets() const {
  return split_list(dataset_);
}

Result<std::optional<Adjacency>> TableOptions::adjacency() const {
  if (adjacency_.empty()) return std::optional<Adjacency>();
  return parse_adjacency(adjacency_).map([](Adjacency given) { return std::optional(given); });
}

Result<TableChoice> TableOptions::resolve() const {
  DPFERMI_ASSIGN(TableChoice choice, choose_table());
  if (choice.pack) return choice;
  choice.request.observer = &waiting_observer();
  if (!schema_file_.empty()) {
    DPFERMI_ASSIGN(const std::string text, read_text_file(schema_file_));
    DPFERMI_ASSIGN(choice.request.schema, parse_schema(text, schema_file_));
    choice.schema_file = schema_file_;
    choice.target_name.clear();
  }
  DPFERMI_TRY(apply_schema_flags(choice.request.schema, choice));
  return choice;
}

Result<TableChoice> TableOptions::resolve_file() const {
  DPFERMI_ASSIGN(TableChoice choice, choose_table());
  if (choice.pack) return choice;
  choice.request.observer = &waiting_observer();
  Schema& schema = choice.request.schema;
  DPFERMI_TRY(apply_format_flags(schema.format));
  schema.sensitive_file = sensitive_file_;
  schema.join = join_;
  return choice;
}

Status TableOptions::apply_format_flags(CsvFormat& format) const {
  if (!delimiter_.empty()) {
    const bool one = delimiter_.size() == 1 && delimiter_ != "\"" && delimiter_ != "\n";
    if (delimiter_ == "comma") {
      format.delimiter = ',';
    } else if (delimiter_ == "semicolon") {
      format.delimiter = ';';
    } else if (delimiter_ == "tab" || delimiter_ == "\\t") {
      format.delimiter = '\t';
    } else if (one) {
      format.delimiter = delimiter_[0];
    } else {
      return usage_error(fmt::format(
          "--delimiter takes comma, semicolon, tab or one character, not '{}'", delimiter_));
    }
  }
  if (header_ && no_header_) return usage_error("--header and --no-header exclude each other");
  if (header_) format.header = HeaderRule::kYes;
  if (no_header_) format.header = HeaderRule::kNo;
  if (!names_.empty()) format.names = split_list(names_);
  if (skip_lines_ > 0) format.skip_lines = skip_lines_;
  if (!comment_.empty()) format.comment = comment_;
  if (!missing_markers_.empty()) format.missing = split_list(missing_markers_);
  return {};
}

Status TableOptions::apply_sensitive_flags(Schema& schema,
                                           const std::vector<SensitiveSpec>& protectable) const {
  if (!sensitive_.empty()) {
    // A column that the schema or the data set knows keeps the domain that is declared there.
    std::vector<SensitiveSpec> known = schema.sensitive;
    std::ranges::copy(protectable, std::back_inserter(known));
    schema.sensitive = protect(split_list(sensitive_), known);
  }
  for (const std::string& text : sensitive_values_) {
    DPFERMI_ASSIGN(const auto assignment, split_assignment(text, "--sensitive-values"));
    DPFERMI_ASSIGN(SensitiveSpec * spec,
                   find_sensitive(schema, assignment.first, "--sensitive-values"));
    spec->values = split_list(assignment.second);
  }
  for (const std::string& text : sensitive_bins_) {
    DPFERMI_ASSIGN(const auto assignment, split_assignment(text, "--sensitive-bins"));
    DPFERMI_ASSIGN(SensitiveSpec * spec,
                   find_sensitive(schema, assignment.first, "--sensitive-bins"));
    DPFERMI_ASSIGN(spec->bins, parse_numbers(assignment.second, "--sensitive-bins"));
  }
  for (const std::string& text : other_) {
    DPFERMI_ASSIGN(const auto assignment, split_assignment(text, "--other"));
    DPFERMI_ASSIGN(SensitiveSpec * spec, find_sensitive(schema, assignment.first, "--other"));
    spec->other = assignment.second;
  }
  if (groups_from_data_) schema.groups_from_data = true;
  if (!sensitive_file_.empty()) schema.sensitive_file = sensitive_file_;
  if (!join_.empty()) schema.join = join_;
  if (!adjacency_.empty()) {
    DPFERMI_ASSIGN(schema.adjacency, parse_adjacency(adjacency_));
  }
  if (!sensitive_features_.empty()) schema.sensitive_features = split_list(sensitive_features_);
  return {};
}

Status TableOptions::apply_schema_flags(Schema& schema, const TableChoice& choice) const {
  DPFERMI_TRY(apply_format_flags(schema.format));
  DPFERMI_TRY(apply_sensitive_flags(schema, choice.protectable));
  if (!target_.empty() && target_ != choice.target_name) schema.target = {.column = target_};
  if (!positive_.empty()) schema.target.positive = positive_;
  if (!target_values_.empty()) schema.target.values = split_list(target_values_);
  if (!target_bins_.empty()) {
    DPFERMI_ASSIGN(schema.target.bins, parse_numbers(target_bins_, "--target-bins"));
  }
  if (!id_.empty()) schema.id = id_;
  if (!weight_.empty()) schema.weight = weight_;
  if (!drop_.empty()) schema.drop = split_list(drop_);
  for (const std::string& column : split_list(numeric_)) {
    schema.columns[column].type = ColumnType::kNumeric;
  }
  for (const std::string& column : split_list(categorical_)) {
    std::optional<ColumnType>& type = schema.columns[column].type;
    if (type == ColumnType::kNumeric && contains(split_list(numeric_), column)) {
      return usage_error(fmt::format("column '{}' cannot be both numeric and categorical", column));
    }
    type = ColumnType::kCategorical;
  }
  for (const std::string& text : categories_) {
    DPFERMI_ASSIGN(const auto assignment, split_assignment(text, "--categories"));
    schema.columns[assignment.first].values = split_list(assignment.second);
  }
  for (const std::string& text : bounds_) {
    DPFERMI_ASSIGN(const auto assignment, split_assignment(text, "--bounds"));
    const std::size_t colon = assignment.second.find(':');
    const auto low = parse_number(assignment.second.substr(0, colon));
    const auto high = colon == std::string::npos
                          ? std::nullopt
                          : parse_number(assignment.second.substr(colon + 1));
    if (!low || !high || !(*low < *high)) {
      return usage_error(fmt::format("--bounds takes COLUMN=LOW:HIGH, not '{}'", text));
    }
    schema.columns[assignment.first].bounds = {*low, *high};
  }
  if (!missing_.empty()) {
    DPFERMI_ASSIGN(schema.missing, parse_missing_policy(missing_));
  }
  return {};
}

}  // namespace dpfermi::cli
