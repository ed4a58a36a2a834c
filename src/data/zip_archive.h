#pragma once

/// Read access to a zip file: the images of a data set, or a download to unpack.

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "dpfermi/core/result.h"

struct zip;

namespace dpfermi {

class ZipArchive {
 public:
  static Result<ZipArchive> open(const std::filesystem::path& path);

  /// The names of all members, in the archive's order.
  std::vector<std::string> names() const;
  bool contains(const std::string& name) const;

  /// The whole of one member, unpacked and checked against its stored checksum.
  Result<std::string> read(const std::string& name) const;

 private:
  using Handle = std::unique_ptr<zip, void (*)(zip*)>;
  ZipArchive(Handle handle, std::string path)
      : handle_(std::move(handle)), path_(std::move(path)) {}

  Handle handle_;
  std::string path_;
};

}  // namespace dpfermi
