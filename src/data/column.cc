#include "data/column.h"

#include <algorithm>
#include <cmath>

namespace dpfermi {

void CodeVector::widen() {
  CodeVector wider;
  wider.width_ = 2 * width_;
  wider.mark_ = width_ == 1 ? 0xFFFFU : kMissing;
  wider.bytes_.resize(4 * bytes_.size() + 64);
  for (std::size_t i = 0; i < size(); ++i) wider.push_back((*this)[i]);
  *this = std::move(wider);
}

template <class Stored>
void CodeVector::store(std::span<const std::uint32_t> codes) {
  unsigned char* out = bytes_.data() + used_;
  for (const std::uint32_t code : codes) {
    const auto stored = static_cast<Stored>(code);
    std::memcpy(out, &stored, sizeof stored);
    out += sizeof stored;
  }
}

void CodeVector::append(std::span<const std::uint32_t> codes, std::size_t limit) {
  while (limit > mark_) widen();
  const std::size_t needed = used_ + codes.size() * width_ + sizeof(std::uint32_t);
  while (bytes_.size() < needed) make_room();
  if (width_ == 1) {
    store<std::uint8_t>(codes);
  } else if (width_ == 2) {
    store<std::uint16_t>(codes);
  } else {
    store<std::uint32_t>(codes);
  }
  used_ += codes.size() * width_;
}

void CodeVector::make_room() {
  // In steps within what was reserved, so that reserved pages are touched only when needed.
  constexpr std::size_t kStep = 1 << 16;
  const std::size_t reserved = bytes_.capacity();
  const std::size_t wanted = bytes_.size() + (bytes_.size() < kStep ? bytes_.size() + 64 : kStep);
  bytes_.resize(wanted <= reserved ? wanted : std::max(wanted, 2 * bytes_.size()));
}

void CodeVector::shrink_to_fit() {
  bytes_.resize(used_ + sizeof(std::uint32_t));
  if (wastes_memory(bytes_)) bytes_.shrink_to_fit();
}

std::size_t Column::size() const {
  if (const auto* numeric = std::get_if<NumericColumn>(&data)) return numeric->values.size();
  return std::get<CategoryColumn>(data).codes.size();
}

bool Column::is_missing(std::size_t row) const {
  if (const auto* numeric = std::get_if<NumericColumn>(&data))
    return std::isnan(numeric->values[row]);
  return std::get<CategoryColumn>(data).codes[row] == CodeVector::kMissing;
}

}  // namespace dpfermi
