#pragma once

/// An image at a glance: at most 16 x 16 boxes of pixels, each averaged with its counterpart of the
/// mirror image, of which one half is enough. Light, skin and outline are in it, of which a network
/// that was trained for something else keeps little.

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace dpfermi {

/// Numbers of the picture of an image of side x side pixels.
std::size_t picture_size(std::uint32_t side);

/// Appends them, each between 0 and 1, for an image of side x side x 3 bytes.
void append_picture(std::span<const std::uint8_t> image, std::uint32_t side,
                    std::vector<float>& out);

}  // namespace dpfermi
