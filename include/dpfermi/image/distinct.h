#pragma once

/// Which rows of a table of images are kept: one per original image.

#include <cstdint>
#include <vector>

#include "dpfermi/data/table.h"

namespace dpfermi {

/// The first row of every unit (byte-identical originals share one), in the table's order. Units
/// whose rows disagree about the class are left out, since one of them must be wrong. The protected
/// group is never looked at: images that disagree in it alone are kept, with that of the first row.
std::vector<std::uint32_t> distinct_images(const Table& table);

}  // namespace dpfermi
