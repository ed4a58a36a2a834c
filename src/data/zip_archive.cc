#include "data/zip_archive.h"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>

#include "core/file.h"
#include "core/text.h"

namespace dpfermi {
namespace {

/// A member larger than this does not belong to a table or image folder.
constexpr zip_uint64_t kMaxMemberBytes = zip_uint64_t{4} << 30;

/// The whole of an open member of `size` bytes, or less where it ends early. The size is what the
/// archive claims: memory is taken as bytes arrive.
std::string unpack(zip_file_t* file, zip_uint64_t size) {
  constexpr zip_uint64_t kPiece = zip_uint64_t{1} << 20;
  std::string contents;
  while (contents.size() < size) {
    const std::size_t before = contents.size();
    const zip_uint64_t piece = std::min(kPiece, size - before);
    contents.resize(before + piece);
    const zip_int64_t got = zip_fread(file, contents.data() + before, piece);
    contents.resize(before + static_cast<std::size_t>(std::max<zip_int64_t>(got, 0)));
    if (got <= 0) break;
  }
  return contents;
}

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
    return failed(fmt::format("{}: has no member '{}'; check the name", path_, printable(name)));
  }
  const std::unique_ptr<zip_file_t, void (*)(zip_file_t*)> file(
      zip_fopen(handle_.get(), name.c_str(), 0), [](zip_file_t* f) {
        if (f != nullptr) zip_fclose(f);
      });
  std::string contents;
  bool complete = false;
  if (file != nullptr && stat.size <= kMaxMemberBytes) {
    contents = unpack(file.get(), stat.size);
    char beyond = 0;  // reading past the end is what makes libzip compare the checksum
    complete = contents.size() == stat.size && zip_fread(file.get(), &beyond, 1) == 0;
  }
  if (!complete) {
    return failed(fmt::format("{}: member '{}' is damaged; copy or download the archive again",
                              path_, printable(name)));
  }
  return contents;
}

}  // namespace dpfermi
