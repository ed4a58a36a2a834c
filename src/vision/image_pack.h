#pragma once

/// Images decoded once: a file of bytes that is mapped into memory, n x side x side x 3 after a
/// header of 256 bytes of text. The header holds SHA-256 checksums of the pixels and of what the
/// pack was made from, so that a pack is used again where nothing changed and refused where it was
/// damaged.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/mapped_file.h"
#include "dpfermi/core/result.h"
#include "dpfermi/core/workers.h"

namespace dpfermi {

inline constexpr std::size_t kImagePackHeader = 256;

struct ImagePackRequest {
  std::filesystem::path source;    ///< a folder or a zip file of JPEGs
  std::vector<std::string> names;  ///< one file per image, in this order
  std::uint32_t side = 128;
};

class ImagePack {
 public:
  /// Fails where the file is not a pack or its pixels are not those that were packed.
  static Result<ImagePack> open(const std::filesystem::path& path);

  std::uint32_t side() const { return side_; }
  std::size_t count() const { return count_; }
  /// SHA-256 of the request, the sizes and the times of the files it names.
  const std::string& origin() const { return origin_; }
  /// SHA-256 of the pixels.
  const std::string& checksum() const { return checksum_; }
  std::span<const std::uint8_t> image(std::size_t i) const;

 private:
  ImagePack() = default;

  std::uint32_t side_ = 0;
  std::size_t count_ = 0;
  std::string origin_, checksum_;
  MappedFile file_;
};

/// What a pack of this request has as its origin().
Result<std::string> pack_origin(const ImagePackRequest& request);

/// Decodes all images by `workers` threads, replaces `path` in one step and returns the checksum.
/// The first file, in order, that cannot be used ends it; nothing is left behind then. `origin`:
/// pack_origin(request), which looks at every file of a folder.
Result<std::string> pack_images(
    const ImagePackRequest& request, const std::string& origin, const std::filesystem::path& path,
    Workers* workers, const std::function<void(std::size_t done, std::size_t all)>& progress = {});

}  // namespace dpfermi
