#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string_view>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// The bytes of a file that is not changed while it is used. They are loaded when they are touched,
/// and the system may take their memory back at any time.
class MappedFile {
 public:
  MappedFile() = default;

  /// Fails where the file cannot be read or is empty.
  static Result<MappedFile> open(const std::filesystem::path& path);

  std::string_view bytes() const { return {reinterpret_cast<const char*>(bytes_.get()), size_}; }

  /// The bytes from `offset` on; the file stays mapped as long as they are used.
  std::shared_ptr<const std::byte> share(std::size_t offset) const {
    return {bytes_, bytes_.get() + offset};
  }

 private:
  std::shared_ptr<const std::byte> bytes_;
  std::size_t size_ = 0;
};

}  // namespace dpfermi
