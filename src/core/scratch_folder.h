#pragma once

#include <filesystem>
#include <utility>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// A folder for temporary files; removed with the object.
class ScratchFolder {
 public:
  static Result<ScratchFolder> create();
  ScratchFolder(ScratchFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

}  // namespace dpfermi
