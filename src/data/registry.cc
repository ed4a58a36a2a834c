#include "data/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstdlib>

#include "core/file.h"
#include "core/text.h"
#include "data/registry_texts.h"

namespace dpfermi {
namespace fs = std::filesystem;
namespace {

fs::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && *cache != '\0') {
    return fs::path(cache) / "dpfermi";
  }
  const char* home = std::getenv("HOME");
  return fs::path(home != nullptr ? home : ".") / ".cache" / "dpfermi";
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// Whether every file is there, or the zip file that it comes in.
bool has_all_files(const DatasetDescriptor& dataset, const fs::path& folder) {
  return std::ranges::all_of(dataset.files, [&](const DatasetFile& file) {
    return is_file(folder / file.name) ||
           (file.is_zipped() && is_file(folder / fs::path(file.archive).filename()));
  });
}

template <class Named>
std::vector<std::string> names_of(const std::vector<Named>& items) {
  std::vector<std::string> names;
  for (const Named& item : items) names.push_back(item.name);
  return names;
}

}  // namespace

Result<DatasetVariant> DatasetDescriptor::variant(const std::string& wanted) const {
  if (wanted.empty()) return variants.front();
  const auto found = std::ranges::find(variants, wanted, &DatasetVariant::name);
  if (found != variants.end()) return *found;
  return usage_error(fmt::format("data set '{}' has no variant '{}'; it has {}", name, wanted,
                                 fmt::join(names_of(variants), ", ")));
}

const std::vector<DatasetDescriptor>& built_in_datasets() {
  static const std::vector<DatasetDescriptor> datasets = [] {
    std::vector<DatasetDescriptor> parsed;
    for (const EmbeddedText& text : registry_texts()) {
      auto descriptor = parse_descriptor(std::string(text.text), std::string(text.name));
      assert(descriptor.has_value());
      parsed.push_back(*std::move(descriptor));
    }
    return parsed;
  }();
  return datasets;
}

Result<DatasetDescriptor> find_dataset(const std::string& name_or_path) {
  const auto& built_in = built_in_datasets();
  const auto found = std::ranges::find(built_in, name_or_path, &DatasetDescriptor::name);
  if (found != built_in.end()) return *found;
  if (name_or_path.ends_with(".json")) {
    DPFERMI_ASSIGN(const std::string text, read_text_file(name_or_path));
    return parse_descriptor(text, name_or_path);
  }
  const std::vector<std::string> names = names_of(built_in);
  const auto guess = nearest_name(name_or_path, names);
  return usage_error(fmt::format("unknown data set '{}'; {}", name_or_path,
                                 guess ? fmt::format("did you mean '{}'?", *guess)
                                       : fmt::format("known are {}", fmt::join(names, ", "))));
}

std::vector<fs::path> data_folders(const std::string& given) {
  if (!given.empty()) return {given};
  std::vector<fs::path> folders;
  if (const char* data = std::getenv("DPFERMI_DATA"); data != nullptr && *data != '\0') {
    folders.emplace_back(data);
  }
  folders.push_back(cache_folder());
  return folders;
}

Result<fs::path> locate_dataset(const DatasetDescriptor& dataset,
                                const std::vector<fs::path>& folders) {
  std::vector<std::string> tried;
  for (const fs::path& folder : folders) {
    fs::path candidate = folder / dataset.name;
    if (has_all_files(dataset, candidate)) return candidate;
    tried.push_back(candidate.string());
  }
  return failed(fmt::format(
      "the files of data set '{0}' are not in {1}; get them with: dpfermi datasets fetch {0}",
      dataset.name, fmt::join(tried, " or ")));
}

TableRequest table_request(const DatasetVariant& variant, const fs::path& folder) {
  TableRequest request;
  for (const std::string& name : variant.files) {
    const auto packed = variant.packed.find(name);
    const bool unpack = packed != variant.packed.end() && !is_file(folder / name);
    request.files.push_back((folder / (unpack ? packed->second : name)).string());
  }
  request.schema = variant.schema;
  return request;
}

std::vector<SensitiveSpec> protect(const std::vector<std::string>& columns,
                                   const std::vector<SensitiveSpec>& known) {
  std::vector<SensitiveSpec> specs;
  for (const std::string& column : columns) {
    const auto found = std::ranges::find(known, column, &SensitiveSpec::column);
    specs.push_back(found == known.end() ? SensitiveSpec{.column = column} : *found);
  }
  return specs;
}

}  // namespace dpfermi
