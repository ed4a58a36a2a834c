#include "print/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>

#include "core/text.h"
#include "data/zip_archive.h"
#include "print/text_table.h"

namespace dpfermi::cli {
namespace {

using Json = nlohmann::ordered_json;

std::size_t missing_count(const Column& column) {
  std::size_t count = 0;
  for (std::size_t row = 0; row < column.size(); ++row) count += column.is_missing(row) ? 1 : 0;
  return count;
}

std::string number_detail(const Standardizer& z) {
  if (z.bounds) return fmt::format("from {} to {}", z.bounds->first, z.bounds->second);
  if (z.constant) return fmt::format("constant {:.6g}", z.centre);
  return fmt::format("mean {:.6g}, sd {:.6g}", z.centre, z.scale);
}

std::string features_text(const TableReport& report) {
  TextTable text({"column", "type", "detail", "missing", "provenance"});
  const auto missing = [&](const std::string& name) {
    const auto found = std::ranges::find(report.table.features, name, &Column::name);
    return with_thousands(missing_count(*found));
  };
  for (const NumericFeature& feature : report.pipeline.numeric()) {
    const Standardizer& z = feature.standardizer;
    text.add({feature.column, "numeric", number_detail(z), missing(feature.column),
              std::string(to_string(z.provenance))});
  }
  for (const CategoryFeature& feature : report.pipeline.categories()) {
    text.add({feature.column, "categorical",
              fmt::format("{} categories", feature.categories.values.size()),
              missing(feature.column), std::string(to_string(feature.categories.provenance))});
  }
  return text.to_string();
}

std::string target_text(const Labels& labels, const TargetSpec& target) {
  std::vector<std::string> classes;
  for (const std::string& name : labels.classes) classes.push_back(printable(name));
  // Fairness notions look at one class: a guess must look like one.
  classes[labels.positive] +=
      target.positive.empty() ? " (assumed favourable; --positive decides)" : " (favourable)";
  return fmt::format("{} classes: {}", classes.size(), fmt::join(classes, ", "));
}

std::string sensitive_text(const GroupDomain& domain) {
  return fmt::format("{} groups: {} ({})", domain.size(), fmt::join(domain.names(), ", "),
                     domain.declared() ? "declared" : "taken from the table, treated as public");
}

std::vector<std::size_t> exact_group_sizes(const Table& table) {
  std::vector<std::size_t> sizes(table.domain.size());
  for (const std::uint16_t group : ExactForHolder::read(table.groups)) ++sizes[group];
  return sizes;
}

}  // namespace

Result<TableReport> report_table(TableChoice choice) {
  DPFERMI_ASSIGN(Table table, read_table(choice.request));
  std::vector<std::uint32_t> rows(table.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  DPFERMI_ASSIGN(Pipeline pipeline, Pipeline::fit(table, rows));
  if (!choice.images.empty()) {
    DPFERMI_ASSIGN(const ZipArchive archive, ZipArchive::open(choice.images));
    const auto absent = std::ranges::find_if(
        table.images, [&](const std::string& image) { return !archive.contains(image); });
    if (absent != table.images.end()) {
      return failed(fmt::format("{}: has no image '{}'", choice.images, *absent));
    }
  }
  return TableReport{std::move(choice), std::move(table), std::move(pipeline)};
}

std::string to_text(const TableReport& report) {
  const Table& table = report.table;
  std::string text = report.choice.title + "\n";
  if (!features_are_public(table.schema.adjacency)) {
    text += fmt::format("  figures    {}: for the holder of the data\n", ExactForHolder::kLabel);
  }
  if (!report.choice.note.empty()) text += fmt::format("  protocol   {}\n", report.choice.note);
  text += fmt::format("  rows       {}", with_thousands(table.rows));
  if (table.rows_dropped > 0) {
    text +=
        fmt::format(" ({} more dropped for missing values)", with_thousands(table.rows_dropped));
  }
  text += fmt::format("\n  unit       {}\n", table.units.empty()
                                                 ? "the record"
                                                 : fmt::format("the person ({} of them)",
                                                               with_thousands(table.unit_count)));
  if (!table.images.empty()) {
    text += fmt::format("  images     {}\n", with_thousands(table.images.size()));
  } else {
    text += fmt::format("  inputs     {} columns from {} numbers and {} categories\n",
                        report.pipeline.columns(), report.pipeline.numeric().size(),
                        report.pipeline.categories().size());
  }
  if (!table.labels.classes.empty()) {
    text += fmt::format("  target     {}, {}\n", table.schema.target.column,
                        target_text(table.labels, table.schema.target));
  }
  if (table.domain.size() > 0) {
    text += fmt::format("  sensitive  {}\n", sensitive_text(table.domain));
    text += fmt::format("  adjacency  {}: {}\n", to_string(table.schema.adjacency),
                        describe(table.schema.adjacency));
  }
  if (report.exact_groups && table.domain.size() > 0) {
    TextTable groups({"group", fmt::format("rows ({})", ExactForHolder::kLabel)});
    const auto sizes = exact_group_sizes(table);
    for (std::size_t r = 0; r < sizes.size(); ++r) {
      groups.add({table.domain.names()[r], with_thousands(sizes[r])});
    }
    text += "\n" + groups.to_string();
  }
  if (!table.features.empty()) text += "\n" + features_text(report);
  return text;
}

std::string to_json(const TableReport& report) {
  const Table& table = report.table;
  Json json = {
      {"title", report.choice.title},
      {"rows", table.rows},
      {"rows_dropped", table.rows_dropped},
      {"units", table.unit_count},
      {"input_columns", report.pipeline.columns()},
      {"numeric_features", report.pipeline.numeric().size()},
      {"categorical_features", report.pipeline.categories().size()},
      {"images", table.images.size()},
      {"classes", table.labels.classes},
      {"groups", table.domain.names()},
      {"domain_of_s", table.domain.declared() ? "declared" : "treated as public"},
      {"adjacency", to_string(table.schema.adjacency)},
  };
  if (!features_are_public(table.schema.adjacency)) json["exact_not_private"] = true;
  if (report.exact_groups && table.domain.size() > 0) {
    json["group_rows"] = {{"exact_not_private", true}, {"rows", exact_group_sizes(table)}};
  }
  json["schema"] = Json::parse(to_json(table.schema));
  return json.dump(2) + "\n";
}

}  // namespace dpfermi::cli
