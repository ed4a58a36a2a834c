#include "data/zip_archive.h"

#include <fmt/format.h>
#include <zip.h>

#include "core/file.h"

namespace dpfermi {
namespace {

/// A member larger than this is no part of any table or image folder.
constexpr zip_uint64_t kMaxMemberBytes = zip_uint64_t{4} << 30;

}  // namespace

Result<ZipArchive> ZipArchive::open(const std::filesystem::path& path) {
  DPFERMI_TRY(check_readable_file(path));
  int code = 0;
  Handle handle(zip_open(path.c_str(), ZIP_RDONLY, &code), [](zip* z) { zip_discard(z); });
  if (handle == nullptr) {
    return failed(
        fmt::format("{}: is not a readable zip file; copy or download it again", path.string()));
  }
  return ZipArchive(std::move(handle), path.string());
}

std::vector<std::string> ZipArchive::names() const {
  std::vector<std::string> names;
  const zip_int64_t count = zip_get_num_entries(handle_.get(), 0);
  for (zip_int64_t i = 0; i < count; ++i) {
    const char* name = zip_get_name(handle_.get(), static_cast<zip_uint64_t>(i), 0);
    if (name != nullptr) names.emplace_back(name);
  }
  return names;
}

bool ZipArchive::contains(const std::string& name) const {
  return zip_name_locate(handle_.get(), name.c_str(), 0) >= 0;
}

Result<std::string> ZipArchive::read(const std::string& name) const {
  zip_stat_t stat;
  zip_stat_init(&stat);
  if (zip_stat(handle_.get(), name.c_str(), 0, &stat) != 0) {
    return failed(fmt::format("{}: has no member '{}'", path_, name));
  }
  const std::unique_ptr<zip_file_t, void (*)(zip_file_t*)> file(
      zip_fopen(handle_.get(), name.c_str(), 0), [](zip_file_t* f) {
        if (f != nullptr) zip_fclose(f);
      });
  std::string contents;
  bool complete = false;
  if (file != nullptr && stat.size <= kMaxMemberBytes) {
    contents.resize(stat.size);
    const zip_int64_t got = zip_fread(file.get(), contents.data(), stat.size);
    char beyond = 0;  // reading past the end is what makes libzip compare the checksum
    complete = got == static_cast<zip_int64_t>(stat.size) && zip_fread(file.get(), &beyond, 1) == 0;
  }
  if (!complete) {
    return failed(
        fmt::format("{}: member '{}' is damaged; copy or download the archive again", path_, name));
  }
  return contents;
}

}  // namespace dpfermi
