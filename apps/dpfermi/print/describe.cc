#include "print/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <numeric>

#include "core/text.h"
#include "data/schema_json.h"
#include "data/table_source.h"
#include "data/zip_archive.h"
#include "flags/field_names.h"
#include "preprocess/category_list.h"
#include "print/text_table.h"

namespace dpfermi::cli {
namespace {

/// "12 %", "<1 %".
std::string percent_text(std::size_t count, std::size_t of, int digits) {
  const double percent = 100 * static_cast<double>(count) / static_cast<double>(of);
  const double least = digits == 0 ? 1 : 0.1;
  if (count > 0 && percent < least / 2) return fmt::format("<{:g} %", least);
  return fmt::format("{:.{}f} %", percent, digits);
}

/// "12", or "12 (3.1 %)".
std::string share_text(std::size_t count, std::size_t of) {
  if (count == 0 || of == 0) return with_thousands(count);
  return fmt::format("{} ({})", with_thousands(count), percent_text(count, of, 1));
}

std::string category_detail(const ColumnProfile& column, std::size_t rows) {
  std::vector<std::string> frequent;
  for (const auto& [value, count] : column.frequent) {
    frequent.push_back(printable(value, 20) + " " + percent_text(count, rows, 0));
  }
  return fmt::format("{}: {}{}", counted(column.distinct, "category"), fmt::join(frequent, ", "),
                     column.distinct > frequent.size() ? " ..." : "");
}

std::string number_detail(const Standardizer& z) {
  if (z.bounds) return fmt::format("from {} to {}", z.bounds->first, z.bounds->second);
  if (z.constant) return fmt::format("constant {:.6g}", z.centre);
  return fmt::format("mean {:.6g}, sd {:.6g}", z.centre, z.scale);
}

std::string features_text(const TableReport& report) {
  TextTable text({"column", "type", "detail", "missing"});
  const std::size_t rows = report.table.rows;
  const auto profile_of = [&](const std::string& name) -> const ColumnProfile& {
    return *std::ranges::find(report.profile.columns, name, &ColumnProfile::name);
  };
  for (const NumericFeature& feature : report.pipeline.numeric()) {
    text.add({feature.column, "numeric", number_detail(feature.standardizer),
              share_text(profile_of(feature.column).missing, rows)});
  }
  for (std::size_t c = 0; c < report.table.features.size(); ++c) {
    if (!std::holds_alternative<CategoryColumn>(report.table.features[c].data)) continue;
    const ColumnProfile& column = report.profile.columns[c];
    text.add({column.name, "categorical", category_detail(column, rows),
              share_text(column.missing, rows)});
  }
  return text.to_string();
}

/// Declared groups whose names differ in case alone, such as "Other" beside the group of undeclared
/// values.
std::string alike_groups_text(const Table& table) {
  const auto lower = [](std::string name) {
    std::ranges::transform(name, name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return name;
  };
  const auto& names = table.domain.names();
  for (std::size_t i = 0; table.domain.declared() && i < names.size(); ++i) {
    for (std::size_t j = i + 1; j < names.size(); ++j) {
      if (lower(names[i]) != lower(names[j])) continue;
      return fmt::format(
          "  groups '{0}' and '{1}' differ in case only: is one group meant? --other COLUMN={0} "
          "joins missing and undeclared values to it\n",
          printable(names[i]), printable(names[j]));
    }
  }
  return "";
}

/// Where the list of groups comes from.
std::string domain_text(const Table& table) {
  if (table.domain.declared()) return "declared";
  return table.schema.groups_from_data ? "treated as public" : std::string(ExactForHolder::kLabel);
}

constexpr std::size_t kShownGroups = 12;

std::string sensitive_text(const Table& table) {
  const std::span names(table.domain.names());
  return fmt::format("{}: {}{} ({}{})", counted(names.size(), "group"),
                     fmt::join(names.first(std::min(kShownGroups, names.size())), ", "),
                     names.size() > kShownGroups ? ", ..." : "",
                     table.domain.declared() ? "" : "read from the table: ", domain_text(table));
}

/// Undeclared values make a group each.
std::string many_groups_text(const Table& table) {
  std::string text;
  for (std::size_t a = 0; a < table.schema.sensitive.size(); ++a) {
    const SensitiveSpec& spec = table.schema.sensitive[a];
    const std::vector<std::string>& values = table.domain.attributes()[a].values;
    const bool numbers = std::ranges::all_of(
        values, [](const std::string& value) { return parse_number(value).has_value(); });
    if (!spec.values.empty() || !spec.bins.empty() || values.size() <= kShownGroups) continue;
    text += fmt::format("  {0}: a group for each of {1} values; {2} joins them\n",
                        printable(spec.column), values.size(),
                        numbers ? fmt::format("--sensitive-bins {}=LOW,...,HIGH", spec.column)
                                : fmt::format("--sensitive-values {}=A,B,...", spec.column));
  }
  return text;
}

/// What a colleague would point out, each with the flag that settles it.
std::string remarks_text(const TableReport& report) {
  std::string text;
  for (const ColumnProfile& column : report.profile.columns) {
    for (const std::string& remark : column.remarks) {
      text += fmt::format("  {}: {}\n", printable(column.name), with_flags(remark));
    }
  }
  if (report.profile.copies > 0) {
    text += fmt::format("  {} ({}) {} an earlier one in all features and the label{}\n",
                        counted(report.profile.copies, "row"),
                        percent_text(report.profile.copies, report.table.rows, 1),
                        report.profile.copies == 1 ? "repeats" : "repeat",
                        report.table.units.empty()
                            ? "; splits keep them on one side (where persons have several rows, "
                              "name them with --id)"
                            : "");
  }
  text += many_groups_text(report.table) + alike_groups_text(report.table);
  if (text.empty()) return "";
  std::vector<std::string> drop;
  std::vector<std::string> categorical;
  for (const ColumnProfile& column : report.profile.columns) {
    if (column.drop) drop.push_back(printable(column.name));
    if (column.categorical && !column.drop) categorical.push_back(printable(column.name));
  }
  if (drop.size() + categorical.size() > 1) {
    text +=
        fmt::format("All at once:{}{}{}{}\n", drop.empty() ? "" : " --drop ", fmt::join(drop, ","),
                    categorical.empty() ? "" : " --categorical ", fmt::join(categorical, ","));
  }
  return "\nWorth a look:\n" + text;
}

std::string target_text(const Labels& labels, const TargetSpec& target,
                        const std::vector<std::size_t>& class_rows) {
  std::vector<std::string> classes;
  for (std::size_t j = 0; j < labels.classes.size(); ++j) {
    classes.push_back(fmt::format(
        "{} {:.1f} %", printable(labels.classes[j]),
        100 * static_cast<double>(class_rows[j]) / static_cast<double>(labels.y.size())));
  }
  // Fairness notions look at one class: a guess must look like one.
  classes[labels.positive] +=
      target.positive.empty() ? " (assumed favourable; --positive decides)" : " (favourable)";
  return fmt::format("{}: {}", counted(classes.size(), "class"), fmt::join(classes, ", "));
}

Json remarks_json(const TableProfile& profile) {
  Json json = Json::array();
  for (const ColumnProfile& column : profile.columns) {
    for (const std::string& remark : column.remarks) {
      json.push_back({{"column", column.name}, {"remark", with_flags(remark)}});
    }
  }
  return json;
}

std::vector<std::size_t> exact_group_sizes(const Table& table) {
  std::vector<std::size_t> sizes(table.domain.size());
  for (const std::uint16_t group : ExactForHolder::read(table.groups)) ++sizes[group];
  return sizes;
}

/// "sex: 3 rows have no value, ...", and features that give s away.
std::string exact_remarks(const Table& table) {
  std::string text;
  const auto& without = ExactForHolder::read(table.without_value);
  for (std::size_t a = 0; a < without.size(); ++a) {
    std::vector<std::string> parts;
    const auto add = [&](std::size_t rows, const std::string& what) {
      if (rows > 0) parts.push_back(counted(rows, "row") + " " + what);
    };
    add(without[a].missing, "without a value");
    add(without[a].undeclared, "with a value that is not declared");
    add(without[a].unmatched, fmt::format("whose '{}' is not in {}", printable(table.schema.join),
                                          printable(table_title(table.schema.sensitive_file))));
    if (parts.empty()) continue;
    text += fmt::format("  {}: {}\n", printable(table.schema.sensitive[a].column),
                        fmt::join(parts, ", "));
  }
  for (const std::string& name : near_copies_of_groups(table, ExactForHolder::read(table.groups))) {
    text += fmt::format("  {0}: tells the group of nearly every row by itself: --drop {0}\n",
                        printable(name));
  }
  return text;
}

std::string exact_text(const Table& table) {
  TextTable groups({"group", fmt::format("rows ({})", ExactForHolder::kLabel)});
  const auto sizes = exact_group_sizes(table);
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    groups.add({table.domain.names()[r], with_thousands(sizes[r])});
  }
  return "\n" + groups.to_string() + exact_remarks(table);
}

Json exact_json(const Table& table) {
  Json columns = Json::array();
  const auto& without = ExactForHolder::read(table.without_value);
  for (std::size_t a = 0; a < without.size(); ++a) {
    columns.push_back({{"column", table.schema.sensitive[a].column},
                       {"missing", without[a].missing},
                       {"undeclared", without[a].undeclared},
                       {"unmatched", without[a].unmatched}});
  }
  return {{"exact_not_private", true},
          {"rows", exact_group_sizes(table)},
          {"without_value", columns},
          {"near_copies", near_copies_of_groups(table, ExactForHolder::read(table.groups))}};
}

/// Whether training would refuse the column: a name or a date is not a feature.
bool is_refused(const Column& column, const ColumnProfile& profile, const Table& table) {
  const auto spec = table.schema.columns.find(column.name);
  const bool declared = spec != table.schema.columns.end() && !spec->second.values.empty();
  return std::holds_alternative<CategoryColumn>(column.data) && !declared &&
         too_many_categories(profile.distinct, table.rows);
}

/// Fits on the columns that training would take.
Result<Pipeline> fit_features(const Table& table, const TableProfile& profile) {
  Table taken;
  taken.rows = table.rows;
  taken.schema = table.schema;
  for (std::size_t c = 0; c < table.features.size(); ++c) {
    const Column& column = table.features[c];
    if (!is_refused(column, profile.columns[c], table)) taken.features.push_back(column);
  }
  std::vector<std::uint32_t> rows(table.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  return Pipeline::fit(taken, rows);
}

}  // namespace

Result<TableReport> report_table(TableChoice choice) {
  choice.request.use = TableUse::kDescribe;
  // The holder may look at everything; what is protected decides what may be written down.
  const Adjacency adjacency = choice.request.schema.adjacency;
  if (choice.request.schema.sensitive_features.empty()) {
    choice.request.schema.adjacency = Adjacency::kSensitive;
  }
  DPFERMI_ASSIGN(Table table, read_table(choice.request));
  TableProfile looked_at = profile(table);
  DPFERMI_ASSIGN(Pipeline pipeline, fit_features(table, looked_at));
  if (!choice.images.empty()) {
    DPFERMI_ASSIGN(const ZipArchive archive, ZipArchive::open(choice.images));
    const auto absent = std::ranges::find_if(
        table.images, [&](const std::string& image) { return !archive.contains(image); });
    if (absent != table.images.end()) {
      return failed(fmt::format("{}: has no image '{}'", choice.images, *absent));
    }
  }
  table.schema.adjacency = choice.request.schema.adjacency = adjacency;
  return TableReport{std::move(choice), std::move(table), std::move(pipeline),
                     std::move(looked_at)};
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
    text += fmt::format("  inputs     {} from {} and {}\n",
                        counted(report.pipeline.columns(), "column"),
                        counted(report.pipeline.numeric().size(), "number"),
                        counted(report.pipeline.categories().size(), "category"));
  }
  if (!table.labels.classes.empty()) {
    text += fmt::format("  target     {}, {}\n", table.schema.target.column,
                        target_text(table.labels, table.schema.target, report.profile.class_rows));
  }
  if (table.domain.size() > 0) {
    text += fmt::format("  sensitive  {}\n", sensitive_text(table));
    text += fmt::format("  adjacency  {}: {}\n", to_string(table.schema.adjacency),
                        describe(table.schema.adjacency));
  }
  if (report.exact_groups && table.domain.size() > 0) {
    text += exact_text(table);
  }
  if (!table.features.empty()) text += "\n" + features_text(report);
  return text + remarks_text(report);
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
      {"class_rows", report.profile.class_rows},
      {"repeated_rows", report.profile.copies},
      {"remarks", remarks_json(report.profile)},
      {"groups", table.domain.names()},
      {"domain_of_s", domain_text(table)},
      {"adjacency", to_string(table.schema.adjacency)},
  };
  if (!features_are_public(table.schema.adjacency) || !table.domain.declared()) {
    json["exact_not_private"] = true;
  }
  if (report.exact_groups && table.domain.size() > 0) {
    json["group_rows"] = exact_json(table);
  }
  json["schema"] = json_of(table.schema);
  return json_text(json) + "\n";
}

}  // namespace dpfermi::cli
