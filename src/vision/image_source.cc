#include "vision/image_source.h"

#include <fmt/format.h>

#include "core/file.h"

namespace dpfermi {
namespace fs = std::filesystem;

Result<ImageSource> ImageSource::open(const fs::path& path) {
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) return ImageSource(path, std::nullopt);
  DPFERMI_ASSIGN(ZipArchive archive, ZipArchive::open(path));
  return ImageSource(path, std::move(archive));
}

Result<std::string> ImageSource::read(const std::string& name) const {
  if (archive_) return archive_->read(name);
  const fs::path relative = fs::path(name).lexically_normal();
  if (relative.is_absolute() || (!relative.empty() && *relative.begin() == "..")) {
    return failed(fmt::format("'{}' lies outside of {}; name files in it", name, folder_.string()));
  }
  return read_text_file(folder_ / relative);
}

}  // namespace dpfermi
