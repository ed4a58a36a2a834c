#include "data/table_source.h"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "core/text.h"
#include "data/duckdb_source.h"
#include "data/postgres_source.h"
#include "data/table_address.h"

namespace dpfermi {
namespace {

namespace fs = std::filesystem;

bool is_duckdb_address(const std::string& address) {
  const std::string path = address.substr(0, address.find('?'));
  return path.ends_with(".duckdb") || path.ends_with(".ddb");
}

bool begins_with(const std::string& path, std::string_view text) {
  std::error_code ignored;
  if (!fs::is_regular_file(path, ignored)) return false;
  std::string start(text.size(), '\0');
  std::ifstream in(path, std::ios::binary);
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return in && start == text;
}

/// The Parquet files of a folder, by name. Sub-folders named after a column and a value are
/// refused: the value would not be in the files, and a protected one would be in a path.
Result<std::vector<std::string>> files_of_folder(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (entry->is_directory(error) && name.find('=') != std::string::npos) {
      return failed(fmt::format(
          "{}: is divided into folders by the values of a column ('{}'); write one folder of "
          "files that hold that column",
          folder, printable(name.substr(0, name.find('=')))));
    }
    if (name.ends_with(".parquet")) files.push_back(entry->path().string());
  }
  if (error) return failed(fmt::format("{}: {}", folder, error.message()));
  if (files.empty()) {
    return failed(fmt::format("{}: is a folder without a .parquet file; name a file", folder));
  }
  std::ranges::sort(files);
  return files;
}

/// What a pattern matches, by name; nothing where it is not a pattern.
std::vector<std::string> matches_of(const std::string& pattern) {
  std::vector<std::string> files;
  if (!pattern.ends_with(".parquet") || pattern.find_first_of("*?[") == std::string::npos) {
    return files;
  }
  glob_t found{};
  if (::glob(pattern.c_str(), GLOB_NOSORT, nullptr, &found) == 0) {
    for (std::size_t i = 0; i < found.gl_pathc; ++i) files.emplace_back(found.gl_pathv[i]);
  }
  ::globfree(&found);
  std::ranges::sort(files);
  return files;
}

/// The Parquet files that an address names; empty: it names none.
Result<std::vector<std::string>> parquet_files(const std::string& address) {
  std::error_code ignored;
  if (fs::is_directory(address, ignored)) return files_of_folder(address);
  if (fs::is_regular_file(address, ignored)) {
    if (begins_with(address, "PAR1")) return std::vector{address};
    return std::vector<std::string>{};
  }
  return matches_of(address);
}

}  // namespace

bool is_pack_file(const std::string& path) {
  return begins_with(path, kPackMagic);
}

bool is_server_address(const std::string& address) {
  return address.starts_with("postgresql://") || address.starts_with("postgres://");
}

std::string table_title(const std::string& address) {
  if (address == "-") return "standard input";
  if (!is_server_address(address) && !is_duckdb_address(address)) return address;
  const auto parsed = parse_table_address(address);
  if (parsed && !parsed->table.empty()) return name_parts(parsed->table).back();
  return "query";
}

Result<std::shared_ptr<RecordSource>> find_record_source(const std::string& address,
                                                         Observer* observer, Team& team) {
  if (is_server_address(address)) {
    DPFERMI_ASSIGN(TableAddress parsed, parse_table_address(address));
    return open_postgres(std::move(parsed), table_title(address), observer, team);
  }
  if (is_duckdb_address(address)) {
    DPFERMI_ASSIGN(const TableAddress parsed, parse_table_address(address));
    return open_duckdb(parsed, table_title(address));
  }
  if (is_pack_file(address)) {
    return failed(fmt::format(
        "{}: is a pack, which 'dpfermi train', 'sketch', 'repair', 'sweep' and 'evaluate' take; "
        "name the table that it was made of",
        address));
  }
  DPFERMI_ASSIGN(const std::vector<std::string> files, parquet_files(address));
  if (files.empty()) return nullptr;
  return open_parquet(files, address);
}

Result<std::unique_ptr<RecordReader>> TableSource::open(const CsvFormat& format,
                                                        const HeaderHint& hint) && {
  if (records_) return std::move(records_);
  DPFERMI_ASSIGN(CsvReader reader, CsvReader::open(std::move(text_), format, hint));
  return std::make_unique<CsvReader>(std::move(reader));
}

Result<TableSource> open_table(const std::string& address, Observer* observer) {
  DPFERMI_ASSIGN(const auto source, find_record_source(address, observer));
  if (source == nullptr) {
    DPFERMI_ASSIGN(auto text, open_source(address));
    return TableSource(std::move(text));
  }
  DPFERMI_ASSIGN(auto records, source->read());
  return TableSource(std::move(records));
}

}  // namespace dpfermi
