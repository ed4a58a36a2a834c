#pragma once

/// Which rows of a table of images are kept: one per original image, or one per person.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "dpfermi/core/result.h"
#include "vision/image_source.h"

namespace dpfermi {

/// One number per file, the same for files of the same bytes: 0, 1, ... in order of appearance.
Result<std::vector<std::uint32_t>> identical_files(const ImageSource& source,
                                                   std::span<const std::string> names);

/// The first row of every original, in the table's order; originals[i] is that of row i, numbered
/// as above, y[i] its class. Originals whose rows disagree about the class are left out, since one
/// of them must be wrong. The protected group is never looked at: images that disagree in it alone
/// are kept, with that of the first row.
std::vector<std::uint32_t> distinct_images(std::span<const std::uint32_t> originals,
                                           std::span<const std::uint16_t> y);

/// The first row of every original, whatever else its rows say: one for each, and none that hangs
/// on another original. For adjacencies that protect records, where no record may be left out.
std::vector<std::uint32_t> first_images(std::span<const std::uint32_t> originals);

}  // namespace dpfermi
