#pragma once

#include <cstdint>
#include <span>

#include "data/hybrid_matrix.h"

namespace dpfermi {

/// These rows of `x`, in this order.
HybridMatrix chosen_rows(const HybridMatrix& x, std::span<const std::uint32_t> rows);

}  // namespace dpfermi
