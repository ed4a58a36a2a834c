#include "table_options.h"

#include <fmt/format.h>

#include "cli.h"
#include "dpfermi/core/file.h"
#include "dpfermi/core/text.h"

namespace dpfermi::cli {

std::vector<std::string> TableChoice::inputs() const {
  std::vector<std::string> files = request.files;
  for (const std::string& file : {request.schema.sensitive_file, schema_file}) {
    if (!file.empty()) files.push_back(file);
  }
  return files;
}

Result<TableChoice> registered_choice(const std::string& name, const std::string& variant_name,
                                      const std::string& data_folder) {
  DPFERMI_ASSIGN(const DatasetDescriptor dataset, find_dataset(name));
  DPFERMI_ASSIGN(const DatasetVariant variant, dataset.variant(variant_name));
  DPFERMI_ASSIGN(const auto folder, locate_dataset(dataset, data_folders(data_folder)));
  TableChoice choice;
  choice.request = table_request(variant, folder);
  choice.title = fmt::format("{} ({}): {}", dataset.name, variant.name, dataset.title);
  choice.note = variant.note;
  choice.target_name = dataset.target_name;
  choice.split = variant.split;
  if (!variant.images.empty()) choice.images = (folder / variant.images).string();
  return choice;
}

void TableOptions::add_to(CLI::App& verb) {
  add_file_flags(verb);
  add_column_flags(verb);
  add_privacy_flags(verb);
  add_join_flags(verb);
}

void TableOptions::add_file_flags(CLI::App& verb) {
  const std::string where = "Table";
  verb.add_option("data", data_, "A delimited text file, gzip or not; - is standard input")
      ->type_name("FILE");
  verb.add_option("--dataset", dataset_, "A known data set instead: NAME or NAME:VARIANT")
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
  verb.add_option("--sensitive-file", sensitive_file_, "File that holds the protected columns")
      ->group(privacy);
  verb.add_option("--join", join_, "Column shared with --sensitive-file")->group(privacy);
}

/// A file, or the files, schema and protocol of a known data set.
Result<TableChoice> TableOptions::choose_table() const {
  if (!data_.empty() && !dataset_.empty()) {
    return usage_error(
        fmt::format("two tables are named, {} and --dataset {}; leave one of them out",
                    printable(data_), printable(dataset_)));
  }
  if (data_.empty() && dataset_.empty()) {
    return usage_error("name a table: either a file, or a known data set with --dataset");
  }
  TableChoice choice;
  if (dataset_.empty()) {
    choice.request.files = {data_};
    choice.title = data_ == "-" ? "standard input" : data_;
    return choice;
  }
  const std::size_t colon = dataset_.rfind(':');
  return registered_choice(dataset_.substr(0, colon),
                           colon == std::string::npos ? "" : dataset_.substr(colon + 1), data_dir_);
}

bool TableOptions::plain() const {
  Schema schema;
  schema.target.column = "target";  // a schema without one would not show the rest of it
  const std::string untouched = to_json(schema);
  const Status applied = apply_schema_flags(schema);
  return schema_file_.empty() && target_.empty() && applied && to_json(schema) == untouched;
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
  if (!schema_file_.empty()) {
    DPFERMI_ASSIGN(const std::string text, read_text_file(schema_file_));
    DPFERMI_ASSIGN(choice.request.schema, parse_schema(text, schema_file_));
    choice.schema_file = schema_file_;
    choice.target_name.clear();
  }
  DPFERMI_TRY(apply_schema_flags(choice.request.schema, choice.target_name));
  return choice;
}

Result<TableChoice> TableOptions::resolve_for(const Schema& schema) const {
  DPFERMI_ASSIGN(TableChoice choice, choose_table());
  CsvFormat format = choice.request.schema.format;
  // What stands for no value is part of how the model reads columns.
  format.missing = schema.format.missing;
  choice.request.schema = schema;
  choice.request.schema.format = std::move(format);
  choice.request.use = TableUse::kApply;
  DPFERMI_TRY(apply_format_flags(choice.request.schema.format));
  if (!sensitive_file_.empty()) choice.request.schema.sensitive_file = sensitive_file_;
  if (!join_.empty()) choice.request.schema.join = join_;
  return choice;
}

}  // namespace dpfermi::cli
