#pragma once

/// JPEG files to bytes, by libjpeg-turbo.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "dpfermi/core/result.h"

namespace dpfermi {

/// Writes the image as side x side x 3 bytes, row by row, red before green before blue. An image
/// that is larger is reduced while it is decoded (by eighths: 128 gives 16, 32, 48, 64, ..., 128).
/// Fails where the file is damaged, even in part, is not square, or cannot be brought to this side;
/// `name` is how messages call it.
/// Requires: pixels.size() == side * side * 3.
Status decode_jpeg(std::string_view bytes, const std::string& name, std::uint32_t side,
                   std::span<std::uint8_t> pixels);

}  // namespace dpfermi
