#include "data/table_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "core/text.h"

namespace dpfermi {

std::vector<std::string> TableChoice::inputs() const {
  std::vector<std::string> files = request.files;
  for (const std::string& file : {request.schema.sensitive_file, schema_file}) {
    if (!file.empty()) files.push_back(file);
  }
  std::erase_if(files, is_server_address);
  return files;
}

TableChoice TableChoice::read_as(const Schema& schema) const {
  TableChoice choice = *this;
  CsvFormat format = request.schema.format;
  format.missing = schema.format.missing;
  choice.request.schema = schema;
  choice.request.schema.format = std::move(format);
  choice.request.use = TableUse::kApply;
  if (!request.schema.sensitive_file.empty()) {
    choice.request.schema.sensitive_file = request.schema.sensitive_file;
  }
  if (!request.schema.join.empty()) choice.request.schema.join = request.schema.join;
  return choice;
}

Result<TableChoice> registered_choice(const std::string& name, const std::string& variant_name,
                                      const std::string& data_folder) {
  const std::size_t at = name.find('@');
  DPFERMI_ASSIGN(const DatasetDescriptor dataset, find_dataset(name.substr(0, at)));
  DPFERMI_ASSIGN(const DatasetVariant variant, dataset.variant(variant_name));
  DPFERMI_ASSIGN(const auto folder, locate_dataset(dataset, data_folders(data_folder)));
  TableChoice choice;
  choice.request = table_request(variant, folder);
  choice.protectable = variant.schema.sensitive;
  std::ranges::copy(variant.protectable, std::back_inserter(choice.protectable));
  if (at != std::string::npos) {
    choice.request.schema.sensitive =
        protect(split_list(name.substr(at + 1), '+'), choice.protectable);
  }
  choice.title = fmt::format("{} ({}): {}", dataset.name, variant.name, dataset.title);
  choice.note = variant.note;
  choice.target_name = dataset.target_name;
  choice.split = variant.split;
  if (!variant.images.empty()) choice.images = (folder / variant.images).string();
  return choice;
}

Status check_split(const SplitChoice& split, Adjacency adjacency) {
  const double fraction = split.fraction(adjacency);
  if (!(fraction >= 0 && fraction < 1)) {
    return usage_error(
        fmt::format("`test_fraction` must be at least 0 and below 1, not {}", fraction));
  }
  if (fraction > 0 && !features_are_public(adjacency)) {
    return usage_error(fmt::format(
        "under {} one record would change which others are held out; leave out `test_fraction` and "
        "evaluate on another file",
        to_string(adjacency)));
  }
  return {};
}

Status check_complete(const Table& table) {
  if (table.schema.adjacency != Adjacency::kReplaceRecord || table.rows_dropped == 0) return {};
  return failed(fmt::format(
      "{} without a target or with a missing value would be left out, but under replace-record "
      "their number is taken for public; complete or remove them, or use adjacency "
      "add-remove-record with `declared_units`",
      counted(table.rows_dropped, "row")));
}

std::vector<std::uint32_t> all_rows(const Table& table) {
  std::vector<std::uint32_t> rows(table.rows);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

Result<Split> split_table(const Table& table, SplitRule rule, const SplitChoice& choice) {
  const double fraction = choice.fraction(table.schema.adjacency);
  if (fraction == 0) return Split{all_rows(table), {}};
  return split_rows(split_blocks(table, rule), fraction, choice.seed);
}

}  // namespace dpfermi
