#include "dpfermi/data/column.h"

#include <cmath>
#include <cstring>

namespace dpfermi {
namespace {

/// Mixes eight bytes at a time; tables are small and the strings come from a trusted file, so the
/// hash has to be quick rather than keyed.
std::uint64_t hash_of(std::string_view text) {
  constexpr std::uint64_t kMultiplier = 0x9E3779B97F4A7C15U;
  std::uint64_t hash = text.size() * kMultiplier;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * kMultiplier;
    hash ^= hash >> 32U;
  };
  while (text.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data(), 8);
    mix(word);
    text.remove_prefix(8);
  }
  std::uint64_t word = 0;
  if (!text.empty()) std::memcpy(&word, text.data(), text.size());
  mix(word);
  return hash;
}

std::uint32_t load(const unsigned char* from, std::size_t width) {
  std::uint32_t value = 0;
  std::memcpy(&value, from, width);
  return value;
}

}  // namespace

std::uint32_t CodeVector::missing_mark() const {
  return kMissing >> (8 * (sizeof(std::uint32_t) - width_));
}

std::uint32_t CodeVector::operator[](std::size_t i) const {
  const std::uint32_t value = load(bytes_.data() + i * width_, width_);
  return value == missing_mark() ? kMissing : value;
}

void CodeVector::append(std::uint32_t code) {
  const std::size_t end = bytes_.size();
  bytes_.resize(end + width_);
  std::memcpy(bytes_.data() + end, &code, width_);
}

void CodeVector::push_back(std::uint32_t code) {
  while (code != kMissing && code >= missing_mark()) widen(2 * width_);
  append(code);
}

void CodeVector::widen(std::size_t width) {
  CodeVector wider;
  wider.width_ = width;
  wider.bytes_.reserve(2 * bytes_.size() * width / width_);
  for (std::size_t i = 0; i < size(); ++i) wider.append((*this)[i]);
  *this = std::move(wider);
}

std::size_t LevelTable::slot_of(std::string_view text, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = hash & mask;
  while (slots_[slot] != CodeVector::kMissing &&
         (hashes_[slots_[slot]] != hash || levels_[slots_[slot]] != text)) {
    slot = (slot + 1) & mask;
  }
  return slot;
}

std::uint32_t LevelTable::find(std::string_view text) const {
  return slots_[slot_of(text, hash_of(text))];
}

std::uint32_t LevelTable::insert(std::string_view text) {
  const std::uint64_t hash = hash_of(text);
  const std::size_t slot = slot_of(text, hash);
  if (slots_[slot] != CodeVector::kMissing) return slots_[slot];
  const auto code = static_cast<std::uint32_t>(levels_.size());
  slots_[slot] = code;
  levels_.emplace_back(text);
  hashes_.push_back(hash);
  if (2 * levels_.size() > slots_.size()) grow();
  return code;
}

void LevelTable::grow() {
  slots_.assign(2 * slots_.size(), CodeVector::kMissing);
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    slots_[slot_of(levels_[i], hashes_[i])] = static_cast<std::uint32_t>(i);
  }
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
