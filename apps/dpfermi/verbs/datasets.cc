#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli.h"
#include "core/file.h"
#include "data/census.h"
#include "data/registry.h"
#include "data/schema_template.h"
#include "flags/table_options.h"
#include "print/describe.h"
#include "print/text_table.h"
#include "verbs/fetch.h"
#include "workflow/output_file.h"

namespace dpfermi::cli {
namespace {

using Json = nlohmann::ordered_json;

Status list_datasets(const Context& context, const std::string& data_dir) {
  TextTable text({"name", "variants", "licence", "where"});
  Json json = Json::array();
  for (const DatasetDescriptor& dataset : built_in_datasets()) {
    const auto folder = locate_dataset(dataset, data_folders(data_dir));
    std::vector<std::string> variants;
    for (const DatasetVariant& variant : dataset.variants) variants.push_back(variant.name);
    text.add({dataset.name, fmt::format("{}", fmt::join(variants, ", ")), dataset.licence,
              folder ? folder->string() : "not here"});
    json.push_back({{"name", dataset.name},
                    {"title", dataset.title},
                    {"licence", dataset.licence},
                    {"homepage", dataset.homepage},
                    {"variants", variants},
                    {"folder", folder ? Json(folder->string()) : Json(nullptr)}});
  }
  Context::print(context.json ? json.dump(2) + "\n" : text.to_string());
  return {};
}

void add_list(CLI::App& datasets, Context& context) {
  const auto [verb, data_dir] = add_verb<std::string>(
      datasets, context, "list", "List the known data sets",
      "  dpfermi datasets list\n  dpfermi datasets list --json", list_datasets);
  verb->add_option("--data-dir", *data_dir, "Folder of data sets");
}

/// Refuses to overwrite a file.
Status check_new(const std::string& path, const std::string& field, const std::string& other) {
  DPFERMI_TRY(check_writable(path, field, {&other, 1}));
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return {};
  return usage_error(
      fmt::format("`{}` {}: is there already; remove it first or name a new file", field, path));
}

struct DescribeOptions {
  TableOptions table;
  bool exact = false;
  std::string schema_out;
};

Status describe(const Context& context, const DescribeOptions& options) {
  const std::string& schema_out = options.schema_out;
  DPFERMI_ASSIGN(TableChoice choice, options.table.resolve());
  if (!schema_out.empty()) DPFERMI_TRY(check_new(schema_out, "write_schema", {}));
  DPFERMI_ASSIGN(TableReport report, report_table(std::move(choice)));
  report.exact_groups = options.exact;
  if (!schema_out.empty()) {
    const Schema& declared = report.choice.request.schema;
    DPFERMI_TRY(
        write_file_atomically(schema_out, schema_template(report.table, report.profile, declared)));
  }
  Context::print(context.json ? to_json(report) : to_text(report));
  if (!schema_out.empty() && !context.json) {
    Context::print(fmt::format("\nschema {}: follows the remarks; edit it where they are wrong\n",
                               schema_out));
  }
  return {};
}

void add_describe(CLI::App& datasets, Context& context) {
  const auto [verb, options] = add_verb<DescribeOptions>(
      datasets, context, "describe", "Say what a table holds, and print its schema (--json)",
      "  dpfermi datasets describe people.csv --target income --sensitive sex\n"
      "  dpfermi datasets describe --dataset adult:as-published\n"
      "  dpfermi datasets describe people.csv --target income --write-schema people.json",
      describe);
  options->table.add_to(*verb);
  verb->add_flag("--exact", options->exact,
                 "Count the rows of each group and those without one, and name features that are "
                 "copies of a protected column (exact, not private)")
      ->group("Privacy");
  verb->add_option(
      "--write-schema", options->schema_out,
      "Write a schema file for --schema, with notes where something is to be filled in");
}

struct FetchOptions {
  std::string name;
  std::string data_dir;
  std::string mirror;
};

void print_folder(const Context& context, const std::string& folder) {
  Context::print((context.json ? Json{{"folder", folder}}.dump() : folder) + "\n");
}

Status fetch(const Context& context, const FetchOptions& options) {
  DPFERMI_ASSIGN(const DatasetDescriptor dataset, find_dataset(options.name));
  const auto folder = data_folders(options.data_dir).front() / dataset.name;
  DPFERMI_TRY(fetch_dataset(dataset, folder, options.mirror, context));
  print_folder(context, folder.string());
  return {};
}

void add_fetch(CLI::App& datasets, Context& context) {
  const auto [verb, options] = add_verb<FetchOptions>(
      datasets, context, "fetch", "Download a data set, check it and unpack it",
      "  dpfermi datasets fetch adult\n"
      "  dpfermi datasets fetch adult --data-dir data --mirror http://mirror.example/uci",
      fetch);
  verb->add_option("name", options->name, "A known data set, or a descriptor file")->required();
  verb->add_option("--data-dir", options->data_dir,
                   "Where to put it (default $DPFERMI_DATA, the cache)");
  verb->add_option("--mirror", options->mirror, "Take the files from this address instead");
}

Status find_folder(const Context& context, const FetchOptions& options) {
  DPFERMI_ASSIGN(const DatasetDescriptor dataset, find_dataset(options.name));
  DPFERMI_ASSIGN(const auto folder, locate_dataset(dataset, data_folders(options.data_dir)));
  print_folder(context, folder.string());
  return {};
}

void add_path(CLI::App& datasets, Context& context) {
  const auto [verb, options] =
      add_verb<FetchOptions>(datasets, context, "path", "Print the folder that holds a data set",
                             "  ls \"$(dpfermi datasets path adult)\"", find_folder);
  verb->add_option("name", options->name, "A known data set, or a descriptor file")->required();
  verb->add_option("--data-dir", options->data_dir, "Folder of data sets");
}

struct GenerateOptions {
  CensusSpec spec;
  std::string out = "-";
  std::string schema_out;
};

Status generate(const GenerateOptions& options) {
  DPFERMI_TRY(check_census(options.spec));
  if (options.out != "-") DPFERMI_TRY(check_new(options.out, "out", {}));
  if (!options.schema_out.empty()) {
    DPFERMI_TRY(check_new(options.schema_out, "schema_out", options.out));
    DPFERMI_TRY(
        write_file_atomically(options.schema_out, to_json(census_schema(options.spec)) + "\n"));
  }
  if (options.out == "-") return write_census(options.spec, std::cout);
  return write_file_atomically(options.out,
                               [&](std::ostream& out) { return write_census(options.spec, out); });
}

void add_generate(CLI::App& datasets, Context& context) {
  const auto options = std::make_shared<GenerateOptions>();
  CLI::App* verb =
      add_verb(datasets, context, "generate",
               "Write a synthetic census: unfair, documented, not about real people",
               "  dpfermi datasets generate --rows 10000 --out census.csv\n"
               "  dpfermi datasets generate --groups 4 --classes 3 --unfairness 2 | head",
               [options] { return generate(*options); });
  CensusSpec& spec = options->spec;
  verb->add_option("--rows", spec.rows, "Persons")->check(whole_number())->capture_default_str();
  verb->add_option("--groups", spec.groups, "Sensitive groups")
      ->check(whole_number())
      ->capture_default_str();
  verb->add_option("--classes", spec.classes, "Classes of the label")
      ->check(whole_number())
      ->capture_default_str();
  verb->add_option("--numeric", spec.numeric, "Numeric columns")
      ->check(whole_number())
      ->capture_default_str();
  verb->add_option("--categorical", spec.categorical, "Categorical columns")
      ->check(whole_number())
      ->capture_default_str();
  verb->add_option("--unfairness", spec.unfairness, "How much the group shapes the features")
      ->capture_default_str();
  verb->add_option("--seed", spec.seed, "The same seed gives the same table")
      ->check(whole_number())
      ->capture_default_str();
  verb->add_option("--out", options->out, "File to write; - is standard output")
      ->capture_default_str();
  verb->add_option("--schema-out", options->schema_out, "Also write the table's schema file");
}

}  // namespace

void add_datasets(CLI::App& app, Context& context) {
  CLI::App* datasets = add_verb(app, context, "datasets", "Known data sets, and tables of your own",
                                "  dpfermi datasets list\n"
                                "  dpfermi datasets describe people.csv --target income",
                                {});
  datasets->require_subcommand(1);
  add_list(*datasets, context);
  add_describe(*datasets, context);
  add_fetch(*datasets, context);
  add_path(*datasets, context);
  add_generate(*datasets, context);
}

}  // namespace dpfermi::cli
