#pragma once

/// The data sets the tool knows by name: where their files come from, what their columns mean, and
/// under which protocols they have been used. Descriptors are JSON: eight are built in, and any
/// file of the same form describes one more.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "data/split.h"
#include "data/table_reader.h"
#include "dpfermi/core/result.h"

namespace dpfermi {

/// One file and how to get it: from `url`, or as `member` of the zip or gzip file at `archive`.
/// With neither it has to be brought by hand. A zip file that lies in the folder need not be
/// unpacked.
struct DatasetFile {
  std::string name;
  std::string url;
  std::string archive;
  std::string member;
  std::string sha256;

  bool is_zipped() const { return archive.ends_with(".zip") && !member.empty(); }
};

/// One way of reading a data set. The first of a descriptor is the default.
struct DatasetVariant {
  std::string name;
  std::string note;
  std::vector<std::string> files;  ///< read one after the other
  /// Where a file is inside the zip file that it comes in: "archive.zip/member", by its name.
  std::map<std::string, std::string> packed;
  std::string images;  ///< zip file that holds the images of schema.image, if any
  SplitRule split;
  Schema schema;
  /// Columns that may be protected instead of those of the schema, with their declared domains.
  std::vector<SensitiveSpec> protectable;
};

struct DatasetDescriptor {
  std::string name;
  std::string title;
  std::string licence;
  std::string homepage;
  /// What `target` may say for the target of the schemas, where it is more than its column: classes
  /// of ages are "age-band". Empty: nothing.
  std::string target_name;
  std::vector<DatasetFile> files;
  std::vector<DatasetVariant> variants;

  /// An empty name means the first.
  Result<DatasetVariant> variant(const std::string& wanted) const;
};

Result<DatasetDescriptor> parse_descriptor(const std::string& json, const std::string& origin);

const std::vector<DatasetDescriptor>& built_in_datasets();

/// A built-in name, or the path of a descriptor file.
Result<DatasetDescriptor> find_dataset(const std::string& name_or_path);

/// Folders in which data sets are looked for, first match first: the given one alone, or
/// $DPFERMI_DATA and then the user's cache. A data set's files lie in a folder of its name.
std::vector<std::filesystem::path> data_folders(const std::string& given);

/// The folder that holds every file of the data set; the message says how to get them otherwise.
Result<std::filesystem::path> locate_dataset(const DatasetDescriptor& dataset,
                                             const std::vector<std::filesystem::path>& folders);

/// What to read for one variant whose files lie in `folder`.
TableRequest table_request(const DatasetVariant& variant, const std::filesystem::path& folder);

/// The specs of `columns`, each with the domain that is declared for it in `known`, if any.
std::vector<SensitiveSpec> protect(const std::vector<std::string>& columns,
                                   const std::vector<SensitiveSpec>& known);

}  // namespace dpfermi
