#pragma once

/// Where image files come from: a folder, or a zip file.

#include <filesystem>
#include <optional>
#include <string>

#include "data/zip_archive.h"
#include "dpfermi/core/result.h"

namespace dpfermi {

class ImageSource {
 public:
  static Result<ImageSource> open(const std::filesystem::path& path);

  /// The bytes of the file `name`, which must lie in the folder. One thread at a time.
  Result<std::string> read(const std::string& name) const;

 private:
  ImageSource(std::filesystem::path folder, std::optional<ZipArchive> archive)
      : folder_(std::move(folder)), archive_(std::move(archive)) {}

  std::filesystem::path folder_;
  std::optional<ZipArchive> archive_;
};

}  // namespace dpfermi
